import { isShared, type Files, withFile } from '../../core/files.ts'
import { storeFault } from '../io-errors.ts'
import { countFrames } from './frame.ts'
import type { LogPosition } from './log.ts'
import type { DataFolder } from './paths.ts'
import { replaceFile } from './replace-file.ts'
import type { Loss } from './replay.ts'

/**
 * Moves everything from the first incomplete commit on into files next to the log. The last file goes first, so that
 * the next start finds the same situation if a crash interrupts this. A log file that has no commits left is removed.
 *
 * @param loss  How the log got its end, for the notice.
 * @param broken  The position of the first incomplete commit.
 * @param lengths  By log file, in ascending order. Updated to what is left.
 */
export async function setAside(
  { files, paths, onNotice }: DataFolder & { readonly onNotice: (text: string) => void },
  loss: Loss,
  broken: LogPosition,
  lengths: Map<number, number>,
): Promise<void> {
  for (const [log, length] of [...lengths].reverse()) {
    const offset = log === broken.log ? broken.offset : 0
    if (log < broken.log) break
    const path = paths.log(log)
    try {
      const all = (await files.readAll(path)) ?? Buffer.alloc(0)
      const bytes = all.subarray(offset)
      const copy = await freeName(files, `${path}.cut-${offset}`)
      if (length > offset) await replaceFile(files, copy, [bytes])
      if (offset === 0) {
        await files.remove(path)
        await files.syncFolder(paths.logs)
        lengths.delete(log)
      } else {
        // Another folder may share the file, and its process needs the whole of it.
        if (isShared(files, path)) await replaceFile(files, path, [all.subarray(0, offset)])
        else
          await withFile(files, path, 'r+', async (fd) => {
            await files.truncate(fd, offset)
            await files.sync(fd)
          })
        lengths.set(log, offset)
      }
      const whole = countFrames(bytes)
      const behind = whole === 0 ? '' : `, with ${whole} complete commits behind a gap`
      if (length > offset)
        onNotice(
          `${path} ended in ${bytes.byteLength} bytes that are no complete commit${behind}. They were moved to ${copy}.${loss === 'tail' ? afterRestart : ''}`,
        )
    } catch (error) {
      throw storeFault(error, `Setting the end of ${path} aside`)
    }
  }
}

const afterRestart =
  ' They are the last write before the machine stopped. It was not complete, so it was not acknowledged, unless the disk damaged it later.'

async function freeName(files: Files, wanted: string): Promise<string> {
  let name = wanted
  for (let i = 2; (await files.size(name)) !== null; i++) name = `${wanted}-${i}`
  return name
}
