import { createHash, randomBytes, randomInt } from 'node:crypto'

/** The source of random numbers: that of the system, or a sequence that a seed determines. */
export interface RandomSource {
  bytes(count: number): Buffer
  /** An integer from 0 up to, but not including, `below`, which is at most 2 ** 48. */
  integer(below: number): number
}

/**
 * Gives each purpose its own random sequence, so that the numbers of one do not depend on how many another has drawn.
 *
 * @param seed  The same seed gives the same sequences, and therefore secrets that can be guessed: only for tests. null:
 *   the system's random numbers.
 */
export function createRandomSources(seed: string | number | null): (purpose: string) => RandomSource {
  if (seed === null) return () => systemRandom
  return (purpose) => seededRandom(`${typeof seed}:${seed}:${purpose}`)
}

const systemRandom: RandomSource = {
  bytes: (count) => randomBytes(count),
  integer: (below) => randomInt(below),
}

// Blocks of a hash over a counter: repeatable, and as even as it has to be for an id.
function seededRandom(source: string): RandomSource {
  let block = 0
  let pool = Buffer.alloc(0)
  const bytes = (count: number): Buffer => {
    while (pool.length < count) {
      const next = createHash('sha256').update(`${source}:${block++}`).digest()
      pool = Buffer.concat([pool, next])
    }
    const taken = pool.subarray(0, count)
    pool = pool.subarray(count)
    return taken
  }
  return { bytes, integer: (below) => bytes(6).readUIntBE(0, 6) % below }
}
