import { LocalpostError, quote } from '../errors.ts'
import { nearest } from '../nearest.ts'
import type { ClientOptions } from './index.ts'

/**
 * The options of a client, checked, with their defaults; the base URL is without slash at its end.
 *
 * @throws invalid_option for an unknown name (with the nearest real one) or a wrong value. Neither the key nor a
 *   password in the URL is quoted.
 */
export function checkClientOptions(options: ClientOptions): Required<ClientOptions> {
  const given: unknown = options
  if (typeof given !== 'object' || given === null) {
    throw invalid(`The options of a client must be an object with baseUrl and apiKey, not ${quote(given)}.`)
  }
  for (const name of Object.keys(given)) {
    if (names.includes(name)) continue
    const near = nearest(name.slice(0, 40), names)
    const hint = near ? `Did you mean "${near}"?` : `There are ${names.join(', ')}.`
    throw invalid(`Unknown option ${quote(name)} of a client. ${hint}`)
  }
  const { baseUrl, apiKey, fetch = globalThis.fetch, timeoutMs = 30_000 } = options
  if (typeof fetch !== 'function') throw invalid(`fetch must be a function, not ${quote(fetch)}.`)
  return { baseUrl: baseOf(baseUrl), apiKey: keyOf(apiKey), fetch, timeoutMs: limitOf(timeoutMs) }
}

const names = ['baseUrl', 'apiKey', 'fetch', 'timeoutMs']

// The longest that a timer can wait; a longer one ends at once.
const longestMs = 2 ** 31 - 1

function baseOf(value: unknown): string {
  const rule = 'baseUrl must be an http(s) URL such as http://127.0.0.1:8025'
  if (typeof value === 'string' && value.includes('@')) {
    throw invalid(`${rule}, without user and password: the key is given as apiKey.`)
  }
  if (typeof value !== 'string' || !/^https?:\/\//i.test(value) || !URL.canParse(value)) {
    throw invalid(`${rule}, not ${quote(value)}.`)
  }
  if (/[?#]/.test(value)) throw invalid(`${rule}, without query and fragment, not ${quote(value)}.`)
  return new URL(value).href.replace(/\/+$/, '')
}

function keyOf(value: unknown): string {
  const key = typeof value === 'string' ? value.trim() : ''
  if (/^[\x21-\x7e]+$/.test(key)) return key
  const is = typeof value === 'string' ? (key === '' ? 'empty' : 'another text') : typeof value
  throw invalid(`apiKey must be a key of visible ASCII characters without spaces; it is ${is}.`)
}

function limitOf(value: unknown): number {
  if (value === Infinity) return value
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= longestMs) return value
  throw invalid(
    `timeoutMs must be a whole number of milliseconds from 1 to ${longestMs}, or Infinity for no limit, not ${quote(value)}.`,
  )
}

function invalid(message: string): LocalpostError {
  return new LocalpostError('invalid_option', message)
}
