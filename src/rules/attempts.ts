import { hash } from 'node:crypto'
import type { Clock } from '../core/clock.ts'
import { untilCommitted } from '../store/repository.ts'
import { type Collection, insert, remove, type Store, type StoredRecord, update } from '../store/store.ts'
import type { Rule } from './types.ts'

/**
 * Counts an attempt of a delivery whose first attempts are refused, and says whether these are over.
 *
 * @param rule  Each rule counts separately; null is the simulator.
 * @returns Whether there were `times` attempts before this one. If so, the delivery is forgotten. A promise if instances
 *   share the counts.
 */
export type CountAttempt = (rule: Rule | null, delivery: string, times: number) => boolean | Promise<boolean>

/** Counts in memory: a restart, or setting other rules, forgets the attempts. */
export function createAttempts(): CountAttempt {
  const simulator = {}
  /** How many attempts were made, by delivery, for each rule. */
  const byRule = new WeakMap<object, Map<string, number>>()

  return (rule, delivery, times) => {
    const made = byRule.get(rule ?? simulator) ?? new Map<string, number>()
    byRule.set(rule ?? simulator, made)
    const before = made.get(delivery) ?? 0
    made.delete(delivery)
    if (before >= times) return true
    // Deliveries that were given up would stay forever, so the oldest are removed.
    const [oldest] = made.keys()
    if (made.size >= maxDeliveries && oldest !== undefined) made.delete(oldest)
    made.set(delivery, before + 1)
    return false
  }
}

/** How many deliveries are remembered. */
const maxDeliveries = 10_000

/** How often a delivery was attempted, as it is stored where instances share a store. */
interface AttemptRecord extends StoredRecord {
  made: number
  /** When the first attempt was made: Unix time in milliseconds. */
  created: number
}

export const attemptCollection: Collection<AttemptRecord> = {
  name: 'attempts',
  indexes: { created: { on: ['created'] } },
}

/**
 * Counts in the store, because the next attempt may reach another instance. Setting other rules forgets the attempts;
 * see {@link forgetAttempts}.
 */
export function createSharedAttempts(store: Store, clock: Pick<Clock, 'now'>): CountAttempt {
  return (rule, delivery, times) =>
    untilCommitted(async () => {
      const id = idOf(rule, delivery)
      const before = await store.get(attemptCollection, id)
      if (before && before.made >= times) {
        await store.commit([remove(attemptCollection, id, before.version)])
        return true
      }
      if (before) await store.commit([update(attemptCollection, { ...before, made: before.made + 1 })])
      else {
        const gone = await oldest(store)
        await store.commit([
          ...gone.map((one) => remove(attemptCollection, one)),
          insert(attemptCollection, { id, made: 1, created: clock.now() }),
        ])
      }
      return false
    })
}

/** Forgets all attempts. */
export async function forgetAttempts(store: Store): Promise<void> {
  await store.bulk(attemptCollection, await store.ids(attemptCollection), 'remove')
}

/** The attempts to remove: deliveries that were given up would stay forever. */
async function oldest(store: Store): Promise<string[]> {
  const over = (await store.count(attemptCollection)) - maxDeliveries + 1
  return over > 0 ? await store.ids(attemptCollection, { index: 'created', limit: Math.min(over, 100) }) : []
}

/**
 * A digest, so that the length does not depend on the addresses that a client gives. Rules of the same `match` share their
 * counts here, because instances read their rules as objects of their own; in memory each object counts separately.
 */
function idOf(rule: Rule | null, delivery: string): string {
  return hash('sha256', JSON.stringify([rule?.match ?? null, delivery]))
}
