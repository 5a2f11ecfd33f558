import { quote, validationError } from '../core/errors.ts'
import { normalizeAddress } from '../mime/headers/addresses.ts'

/** Checks all addresses of a list before one of them is stored. @param fieldOf  Names one. @throws validation_error */
export function assertAddresses(given: readonly string[], fieldOf: (i: number) => string): void {
  const errors = given.flatMap((address, i) => {
    const checked = normalizeAddress(address)
    if (!('problem' in checked)) return []
    return { field: fieldOf(i), message: `${quote(address)} ${checked.problem}` }
  })
  if (errors.length > 0) throw validationError(errors)
}
