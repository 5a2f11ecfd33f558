import type { Rule } from './types.ts'

/** Counts the attempts of deliveries that are refused at first. */
export interface Attempts {
  /**
   * Whether this attempt comes after so many; it is forgotten then. A promise where instances count together.
   *
   * @param rule  Each counts for itself; null is the simulator.
   */
  areOver(rule: Rule | null, delivery: string, times: number): boolean | Promise<boolean>
}

/** Counts in memory: a restart, or other rules, forget the attempts. */
export function createAttempts(): Attempts {
  const ofSimulator = new Map<string, number>()
  const byRule = new WeakMap<Rule, Map<string, number>>()

  function madeFor(rule: Rule | null): Map<string, number> {
    if (!rule) return ofSimulator
    const made = byRule.get(rule) ?? new Map<string, number>()
    byRule.set(rule, made)
    return made
  }

  return {
    areOver(rule, delivery, times) {
      const made = madeFor(rule)
      const before = made.get(delivery) ?? 0
      made.delete(delivery)
      if (before >= times) return true
      // Deliveries that were given up are never asked for again: the oldest make room.
      const [oldest] = made.keys()
      if (made.size >= maxDeliveries && oldest !== undefined) made.delete(oldest)
      made.set(delivery, before + 1)
      return false
    },
  }
}

/** How many deliveries are remembered. */
export const maxDeliveries = 10_000
