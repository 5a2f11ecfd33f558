import { type LockReads, readText } from './lock-file.ts'
import { sleep } from '../../core/machine.ts'

/** A holder renews its lock this often, in milliseconds. */
export const beatMs = 1000
/** A lock that is not renewed for this long belongs to a process that has ended or no longer writes. */
export const silenceMs = 5000
/** A holder that has not read its lock for this long reads it before it writes. */
export const freshMs = 2500

/**
 * Watches a lock whose holder cannot be looked up. Times of different machines are never compared: the file only has
 * to change while this process looks.
 *
 * @param text  The current text of the lock; null if there is none.
 * @param wait  Waits this many milliseconds.
 * @returns `renewed` as soon as its holder renews it, `replaced` if its text changes, `silent` if neither happens.
 */
export async function watchLock(
  files: LockReads,
  path: string,
  text: string | null,
  wait: (ms: number) => Promise<void> = sleep,
): Promise<'renewed' | 'replaced' | 'silent'> {
  const first = await timeOf(files, path)
  // Counted in reads, so that a process that was suspended meanwhile reads again before it decides.
  for (let looks = 0; looks < silenceMs / lookMs; looks++) {
    await wait(lookMs)
    if ((await readText(files, path)) !== text) return 'replaced'
    if ((await timeOf(files, path)) !== first) return 'renewed'
  }
  return 'silent'
}

/** If there is a folder instead of the lock file, its time has no meaning. */
function timeOf(files: LockReads, path: string): Promise<number | null> {
  return files.touched(path).catch(() => null)
}

const lookMs = 200
