import { deserialize, serialize } from 'node:v8'
import { createRecentValues } from '../core/recent-values.ts'

/** The latest readings of large messages, shared by the readers of all accounts to limit the memory of all together. */
export interface KeptReadings {
  /** @returns The function of one reader, which finds no readings of other readers. */
  forReader(): ReadOrKept
}

/**
 * Reads, or gives a copy of what was read before.
 *
 * @param key  Stands for one kind of reading of bytes that never change.
 * @param read  null is not kept.
 * @param mayKeep  False for a reading that must not be kept, or that is clearly too long to be copied. Default: true.
 */
export type ReadOrKept = <T>(
  key: string,
  read: () => Promise<T | null>,
  mayKeep?: (reading: T) => boolean,
) => Promise<T | null>

/** The longest reading that is kept, in bytes. */
export const longestKept: number = 4 * 1024 * 1024

/** @param limit  How many bytes are kept. A reading of more than half of them is not kept. */
export function createKeptReadings(limit: number = 2 * longestKept): KeptReadings {
  // Serialized, so that their size is known, and that no caller can change what another one gets.
  const kept = createRecentValues<Buffer>(limit, ({ length }) => length, limit / 2)
  let readers = 0
  return {
    forReader() {
      const reader = ++readers
      return async <T>(key: string, read: () => Promise<T | null>, mayKeep?: (reading: T) => boolean) => {
        const existing = kept.get(`${reader} ${key}`)
        if (existing) return deserialize(existing) as T
        const reading = await read()
        if (reading !== null && (mayKeep?.(reading) ?? true)) kept.put(`${reader} ${key}`, serialize(reading))
        return reading
      }
    },
  }
}
