import type { Rule } from './types.ts'

/** Counts the attempts of deliveries whose first attempts are refused. */
export interface Attempts {
  /**
   * Whether there were `times` attempts before this one. If so, the delivery is forgotten. A promise if instances share
   * the counts.
   *
   * @param rule  Each rule counts separately; null is the simulator.
   */
  areOver(rule: Rule | null, delivery: string, times: number): boolean | Promise<boolean>
}

/** Counts in memory: a restart, or setting other rules, forgets the attempts. */
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
      // Deliveries that were given up would stay forever, so the oldest are removed.
      const [oldest] = made.keys()
      if (made.size >= maxDeliveries && oldest !== undefined) made.delete(oldest)
      made.set(delivery, before + 1)
      return false
    },
  }
}

/** How many deliveries are remembered. */
export const maxDeliveries = 10_000
