import { constants } from 'node:fs'
import { open, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf, invalidOption } from '../../core/errors.ts'

/**
 * Refuses a data folder that belongs to another user, or that others may write to. They could read mail and keys, or
 * put links or data into the folder. A folder that does not exist yet is accepted, and any folder on Windows.
 *
 * @throws invalid_option with the command that fixes the permissions.
 */
export async function assertPrivate(folder: string): Promise<void> {
  const user = process.geteuid?.()
  if (user === undefined) return
  const found = await stat(folder).catch(() => null)
  if (!found?.isDirectory()) return
  const isForeign = found.uid !== user
  if (!isForeign && (found.mode & writableByOthers) === 0) return
  // Some file systems have no owners and modes (a Windows disk, a container's bind mount) and show the same values for
  // every file. A new file then shows them too, and they say nothing about the folder.
  const made = await probe(folder)
  if (made && (isForeign ? made.uid === found.uid : (made.mode & writableByOthers) !== 0)) return
  const other = 'or choose a folder of your own'
  const message = isForeign
    ? `The data folder ${folder} belongs to user ${found.uid}, and Localpost runs as user ${user}. Run \`chown -R ${user} ${folder}\`, run Localpost as user ${found.uid}, ${other}, such as ${join(folder, 'localpost')} if you may write there.`
    : `Others may write to the data folder ${folder} (mode ${(found.mode & 0o7777).toString(8)}). Run \`chmod go-w ${folder}\`, ${other}.`
  throw invalidOption(message)
}

const writableByOthers = 0o022

/** The owner and mode of a new file in the folder; null when this process may not create one. */
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
