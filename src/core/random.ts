import { createHash, randomBytes, randomInt } from 'node:crypto'

/** Where chance comes from: the system's, or a sequence that a seed decides. */
export interface RandomSource {
  bytes(count: number): Buffer
  /** A whole number from 0 up to but not `below`, which is at most 2 ** 48. */
  integer(below: number): number
}

/**
 * Gives each purpose a chance of its own, so that what one draws changes nothing for another.
 *
 * @param seed  The same seed gives the same sequences, and so guessable secrets: for tests alone. null: the system's
 *   chance.
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
