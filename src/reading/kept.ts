import { deserialize, serialize } from 'node:v8'
import { createKept } from '../core/kept.ts'

/** The latest readings of large messages, shared by the readers of all accounts to limit the memory of all together. */
export interface KeptReadings {
  /** The readings of one reader, which no other one sees. */
  forReader(): OwnReadings
}

export interface OwnReadings {
  /**
   * Reads, or gives a copy of what was read before.
   *
   * @param key  Stands for one kind of reading of bytes that never change.
   * @param read  null is not kept.
   * @param leastBytes  How long a reading is at least, known at a glance: one that is too long is not copied. Infinite for a
   *   reading that must not be kept. Default: 0.
   */
  take<T>(key: string, read: () => Promise<T | null>, leastBytes?: (reading: T) => number): Promise<T | null>
}

/** @param limit  How many bytes are kept. A reading of more than half of them is not kept. */
export function createKeptReadings(limit: number = 8 * 1024 * 1024): KeptReadings {
  const mostOfOne = limit / 2
  // Serialized, so that their size is known, and that no caller can change what another one gets.
  const kept = createKept<Buffer>(limit, ({ length }) => length, mostOfOne)
  let readers = 0

  return {
    forReader() {
      const reader = ++readers
      return {
        async take<T>(
          key: string,
          read: () => Promise<T | null>,
          leastBytes: (reading: T) => number = () => 0,
        ) {
          const own = `${reader} ${key}`
          const known = kept.get(own)
          if (known) return deserialize(known) as T
          const found = await read()
          if (found !== null && leastBytes(found) <= mostOfOne) kept.put(own, serialize(found))
          return found
        },
      }
    },
  }
}
