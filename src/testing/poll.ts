import { monotonicNow, sleep } from '../core/machine.ts'

/**
 * Asks again and again, at growing intervals of the machine's clock, until the answer is a final one or the time is
 * over. Asks at least once, and once more at the end.
 *
 * @param timeoutMs  How long, in milliseconds; 0 asks once.
 * @returns The last answer.
 */
export async function poll<T>(
  ask: () => Promise<T>,
  isFinal: (answer: T) => boolean,
  timeoutMs: number,
): Promise<T> {
  const end = monotonicNow() + timeoutMs
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(waitMs * 1.5, longestWaitMs)) {
    const answer = await ask()
    const leftMs = end - monotonicNow()
    if (isFinal(answer) || leftMs <= 0) return answer
    await sleep(Math.min(waitMs, leftMs))
  }
}

const firstWaitMs = 5
const longestWaitMs = 100
