import { randomUUID } from 'node:crypto'
import type { RandomSource } from '../core/random.ts'
import type { Following } from '../store/follow.ts'
import { untilCommitted } from '../store/repository.ts'
import { type Collection, put, remove, type Store, type StoredRecord, update } from '../store/store.ts'
import { arm, type ArmedSet, countFaults, fitsRequest, shownFaults, strike, type Struck } from './armed.ts'
import { readFaults, type ArmedFaults } from './faults.ts'

/** The faults as stored if instances share a store: one record, with the count that is left of each. */
interface FaultsRecord extends StoredRecord, ArmedSet {
  /** A new value each time that faults are set. */
  generation: string
}

/** One record, or none without faults. */
export const faultsCollection: Collection<FaultsRecord> = { name: 'faults', indexes: {} }

/**
 * The faults of all instances that share a store. The instances share the counts, so that a fault for the next three
 * requests applies to three in total. The faults last until they are removed. Requests that no counted fault matches
 * cost no access to the store.
 */
export async function openSharedFaults({
  store,
  following,
  random,
  surfaces,
}: {
  store: Store
  following: Following
  random: RandomSource
  /** As those of {@link readFaults}. */
  surfaces: readonly string[]
}): Promise<ArmedFaults> {
  let known: FaultsRecord | null = null

  function take(record: FaultsRecord): void {
    // A read may have begun before a change of this instance.
    if (known?.generation === record.generation && known.version >= record.version) return
    known = record
  }

  await following.open(store, faultsCollection, {
    ids: () => (known ? [known.id] : []),
    put: take,
    remove: () => (known = null),
  })

  /** @param choose  Counts in the faults that it is given. */
  function findFault<T>(choose: (armed: ArmedSet) => Struck<T>): T | null | Promise<T | null> {
    if (!known) return null
    // First on a copy: only a fault that is counted needs the store.
    const { fault, hasChanged } = choose(structuredClone(known))
    if (!hasChanged) return fault
    return untilCommitted(async () => {
      const stored = await store.get(faultsCollection, recordId)
      if (!stored) return null
      const struck = choose(stored)
      if (!struck.hasChanged) return struck.fault
      await store.commit([update(faultsCollection, stored)])
      take({ ...stored, version: stored.version + 1 })
      return struck.fault
    })
  }

  return {
    state: () => known && shownFaults(known),
    get: async () => known && shownFaults(known),
    async set(input) {
      const faults = readFaults(input, surfaces)
      const armed = arm(faults, faults.seed ?? random.integer(2 ** 32))
      const record = { ...armed, id: recordId, generation: randomUUID() }
      await store.commit([put(faultsCollection, record)])
      take({ ...record, version: 1 })
      return shownFaults(armed)
    },
    async clear() {
      const count = known ? countFaults(known) : 0
      await store.commit([remove(faultsCollection, recordId)])
      known = null
      return count
    },
    http: (method, path) => findFault(({ http }) => strike(http, fitsRequest(method, path))),
    smtp: (stage) => findFault(({ smtp }) => strike(smtp, (fault) => fault.stage === stage)),
    rateLimit: () => known && known.rate_limit && { ...known.rate_limit, generation: known.generation },
    // A shared store takes no snapshots.
    hold: () => () => {},
  }
}

const recordId = 'faults'
