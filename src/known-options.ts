import { LocalpostError, quote } from './errors.ts'
import { nearest } from './nearest.ts'

/**
 * Refuses an option that nobody reads: a slip such as `keeep` must not do what leaving it out does.
 *
 * @param of  Whose options they are, as in `reset()`.
 * @throws invalid_option with the nearest real name.
 */
export function assertKnownOptions(given: object, names: readonly string[], of: string): void {
  for (const name of Object.keys(given)) {
    if (names.includes(name)) continue
    const near = nearest(name, names)
    const hint = near ? `Did you mean "${near}"?` : `Known: ${names.join(', ')}.`
    throw new LocalpostError('invalid_option', `Unknown option "${name}" of ${of}. ${hint}`)
  }
}

/**
 * Refuses a time to wait that is none.
 *
 * @throws invalid_option
 */
export function assertWaitMs(name: string, ms: unknown): void {
  if (typeof ms === 'number' && ms >= 0) return
  throw new LocalpostError('invalid_option', `Option "${name}" takes milliseconds from 0, not ${quote(ms)}.`)
}
