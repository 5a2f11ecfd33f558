import type { ArmedFaults } from '../faults/faults.ts'
import { collections } from './collections.ts'
import { dkimKeyCollection } from '../domains/dkim-keys.ts'
import { LocalpostError } from '../core/errors.ts'
import { apiKeyCollection } from '../keys/key.ts'
import type { RestorableStore } from '../store/restore.ts'
import { sessionCollection } from '../users/user.ts'
import { trackingSecretCollection } from '../tracking/secret.ts'

/** The state of an instance at one moment. It is opaque, and only that instance can restore it. */
export interface Snapshot {
  /** When it was taken: Unix time in milliseconds of the instance's clock. */
  readonly taken: number
}

export interface Snapshots {
  /** @throws snapshot_not_possible if the data are in a folder; closed. */
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
  // Only while they are referenced.
  const undos = new WeakMap<Snapshot, () => Promise<void>>()
  return {
    async snapshot() {
      if (!store)
        throw new LocalpostError(
          'snapshot_not_possible',
          'A snapshot is taken of an instance in memory; this one has a data folder. Create it without `dir`, or copy the folder while nothing runs on it.',
        )
      await settle()
      const records = store.snapshot(kept)
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
      if (!undo)
        throw new LocalpostError(
          'snapshot_not_possible',
          'This is no snapshot of this instance. Give restore() what snapshot() of the same instance gave.',
        )
      await settle()
      await deps.prepare()
      await undo()
      await deps.reload()
    },
  }
}

// Keys, secrets and sessions stay, as they do in a reset: clients that have one keep using it.
const lasting: readonly { name: string }[] = [
  apiKeyCollection,
  dkimKeyCollection,
  trackingSecretCollection,
  sessionCollection,
]
const kept = collections.filter(({ name }) => !lasting.some((other) => other.name === name))
