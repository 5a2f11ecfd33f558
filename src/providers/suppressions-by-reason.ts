import { nullOn } from '../core/errors.ts'
import type { Suppressions } from '../sending/suppressions.ts'
import type { Suppression } from '../sending/types.ts'
import { allOf } from './all-of.ts'

/** The entries of a suppression list that are there for one reason: a list of its own in the APIs of some providers. */
export interface SuppressionsByReason {
  /** By address. */
  all(): AsyncIterable<Suppression>
  /** The entry of an address; null if it is not there for this reason. */
  find(address: string): Promise<Suppression | null>
  /** Also takes an address that is there no more. */
  remove(address: string): Promise<void>
}

export function suppressionsByReason(
  suppressions: Suppressions,
  reason: Suppression['reason'],
): SuppressionsByReason {
  return {
    async *all() {
      for await (const one of allOf(suppressions.list)) if (one.reason === reason) yield one
    },
    async find(address) {
      const found = await nullOn('not_found', suppressions.get(address))
      return found?.reason === reason ? found : null
    },
    async remove(address) {
      await nullOn('not_found', suppressions.remove(address))
    },
  }
}
