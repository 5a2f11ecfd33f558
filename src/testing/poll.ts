import { monotonicNow, sleep } from '../core/machine.ts'

/**
 * Asks again and again, at growing intervals of the machine's clock, until the answer is a final one or the time is
 * over. Asks at least once, and once more at the end.
 *
 * @param withinMs  How long, in milliseconds; 0 asks once.
 * @returns The last answer.
 */
export async function poll<T>(
  ask: () => Promise<T>,
  isFinal: (answer: T) => boolean,
  withinMs: number,
): Promise<T> {
  const end = monotonicNow() + withinMs
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(waitMs * 1.5, longestWaitMs)) {
    const answer = await ask()
    const leftMs = end - monotonicNow()
    if (isFinal(answer) || leftMs <= 0) return answer
    await sleep(Math.min(waitMs, leftMs))
  }
}

/**
 * How long a check waits for what should come, in milliseconds: less than the 5,000 of the test frameworks, which would
 * else end the test before it could say what is missing.
 */
export const defaultWithinMs = 2000

const firstWaitMs = 5
const longestWaitMs = 100
