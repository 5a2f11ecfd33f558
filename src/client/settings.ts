import { withoutEnding } from '../core/text.ts'
import { invalidOption } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import { assertKnownOptions } from '../core/known-options.ts'

/** Where a client calls, and as whom. */
export interface ClientOptions {
  /** `https://api.example.com`, or the `url` of a Localpost; `/v1/…` follows. */
  url: string
  /** Sent as Bearer token. */
  apiKey: string
  /** How requests are made; `post.fetch` calls an instance in process. Default: the global `fetch`. */
  fetch?: (request: Request) => Promise<Response>
  /** How long an answer may take, in milliseconds. Default: 30,000; Infinity: no limit. */
  timeoutMs?: number
}

/** The same, without a key where none is sent. */
export interface CallSettings extends Omit<ClientOptions, 'apiKey'> {
  apiKey: string | null
}

/**
 * The options of a client, checked, with their defaults; the base URL has no trailing slash.
 *
 * @throws invalid_option for an unknown name (with the nearest real one) or a wrong value. Neither the key nor a
 *   password in the URL is quoted.
 */
export function checkClientOptions(
  options: CallSettings,
  { needsKey }: { needsKey: boolean },
): Required<CallSettings> {
  if (options === undefined) throw invalidOption('The options of a client are an object with url and apiKey.')
  assertKnownOptions(options, ['url', 'apiKey', 'fetch', 'timeoutMs'], 'a client')
  const { url, apiKey, fetch = callerGlobals.fetch ?? ownFetch, timeoutMs = 30_000 } = options
  if (typeof fetch !== 'function') throw invalidOption(`fetch must be a function, not ${quote(fetch)}.`)
  return {
    url: readBaseUrl(url),
    apiKey: apiKey === null && !needsKey ? null : readApiKey(apiKey),
    fetch,
    timeoutMs: limitOf(timeoutMs),
  }
}

// The build replaces `globalThis.fetch` by Node's own, so the globals of the caller are read through this variable: a
// test may have replaced them, and Jest's DOM has none. Then Node's own is used.
const callerGlobals: Partial<Pick<typeof globalThis, 'fetch' | 'Request'>> = globalThis
const ownFetch = typeof fetch === 'undefined' ? undefined : fetch

/** The class that belongs to the `fetch` of the caller. */
export const requestClass = (): typeof Request => callerGlobals.Request ?? Request

/** The longest that a timer can wait; a longer one ends at once. */
export const longestMs: number = 2 ** 31 - 1

function readBaseUrl(value: unknown): string {
  const rule = 'url must be an http(s) URL such as http://127.0.0.1:8025'
  if (typeof value === 'string' && value.includes('@'))
    throw invalidOption(`${rule}, without user and password: the key is given as apiKey.`)
  if (typeof value !== 'string' || !/^https?:\/\//i.test(value) || !URL.canParse(value))
    throw invalidOption(`${rule}, not ${quote(value)}.`)
  if (/[?#]/.test(value)) throw invalidOption(`${rule}, without query and fragment, not ${quote(value)}.`)
  const base = withoutEnding(new URL(value).href, '/')
  if (base.endsWith('/v1'))
    throw invalidOption(`${rule}, without the /v1 that follows it, not ${quote(value)}.`)
  return base
}

function readApiKey(value: unknown): string {
  const key = typeof value === 'string' ? value.trim() : ''
  if (/^[\x21-\x7e]+$/.test(key)) return key
  const is = typeof value === 'string' ? (key === '' ? 'empty' : 'another text') : typeof value
  throw invalidOption(`apiKey must be a key of visible ASCII characters without spaces; it is ${is}.`)
}

function limitOf(value: unknown): number {
  if (value === Infinity) return value
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= longestMs) return value
  throw invalidOption(
    `timeoutMs must be a whole number of milliseconds from 1 to ${longestMs}, or Infinity for no limit, not ${quote(value)}.`,
  )
}
