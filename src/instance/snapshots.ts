import type { ArmedFaults } from '../faults/faults.ts'
import { scopeCollections } from './collections.ts'
import { LocalpostError } from '../core/errors.ts'
import type { RestorableStore } from '../store/restore.ts'

/** The state of an instance at one moment. It is opaque, and only that instance can restore it. */
export interface Snapshot {
  /** When it was taken: Unix time in milliseconds of the instance's clock. */
  readonly taken: number
}

export interface Snapshots {
  /** @throws snapshot_not_possible if the data is in a folder; closed. */
  snapshot(): Promise<Snapshot>
  /** @throws snapshot_not_possible for a snapshot of another instance; closed. */
  restore(snapshot: Snapshot): Promise<void>
}

/**
 * @param deps.prepare  Stops what would change restored records later.
 * @param deps.reload  Makes everything that keeps records in memory read them again.
 */
export function createSnapshots(deps: {
  store: RestorableStore | null
  faults: Pick<ArmedFaults, 'hold'>
  now(): number
  settle(): Promise<void>
  prepare(): Promise<void>
  reload(): Promise<void>
}): Snapshots {
  const { store, faults, settle } = deps
  /** How each snapshot is restored; dropped with the snapshot. */
  const undos = new WeakMap<Snapshot, () => Promise<void>>()
  return {
    async snapshot() {
      if (!store) throw new LocalpostError('snapshot_not_possible', notInMemory)
      await settle()
      const records = store.snapshot(inSnapshot)
      const putFaultsBack = faults.hold()
      const snapshot: Snapshot = Object.freeze({ taken: deps.now() })
      undos.set(snapshot, async () => {
        await store.restore(records)
        putFaultsBack()
      })
      return snapshot
    },
    async restore(snapshot) {
      const undo = undos.get(snapshot)
      if (!undo) throw new LocalpostError('snapshot_not_possible', notOurs)
      await settle()
      await deps.prepare()
      await undo()
      await deps.reload()
    },
  }
}

// As in a reset, keys, secrets, sessions and the other accounts stay: clients that have a key or a session keep using it.
const inSnapshot = Object.values(scopeCollections).flat()

const notInMemory =
  'A snapshot is taken of an instance in memory; this one has a data folder. Create it without `dir`, or copy the folder while nothing runs on it.'
const notOurs =
  'This is no snapshot of this instance. Give restore() what snapshot() of the same instance gave.'
