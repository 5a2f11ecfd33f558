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

/**
 * Refuses arguments that a function does not take, because ignoring them would hide a mistake.
 *
 * @param given  All arguments of the call.
 * @param most  How many the function takes.
 * @param of  Its name, as in `reset()`.
 * @param hint  A sentence that says what to call instead.
 * @throws invalid_option
 */
export function assertArguments(given: ArrayLike<unknown>, most: number, of: string, hint = ''): void {
  const problem = given.length > most ? extraArgument(given, most, of) : null
  if (problem !== null) throw new LocalpostError('invalid_option', `${problem} ${hint}`.trimEnd())
}

/** A sentence about the first surplus argument; null if there is none. */
export function extraArgument(given: ArrayLike<unknown>, most: number, of: string): string | null {
  const all = Array.from(given)
  const extra = all.slice(most).find((one) => one !== undefined)
  // `ids.map(post.inbox.get)` passes the index and the array too.
  if (extra === undefined || isCallOfArray(all)) return null
  const takes = most === 0 ? 'no arguments' : `at most ${most} argument${most === 1 ? '' : 's'}`
  const waits = isOptions(extra) && 'timeoutMs' in extra ? ' It does not wait.' : ''
  return `${of} takes ${takes}, not ${quote(extra)}.${waits}`
}

function isCallOfArray(given: readonly unknown[]): boolean {
  const [item, index, array] = given
  return given.length === 3 && Array.isArray(array) && typeof index === 'number' && array[index] === item
}

/** Not an array, a RegExp or a Map. By the tag, since objects of Jest's tests have another prototype than ours. */
function isOptions(given: unknown): given is object {
  return Object.prototype.toString.call(given) === '[object Object]'
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
