import type { Pool } from 'pg'
import { LocalpostError } from '../../core/errors.ts'
import { monotonicNow, sleep } from '../../core/machine.ts'
import type { StoredCommit } from '../change-feed.ts'
import { Connection } from './connection.ts'
import { isRefusal } from './faults.ts'
import type { Renewal } from './lease.ts'
import type { Membership } from './membership.ts'

/** A batch that was stored. */
export interface Stored {
  /** null if their numbers are not known. */
  readonly commits: readonly StoredCommit[] | null
  /** The renewal that was stored with it; null if it is not known. */
  readonly renewal: Renewal | null
}

type AttemptDeps = { readonly pool: Pool; readonly schema: string; readonly membership: Membership }

/**
 * Sends a batch under a number of its own, by which the database tells whether it was stored if its answer is missing.
 *
 * @param send  Calls `onSent` before the statement that may store the batch, with the result to use if the answer is lost.
 * @throws The error of the database; nothing of the batch is stored then. store_unknown if that is not known.
 */
export async function attempt<T extends Stored | null>(
  deps: AttemptDeps,
  send: (batchNumber: number, onSent: (stored: Stored) => Stored) => Promise<T>,
): Promise<T | Stored> {
  const batchNumber = deps.membership.nextBatch()
  const sent: { stored: Stored | null } = { stored: null }
  try {
    return await send(batchNumber, (stored) => (sent.stored = stored))
  } catch (error) {
    const { stored } = sent
    if (!stored || isRefusal(error) || !(await wasStored(deps, batchNumber))) throw error
    return stored
  }
}

/** Whether a batch was stored whose answer is missing. @throws store_unknown if that is still unknown. */
async function wasStored({ pool, schema, membership }: AttemptDeps, batchNumber: number): Promise<boolean> {
  // The first attempt may get another connection that is half-open.
  const sql = new Connection(pool, schema, { timeoutMs: lookUpMs })
  const began = monotonicNow()
  while (monotonicNow() - began < lookUpsMs) {
    try {
      const isStored = await membership.settle(sql, batchNumber)
      if (isStored !== null) return isStored
    } catch {
      // The loop tries again.
    }
    await sleep(lookUpPauseMs)
  }
  throw new LocalpostError(
    'store_unknown',
    'The connection to the database was lost while a commit was stored, and it is not known whether it was stored: look for it before you try again.',
  )
}

/** The time limit of all look-ups together, so that the caller is answered within about fifteen seconds. */
const lookUpsMs = 5000
const lookUpMs = 3000
const lookUpPauseMs = 250
