import type { CollectionState } from './collection-state.ts'
import { type BlobPlace, type Places, samePlace } from './entry.ts'
import { storeFault } from './io-errors.ts'
import { type BlobId, splitBlobId } from './names.ts'
import { readResting } from './read-records.ts'
import type { Records } from './records.ts'

/** Finds the blobs of a partition. */
export class BlobPlaces {
  readonly #records: Records
  readonly #partition: string

  constructor(records: Records, partition: string) {
    this.#records = records
    this.#partition = partition
  }

  /** The places of the blobs of a record; null if it has none. */
  async ofRecord(state: CollectionState, id: string): Promise<Places | null> {
    if (state.rests(id)) return (await readResting(this.#records, state, id))?.blobs ?? null
    return state.byId.get(id)?.blobs ?? null
  }

  async of(id: BlobId): Promise<BlobPlace | null> {
    const { owner, name } = splitBlobId(id)
    for (const state of this.#records.collections.statesOf(this.#partition)) {
      const blobs = await this.ofRecord(state, owner)
      if (blobs && Object.hasOwn(blobs, name)) return blobs[name] ?? null
    }
    return null
  }

  /** Reads a blob at its place. It may move before its file is open, so a failed read tries the new place. */
  async read<T>(id: BlobId, read: (place: BlobPlace) => Promise<T>): Promise<T | null> {
    for (let place = await this.of(id); place !== null;) {
      try {
        return await read(place)
      } catch (error) {
        const now = await this.of(id)
        if (now && samePlace(now, place)) throw storeFault(error, `Reading the blob ${id}`)
        place = now
      }
    }
    return null
  }
}
