import { nullOn, validationError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import { normalizeAddress } from '../mime/headers/addresses.ts'
import type { Suppressions } from '../sending/suppressions.ts'
import type { Suppression } from '../sending/types.ts'
import { allOf } from './all-of.ts'

/** The entries of a suppression list that are there for one reason: a list of its own in the APIs of some providers. */
export interface SuppressionsByReason {
  /** By address. */
  all(): AsyncIterable<Suppression>
  /** The entry of an address; null if it is not there for this reason. */
  find(address: string): Promise<Suppression | null>
  /** Removes the entry of an address, whatever its reason. Does nothing if there is none. */
  remove(address: string): Promise<void>
}

/** Makes the list of the entries that are there for one reason. */
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

/** Checks all addresses of a list before one of them is stored. @param fieldOf  Names one. @throws validation_error */
export function assertAddresses(given: readonly string[], fieldOf: (i: number) => string): void {
  const errors = given.flatMap((address, i) => {
    const checked = normalizeAddress(address)
    if (!('problem' in checked)) return []
    return { field: fieldOf(i), message: `${quote(address)} ${checked.problem}` }
  })
  if (errors.length > 0) throw validationError(errors)
}
