import { codeOf } from '../../core/errors.ts'
import type { Files } from '../../core/files.ts'
import { corrupt } from '../io-errors.ts'

/** The same files. If a folder has the name of a file, or the reverse, the error says so. */
export function namingFiles<T extends Pick<Files, 'readAll'> & Partial<Files>>(files: T): T {
  const explained =
    <A extends unknown[], R>(run: (path: string, ...rest: A) => Promise<R>, kind: Kind) =>
    async (path: string, ...rest: A): Promise<R> => {
      try {
        return await run(path, ...rest)
      } catch (error) {
        if (!wrongKinds[kind].has(codeOf(error))) throw error
        const other = kind === 'file' ? 'folder' : 'file'
        const what = `a ${other} is in the place of this ${kind}.`
        throw corrupt(path, what, `Move it away, or restore the ${kind} from a copy.`, error)
      }
    }
  const { open, makeFolder } = files
  return {
    ...files,
    readAll: explained(files.readAll, 'file'),
    ...(open && { open: explained(open, 'file') }),
    ...(makeFolder && { makeFolder: explained(makeFolder, 'folder') }),
  }
}

type Kind = 'file' | 'folder'

const wrongKinds: Readonly<Record<Kind, ReadonlySet<string>>> = {
  file: new Set(['EISDIR']),
  folder: new Set(['EEXIST', 'ENOTDIR']),
}
