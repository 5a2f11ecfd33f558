import type { Files } from '../../core/files.ts'
import { readText } from './lock-file.ts'
import { sleep } from '../../core/machine.ts'

/** A holder renews its lock this often, in milliseconds. */
export const beatMs = 1000
/** A lock that is not renewed for so long belongs to a process that has ended. */
export const silenceMs = 5000
/** A holder that did not see its lock for so long looks at it before it writes. */
export const freshMs = 2500

/**
 * Watches a lock whose holder cannot be looked up. Times of different machines are never compared: the file only has
 * to change while this process looks.
 *
 * @param text  What the lock says now.
 * @returns `renewed` as soon as its holder renews it, `replaced` when it is missing or another one is in its place, `silent`
 *   when neither happened.
 */
export async function watchLock(
  files: Pick<Files, 'readAll' | 'touched'>,
  path: string,
  text: string,
): Promise<'renewed' | 'replaced' | 'silent'> {
  const first = await files.touched(path)
  // Counted in reads: a process that was stopped meanwhile reads again before it decides.
  for (let looks = 0; looks < silenceMs / lookMs; looks++) {
    await sleep(lookMs)
    if ((await readText(files, path)) !== text) return 'replaced'
    if ((await files.touched(path)) !== first) return 'renewed'
  }
  return 'silent'
}

const lookMs = 200
