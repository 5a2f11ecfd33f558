import type { Files } from '../../src/core/files.ts'

/**
 * A file system that knows the path of each descriptor. The system reuses the number of a closed file for
 * the next one, so each `open` replaces the path of its number.
 */
export function namedFiles(files: Files): Files & { pathOf(fd: number): string } {
  const paths = new Map<number, string>()
  return {
    ...files,
    async open(path, flags) {
      const fd = await files.open(path, flags)
      paths.set(fd, path)
      return fd
    },
    openNow(path) {
      const fd = files.openNow(path)
      paths.set(fd, path)
      return fd
    },
    pathOf: (fd) => paths.get(fd) ?? '',
  }
}
