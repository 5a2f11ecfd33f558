import { constants } from 'node:fs'
import { open, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf, LocalpostError } from '../../core/errors.ts'

/**
 * Refuses a data folder that belongs to another user, or that others may write to: they could read mail and keys, and
 * put links or data of their own into it. A folder that is not there yet is fine; so is any on a system without users.
 *
 * @throws invalid_option with the command that helps.
 */
export async function assertPrivate(folder: string): Promise<void> {
  const user = process.geteuid?.()
  if (user === undefined) return
  const found = await stat(folder).catch(() => null)
  if (!found?.isDirectory()) return
  const isForeign = found.uid !== user
  if (!isForeign && (found.mode & writableByOthers) === 0) return
  // Some file systems keep no owners and modes (a disk of Windows, a mounted folder of a container's host), and show
  // the same ones for every file: of these nothing follows.
  const made = await probe(folder)
  if (made && (isForeign ? made.uid === found.uid : (made.mode & writableByOthers) !== 0)) return
  const other = 'or choose a folder of your own'
  const message = isForeign
    ? `The data folder ${folder} belongs to user ${found.uid}, and Localpost runs as user ${user}. Run \`chown -R ${user} ${folder}\`, run Localpost as user ${found.uid}, ${other}: ${join(folder, 'localpost')} is made where you may write.`
    : `Others may write to the data folder ${folder} (mode ${(found.mode & 0o7777).toString(8)}). Run \`chmod go-w ${folder}\`, ${other}.`
  throw new LocalpostError('invalid_option', message)
}

const writableByOthers = 0o022

/** Owner and mode that a file of this process gets in a folder; null where it may make none. */
async function probe(folder: string): Promise<{ uid: number; mode: number } | null> {
  const path = join(folder, `.localpost-probe-${process.pid}`)
  try {
    const flags = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | constants.O_NOFOLLOW
    const file = await open(path, flags, 0o600)
    try {
      const { uid, mode } = await file.stat()
      return { uid, mode }
    } finally {
      await file.close()
      await unlink(path)
    }
  } catch (error) {
    if (codeOf(error) === '') throw error
    return null
  }
}
