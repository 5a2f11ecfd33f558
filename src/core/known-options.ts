import { LocalpostError, quote } from './errors.ts'
import { suggest } from './suggest.ts'

/**
 * Refuses an unknown option: a typo such as `keeep` must not be ignored.
 *
 * @param given  The given options, of any type; undefined if there are none.
 * @param of  Whose options they are, as in `reset()`.
 * @throws invalid_option with the nearest real name, or for what is no object.
 */
export function assertKnownOptions(given: unknown, names: readonly string[], of: string): void {
  if (given === undefined) return
  if (!isOptions(given)) {
    const wanted = `The options of ${of} are an object with some of ${names.join(', ')}`
    throw new LocalpostError('invalid_option', `${wanted}, not ${quote(given)}.`)
  }
  for (const name of Object.keys(given)) {
    if (names.includes(name)) continue
    const near = suggest(name, names)
    const hint = near ? `Did you mean "${near}"?` : `Known: ${names.join(', ')}.`
    throw new LocalpostError('invalid_option', `Unknown option ${quote(name)} of ${of}. ${hint}`)
  }
}

/** Not an array, a RegExp or a Map. By the tag, since objects of Jest's tests have another prototype than ours. */
function isOptions(given: unknown): given is object {
  return Object.prototype.toString.call(given) === '[object Object]'
}

/**
 * Refuses an argument of `inbox.removeAll()`: from JavaScript, a query would remove all mail instead of its matches.
 *
 * @throws invalid_option
 */
export function assertRemovesAll(given: readonly unknown[]): void {
  if (given.length === 0) return
  const message = `inbox.removeAll() takes no arguments, not ${quote(given[0])}. inbox.removeMatching(query) removes the matches of a query.`
  throw new LocalpostError('invalid_option', message)
}

/**
 * Refuses a value that is no time to wait.
 *
 * @throws invalid_option
 */
export function assertWaitMs(name: string, ms: unknown): void {
  if (typeof ms === 'number' && ms >= 0) return
  throw new LocalpostError('invalid_option', `Option "${name}" takes milliseconds from 0, not ${quote(ms)}.`)
}

/**
 * Refuses a value that is no port: Node would use a text as the path of a socket.
 *
 * @throws invalid_option
 */
export function assertPort(name: string, port: unknown): void {
  if (port === undefined || (Number.isInteger(port) && Number(port) >= 0 && Number(port) < 65_536)) return
  throw new LocalpostError(
    'invalid_option',
    `Option "${name}" is ${quote(port)}; it takes a port from 0 to 65535.`,
  )
}
