import type { Files } from '../../core/files.ts'
import type { HeldLock } from './held-lock.ts'

/** The same files, but changes fail once the lock is lost, except the removal of an empty folder and a new time of change. */
export function fencedFiles(files: Files, lock: Pick<HeldLock, 'assertHeld' | 'assertKept'>): Files {
  const fenced =
    <A extends unknown[], R>(run: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      await lock.assertHeld()
      return await run(...args)
    }
  const open = fenced(files.open)
  const write = fenced(files.write)
  return {
    ...files,
    open: (path, flags) => (flags === 'r' ? files.open(path, flags) : open(path, flags)),
    async write(fd, bytes, at) {
      const taken = await write(fd, bytes, at)
      await lock.assertKept()
      return taken
    },
    truncate: fenced(files.truncate),
    rename: fenced(files.rename),
    remove: fenced(files.remove),
    makeFolder: fenced(files.makeFolder),
    link: fenced(files.link),
  }
}
