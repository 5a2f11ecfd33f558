import { quote, validationError } from '../core/errors.ts'
import { parseInput } from '../core/validate.ts'
import { faultsInputSchema } from './schema.ts'
import type { FaultsInput } from './types.ts'

/**
 * Reads the faults to set.
 *
 * @param surfaces  The first segments of the paths that have faults besides `v1`: the names of providers.
 * @throws validation_error with one entry per wrong member, also for a path that no fault applies to.
 */
export function readFaults(input: unknown, surfaces: readonly string[]): FaultsInput {
  const faults = parseInput(faultsInputSchema, input)
  const known = ['v1', ...surfaces]
  const errors = (faults.http ?? []).flatMap(({ path }, i) => {
    const [, first = ''] = /^\/([^/*]*)/.exec(path) ?? []
    if (path.startsWith('*') || known.includes(first)) return []
    const places = known.map((name) => `/${name}`).join(', ')
    const message = `must be a path of ${places}, with * for any characters, not ${quote(path)}: faults apply only there`
    return { field: `http[${i}].path`, message }
  })
  if (errors.length > 0) throw validationError(errors)
  return faults
}
