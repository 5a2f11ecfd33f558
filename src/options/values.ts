import { createSecureContext } from 'node:tls'
import type { Clock } from '../core/clock.ts'
import { assertKnownOptions } from '../core/known-options.ts'
import { isRecord } from '../core/members.ts'
import { hostOfUrl, isLoopback } from '../net/hosts.ts'

/** A text that is not empty. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

/** A whole number within bounds; by default from 0. */
export function isInteger(
  value: unknown,
  { min = 0, max = Number.MAX_SAFE_INTEGER }: { min?: number; max?: number } = {},
): boolean {
  return Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max
}

/** An http or https URL. */
export function isHttpUrl(value: unknown): value is string {
  return isText(value) && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)
}

/** An http or https URL with an optional password, which must decode, because it is sent decoded. */
export function isHttpUrlWithPassword(value: unknown): boolean {
  return isHttpUrl(value) && decodes(new URL(value).password)
}

/** The page of a trace, with a place for the id of the trace. */
export function isTraceUrl(value: unknown): boolean {
  return isHttpUrl(value) && /\{trace_id\}/.test(value) && !/^[^/]*\/\/[^/]*@/.test(value)
}

/** The URL of an OpenID provider. Tokens and the client's secret go there, so only loopback may do without TLS. */
export function isIssuer(value: unknown): boolean {
  if (!isHttpUrl(value) || /[?#\s]/.test(value)) return false
  const url = new URL(value)
  const { protocol, username, password } = url
  if (username !== '' || password !== '') return false
  return protocol === 'https:' || isLoopback(hostOfUrl(url))
}

/** The URL of a mail server: smtp or smtps. User and password must decode, because they are sent decoded. */
export function isRelay(value: unknown): boolean {
  if (!isText(value) || !URL.canParse(value)) return false
  const { protocol, hostname, username, password } = new URL(value)
  return /^smtps?:$/.test(protocol) && hostname !== '' && decodes(username) && decodes(password)
}

function decodes(part: string): boolean {
  try {
    decodeURIComponent(part)
    return true
  } catch {
    return false
  }
}

/** A private key and its certificate. @param path  The option. @throws invalid_option for unknown members. */
export function isCertificate(value: unknown, path: string): boolean {
  if (!isRecord(value)) return false
  const { key, cert } = value
  if (typeof key !== 'string' || typeof cert !== 'string') return false
  assertKnownOptions(value, ['key', 'cert'], path)
  try {
    createSecureContext({ key, cert })
    return true
  } catch {
    return false
  }
}

/** A number of requests per period. @param path  The option. @throws invalid_option for unknown members. */
export function isRateLimit(value: unknown, path: string): boolean {
  if (!isRecord(value)) return false
  assertKnownOptions(value, ['requests', 'perMs'], path)
  const { requests, perMs } = value
  return isInteger(requests) && typeof perMs === 'number' && Number.isFinite(perMs) && perMs > 0
}

/** A clock of Localpost, or one that a test wrote. */
export function isClock(value: unknown): value is Clock {
  return isRecord(value) && typeof value['now'] === 'function' && typeof value['after'] === 'function'
}
