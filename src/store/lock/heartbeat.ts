import { type LockReads, readText } from './lock-file.ts'
import { sleep } from '../../core/machine.ts'

/** A holder renews its lock this often, in milliseconds. */
export const beatMs = 1000
/** A lock that is not renewed for so long belongs to a process that has ended, or that writes no more. */
export const silenceMs = 5000
/** A holder that did not read its lock for so long reads it before it writes. */
export const freshMs = 2500

/**
 * Watches a lock whose holder cannot be looked up. Times of different machines are never compared: the file only has
 * to change while this process looks.
 *
 * @param text  What the lock says now; null where there is none.
 * @param wait  Lets so many milliseconds pass.
 * @returns `renewed` as soon as its holder renews it, `replaced` when it says something else, `silent` when neither happened.
 */
export async function watchLock(
  files: LockReads,
  path: string,
  text: string | null,
  wait: (ms: number) => Promise<void> = sleep,
): Promise<'renewed' | 'replaced' | 'silent'> {
  const first = await timeOf(files, path)
  // Counted in reads: a process that was stopped meanwhile reads again before it decides.
  for (let looks = 0; looks < silenceMs / lookMs; looks++) {
    await wait(lookMs)
    if ((await readText(files, path)) !== text) return 'replaced'
    if ((await timeOf(files, path)) !== first) return 'renewed'
  }
  return 'silent'
}

/** A folder in the place of the lock has no time that says anything. */
function timeOf(files: LockReads, path: string): Promise<number | null> {
  return files.touched(path).catch(() => null)
}

const lookMs = 200
