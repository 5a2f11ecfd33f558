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
  const rounds = createRounds(size)
  while (rounds.needsMore()) rounds.note(costOf(work, size), costOf(work, 4 * size))
  rounds.expectLinear()
}

/** {@link expectLinearCost} of asynchronous work. */
export async function expectLinearCostOf(
  work: (size: number) => Promise<unknown>,
  size: number,
): Promise<void> {
  const rounds = createRounds(size)
  while (rounds.needsMore()) rounds.note(await costOfPromise(work, size), await costOfPromise(work, 4 * size))
  rounds.expectLinear()
}

const maxRatio = 8

interface Rounds {
  needsMore(): boolean
  note(small: number, large: number): void
  expectLinear(): void
}

function createRounds(size: number): Rounds {
  const least = { small: Infinity, large: Infinity }
  let count = 0
  const ratio = (): number => least.large / Math.max(least.small, 500)
  return {
    needsMore: () => count < 3 || (count < 12 && ratio() > maxRatio),
    note(small, large) {
      least.small = Math.min(least.small, small)
      least.large = Math.min(least.large, large)
      count++
    },
    expectLinear() {
      expect(ratio(), `${least.small} µs for ${size}, ${least.large} µs for ${4 * size}`).toBeLessThan(
        maxRatio,
      )
    },
  }
}

/** In microseconds. */
function costOf(work: (size: number) => unknown, size: number): number {
  const before = process.cpuUsage()
  work(size)
  return since(before)
}

async function costOfPromise(work: (size: number) => Promise<unknown>, size: number): Promise<number> {
  const before = process.cpuUsage()
  await work(size)
  return since(before)
}

function since(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before)
  return user + system
}
