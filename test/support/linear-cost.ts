import { expect } from 'vitest'

/**
 * Fails where the work for four times the input costs more than eight times as much: quadratic work costs sixteen times.
 *
 * Compares the CPU time of this process, and the smallest of several rounds, so that a busy machine does not matter.
 *
 * @param work  Does the work for an input of a size.
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
