import { expect } from 'vitest'

/**
 * Fails if work on four times the input costs more than eight times as much. Quadratic work would cost sixteen times.
 *
 * Compares the smallest CPU times of several rounds, so that the load of the machine has little effect.
 *
 * @param work  Does the work on an input of this size.
 * @param size  Must be large enough that the work takes at least a millisecond.
 */
export function expectLinearCost(work: (size: number) => unknown, size: number): void {
  const least = { small: Infinity, large: Infinity }
  let ratio = Infinity
  for (let round = 0; round < 12 && (round < 3 || ratio > maxRatio); round++) {
    least.small = Math.min(
      least.small,
      costOf(() => work(size)),
    )
    least.large = Math.min(
      least.large,
      costOf(() => work(4 * size)),
    )
    ratio = least.large / Math.max(least.small, 500)
  }
  expect(ratio, `${least.small} µs for ${size}, ${least.large} µs for ${4 * size}`).toBeLessThan(maxRatio)
}

const maxRatio = 8

/** In microseconds. */
function costOf(work: () => unknown): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return user + system
}
