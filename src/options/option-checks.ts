import { createSecureContext } from 'node:tls'
import type { Account } from '../domains/types.ts'
import { LocalpostError, quote } from '../core/errors.ts'
import { assertKnownOptions } from '../core/known-options.ts'
import { parseAllowed } from '../net/allowed.ts'
import { suggest } from '../core/suggest.ts'
import type { LocalpostOptions } from './options.ts'

/**
 * Refuses options that cannot be meant.
 *
 * @throws invalid_option for an unknown name (with the nearest real one) or a value of the wrong kind.
 */
export function checkOptions(options: LocalpostOptions): void {
  if (!isObject(options)) {
    const message = `The options of an instance are an object such as { strict: true }, not ${quote(options)}.`
    throw new LocalpostError('invalid_option', message)
  }
  assertKnown(options, optionChecks, '')
  assertKnown(options.attachments ?? {}, attachmentChecks, 'attachments.')
  assertKnown(options.dns ?? {}, dnsChecks, 'dns.')
  assertKnown(options.account ?? {}, accountChecks, 'account.')
  assertKnownOptions(options.rateLimit, ['requests', 'perMs'], 'rateLimit')
  if (isObject(options.smtpTls)) assertKnownOptions(options.smtpTls, ['key', 'cert'], 'smtpTls')
  if (options.relayAll && !options.relay) {
    throw new LocalpostError(
      'invalid_option',
      'relayAll needs a relay: give `relay: "smtp://host:port"` too.',
    )
  }
}

/** Whether a value is right, and what would be. */
type Check = readonly [test: (value: unknown) => boolean, wanted: string]

const isString = (value: unknown): boolean => typeof value === 'string' && value !== ''
const isBoolean = (value: unknown): boolean => typeof value === 'boolean'
const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isClock = (value: unknown): boolean =>
  isObject(value) &&
  'now' in value &&
  'after' in value &&
  typeof value.now === 'function' &&
  typeof value.after === 'function'
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0
const isAmount = (value: unknown): boolean => isCount(value) && value !== 0
const isStrings = (value: unknown): boolean => Array.isArray(value) && value.every(isString)
const isDelays = (value: unknown): boolean => Array.isArray(value) && value.every(isCount)
const isUrl = (value: unknown, ...protocols: string[]): boolean =>
  typeof value === 'string' && URL.canParse(value) && protocols.includes(new URL(value).protocol)

const isCertificate = (value: unknown): boolean => {
  if (!isObject(value) || !('key' in value) || !('cert' in value)) return false
  const { key, cert } = value
  if (typeof key !== 'string' || typeof cert !== 'string') return false
  try {
    createSecureContext({ key, cert })
    return true
  } catch {
    return false
  }
}

// What stands before the host goes to the server decoded.
const isRelay = (value: unknown): boolean => {
  if (typeof value !== 'string' || !isUrl(value, 'smtp:', 'smtps:')) return false
  const { hostname, username, password } = new URL(value)
  try {
    for (const part of [username, password]) decodeURIComponent(part)
    return hostname !== ''
  } catch {
    return false
  }
}

const optionChecks: Record<keyof LocalpostOptions, Check> = {
  dir: [isString, 'the path of a folder'],
  durability: [(value) => value === 'process' || value === 'disk', '"process" or "disk"'],
  host: [isString, 'an address such as "127.0.0.1"'],
  smtpPort: [(value) => isCount(value) && Number(value) < 65_536, 'a port from 0 to 65535'],
  smtpAuth: [(value) => value === 'optional' || value === 'required', '"optional" or "required"'],
  smtpTls: [
    (value) => isBoolean(value) || isCertificate(value),
    'true, false or { key, cert }, a private key and its certificate in PEM',
  ],
  apiKeys: [
    (value) =>
      Array.isArray(value) && value.every((key) => typeof key === 'string' && /^[\x21-\x7e]+$/.test(key)),
    'an array of keys without spaces',
  ],
  acceptAnyKey: [isBoolean, 'true or false'],
  requireKey: [isBoolean, 'true or false'],
  strict: [isBoolean, 'true or false'],
  allowHosts: [isStrings, 'an array of host names'],
  publicUrl: [(value) => isUrl(value, 'http:', 'https:'), 'an http(s) URL'],
  relay: [isRelay, 'a URL such as "smtp://user:password@host:587"'],
  relayInsecureAuth: [isBoolean, 'true or false'],
  relayAll: [isBoolean, 'true or false'],
  allowOutgoing: [
    (value) =>
      Array.isArray(value) && value.every((entry) => typeof entry === 'string' && parseAllowed(entry)),
    'an array of ranges, addresses or host names such as "10.0.0.0/8", "10.1.2.3:8080" or "hooks.internal"',
  ],
  pageSize: [
    (value) => isCount(value) && Number(value) > 0 && Number(value) <= 500,
    'a number from 1 to 500',
  ],
  waitTimeoutMs: [isCount, 'milliseconds from 0'],
  escapeHtml: [isBoolean, 'true or false'],
  account: [isObject, 'an object'],
  attachments: [isObject, 'an object'],
  maxEmails: [isAmount, 'a whole number above 0'],
  maxAgeMs: [isAmount, 'milliseconds, above 0'],
  limits: [isObject, 'an object of whole numbers above 0'],
  retryDelaysMs: [isDelays, 'an array of milliseconds'],
  webhooks: [
    (value) => Array.isArray(value) && value.every(isObject),
    'an array of { url, secret?, events? }',
  ],
  webhookRetryDelaysMs: [isDelays, 'an array of milliseconds'],
  rules: [Array.isArray, 'an array of rules'],
  rejectSubmissions: [isBoolean, 'true or false'],
  rateLimit: [
    (value) =>
      isObject(value) &&
      'requests' in value &&
      'perMs' in value &&
      isCount(value.requests) &&
      Number(value.perMs) > 0,
    '{ requests, perMs }',
  ],
  verifyIntervalMs: [isAmount, 'milliseconds, above 0'],
  dns: [isObject, 'an object'],
  hostname: [(value) => typeof value === 'string' && /^[\w.-]+$/.test(value), 'a host name'],
  onNotice: [(value) => typeof value === 'function', 'a function'],
  keepAlive: [isBoolean, 'true or false'],
  clock: [isClock, 'a clock with now() and after()'],
  seed: [(value) => typeof value === 'string' || Number.isFinite(value), 'a text or a number'],
}

const attachmentChecks: Record<keyof NonNullable<LocalpostOptions['attachments']>, Check> = {
  root: [isString, 'the path of a folder'],
  allowPrivate: [isBoolean, 'true or false'],
  timeoutMs: [isCount, 'milliseconds'],
}

const dnsChecks: Record<keyof NonNullable<LocalpostOptions['dns']>, Check> = {
  servers: [isStrings, 'an array of addresses such as "127.0.0.1:5300"'],
  region: [isString, 'a region such as "us-east-1"'],
  feedbackHost: [isString, 'a host name'],
  spfInclude: [isString, 'a host name'],
  selector: [
    (value) => typeof value === 'string' && /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/i.test(value),
    'a DNS label',
  ],
}

const isStringOrNull = (value: unknown): boolean => value === null || isString(value)
const accountChecks: Record<keyof Account, Check> = {
  email: [isString, 'an address'],
  first_name: [isStringOrNull, 'a name or null'],
  last_name: [isStringOrNull, 'a name or null'],
  profile_picture: [isString, 'a URL'],
}

/**
 * What an error message says of a wrong value, after the name of its option.
 *
 * @param option  The value of one that may hold a secret is not quoted: messages end in logs.
 */
export function complaintOf(option: string, value: unknown, wanted: string): string {
  return secretOptions.has(option) && value !== ''
    ? `takes ${wanted}.`
    : `is ${quote(value)}; it takes ${wanted}.`
}

/** Keys, a private key, and a password within a URL. */
const secretOptions: ReadonlySet<string> = new Set(['apiKeys', 'relay', 'smtpTls', 'webhooks'])

function assertKnown(given: object, checks: Record<string, Check>, path: string): void {
  for (const [name, value] of Object.entries(given)) {
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined
    if (!check) {
      const near = suggest(name, Object.keys(checks))
      const hint = near ? ` Did you mean "${path}${near}"?` : ` Known: ${Object.keys(checks).join(', ')}.`
      throw new LocalpostError('invalid_option', `Unknown option "${path}${name}".${hint}`)
    }
    const [test, wanted] = check
    if (value !== undefined && !test(value)) {
      throw new LocalpostError(
        'invalid_option',
        `Option "${path}${name}" ${complaintOf(name, value, wanted)}`,
      )
    }
  }
}
