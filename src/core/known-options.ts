import { invalidOption } from './errors.ts'
import { quote } from './quote.ts'
import { suggest } from './suggest.ts'

/**
 * Refuses an unknown option: a typo such as `keeep` must not be ignored.
 *
 * @param given  The given options, of any type; undefined if there are none.
 * @param owner  Whose options they are, as in `reset()`.
 * @throws invalid_option with the nearest real name, or for what is no object.
 */
export function assertKnownOptions(given: unknown, names: readonly string[], owner: string): void {
  if (given === undefined) return
  // Not an array, a RegExp or a Map. By the tag, since objects of Jest's tests have another prototype than ours.
  if (Object.prototype.toString.call(given) !== '[object Object]') {
    const wanted = `an object with some of ${names.join(', ')}`
    throw invalidOption(`The options of ${owner} are ${wanted}, not ${quote(given)}.`)
  }
  for (const name of Object.keys(Object(given))) {
    if (names.includes(name)) continue
    const near = suggest(name, names)
    const hint = near ? `Did you mean "${near}"?` : `Known: ${names.join(', ')}.`
    throw invalidOption(`Unknown option ${quote(name)} of ${owner}. ${hint}`)
  }
}

/** Refuses a value that is no time to wait. @throws invalid_option */
export function assertWaitMs(name: string, ms: unknown): void {
  if (typeof ms === 'number' && ms >= 0) return
  throw invalidOption(`Option "${name}" takes milliseconds from 0, not ${quote(ms)}.`)
}

/** Refuses a value that is no port: Node would use a text as the path of a socket. @throws invalid_option */
export function assertPort(name: string, port: unknown): void {
  if (port === undefined || (Number.isInteger(port) && Number(port) >= 0 && Number(port) < 65_536)) return
  throw invalidOption(`Option "${name}" is ${quote(port)}; it takes a port from 0 to 65535.`)
}
