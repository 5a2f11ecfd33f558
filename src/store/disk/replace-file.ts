import { dirname } from 'node:path'
import { type Files, writeWhole } from '../../core/files.ts'
import { storeFault } from '../io-errors.ts'

/** Replaces a file: after a crash or a power cut it is either the old or the new one. */
export async function replaceFile(
  files: Files,
  path: string,
  pieces: Iterable<Uint8Array>,
  beforeName?: () => Promise<void>,
): Promise<void> {
  await writeAside(files, path, pieces, beforeName)
  try {
    await files.syncFolder(dirname(path))
  } catch (error) {
    throw storeFault(error, `Writing ${path}`)
  }
}

/** Where a file is written before it gets its name. A crash may leave it there; see `temporaryForm` in snapshot-files.ts. */
export const temporaryOf = (path: string): string => `${path}.tmp`

/**
 * Writes the pieces to a temporary file, syncs it and renames it to the path. The rename is durable only after the
 * folder is synced too. Writing in pieces lets other work run in between.
 *
 * @param beforeName  Called before the file gets its name.
 */
export async function writeAside(
  files: Files,
  path: string,
  pieces: Iterable<Uint8Array>,
  beforeName: () => Promise<void> = async () => {},
): Promise<void> {
  const temporary = temporaryOf(path)
  let fd: number | null = null
  try {
    fd = await files.open(temporary, 'w')
    let at = 0
    for (const bytes of pieces) {
      await writeWhole(files, fd, bytes, at)
      at += bytes.byteLength
    }
    await files.sync(fd)
    const done = fd
    fd = null
    await files.close(done)
    await beforeName()
    await files.rename(temporary, path)
  } catch (error) {
    if (fd !== null) await files.close(fd).catch(() => {})
    await files.remove(temporary).catch(() => {})
    throw storeFault(error, `Writing ${path}`)
  }
}
