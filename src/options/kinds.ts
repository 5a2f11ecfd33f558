import type { z } from 'zod'
import { createSecureContext } from 'node:tls'
import type { Clock } from '../core/clock.ts'
import { parseDuration } from '../core/duration.ts'
import { LocalpostError } from '../core/errors.ts'
import { assertKnownOptions } from '../core/known-options.ts'
import { wholeClock } from '../core/manual-clock.ts'
import { checkInput } from '../core/validate.ts'
import { parseAllowed } from '../net/allowed.ts'
import type { RuleInput } from '../rules/types.ts'
import { rulesInputSchema } from '../rules/schema.ts'
import { webhookOptionSchema } from '../webhooks/schema.ts'
import type { WebhookInput } from '../webhooks/types.ts'
import type { Notice } from './notice.ts'

/** The type of an option's value, by the kind of its row. */
export interface KindTypes {
  text: string
  folder: string
  file: string
  hostname: string
  label: string
  nameOrNull: string | null
  url: string
  relay: string
  choice: string
  switch: boolean
  port: number
  count: number
  ms: number
  delays: number[]
  texts: string[]
  keys: string[]
  destinations: string[]
  tls: boolean | { key: string; cert: string }
  rateLimit: { requests: number; perMs: number }
  webhooks: WebhookInput[]
  rules: RuleInput[]
  noticeHandler: (notice: Notice) => void
  clock: Clock
  seed: string | number
  group: object
}

/** One option; see the table. */
export interface Row {
  readonly kind: keyof KindTypes
  /** The value where none is given; null where there is none. Groups have those of their members. */
  readonly default?: unknown
  /** What the command passes to the library where nothing is given. */
  readonly commandDefault?: string | number
  /** Whether only the command has it. */
  readonly command?: true
  /** The name of its flag, without dashes; its variable is called LOCALPOST_ and the same in capitals. */
  readonly flag?: string
  /** How the help shows the value of the flag. Default: the kind's. */
  readonly hint?: string
  /** Where the help lists the flag. */
  readonly section?: string
  /** What it does: one line for `--help` and docs/cli.md. */
  readonly help: string
  /** What a right value is, for errors. Default: the kind's. */
  readonly takes?: string
  /** What one value of a list is, for errors about a flag. */
  readonly each?: string
  /** What it was called before: that name is refused with this one. */
  readonly formerly?: string
  readonly values?: readonly string[]
  readonly min?: number
  readonly max?: number
  readonly members?: Readonly<Record<string, Row>>
}

/** What a value of this kind looks like. */
export interface Kind {
  is(value: unknown, row: Row): boolean
  /** What a right value is, behind "it takes". */
  takes(row: Row): string
  /** Reads what was typed for its flag, once or several times; what is not right is refused by `is`. */
  read?(texts: readonly string[]): unknown
  /** What may be typed, where that differs from `takes`. */
  typed?(row: Row): string
  /** How the help shows a value. */
  hint?(row: Row): string
  /** Checks what is inside and completes it. @param path  Where it stands, for errors. @throws invalid_option */
  complete?(value: unknown, path: string): unknown
  /** It holds several values: a flag is repeated, a variable separates them by commas. */
  isList?: true
  /** Its values may hold secrets, which no message may quote. */
  isSecret?: true
}

const last = (texts: readonly string[]): string => texts.at(-1) ?? ''
const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isInteger = (value: unknown, { min = 0, max = Number.MAX_SAFE_INTEGER }: Partial<Row>): boolean =>
  Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max

/** Of texts that match a pattern, all of them by default. */
function textKind(wanted: string, pattern = /^/): Kind {
  return {
    is: (value) => isText(value) && pattern.test(value),
    takes: (row) => row.takes ?? wanted,
    read: last,
  }
}

const countKind: Kind = {
  is: (value, { min = 1, max }) => isInteger(value, { min, ...(max && { max }) }),
  takes: ({ min = 1, max }) =>
    max === undefined ? `a whole number above ${min - 1}` : `a whole number from ${min} to ${max}`,
  read: (texts) => (/^\d{1,15}$/.test(last(texts)) ? Number(last(texts)) : null),
  hint: () => 'n',
}

const switchKind: Kind = {
  is: (value) => typeof value === 'boolean',
  takes: () => 'true or false',
  read: (texts) => switches[last(texts).toLowerCase()],
  typed: () => '1, true, 0 or false',
}
const switches: Readonly<Record<string, boolean>> = { '1': true, true: true, '0': false, false: false }

/** Of lists. */
function listKind(
  isOne: (value: unknown) => boolean,
  { takes, each }: { takes: string; each: string },
): Kind {
  return {
    is: (value) => Array.isArray(value) && value.every(isOne),
    takes: (row) => row.takes ?? takes,
    read: (texts) => [...texts],
    typed: (row) => row.each ?? each,
    isList: true,
  }
}

/** Of arrays whose entries a schema describes. */
function schemaKind(schema: z.ZodType, takes: string): Kind {
  return {
    is: Array.isArray,
    takes: () => takes,
    complete(value, path) {
      const read = checkInput(schema, value, [path])
      if ('value' in read) return read.value
      const [error] = read.errors
      throw new LocalpostError('invalid_option', `Option "${error?.field}" ${error?.message}.`)
    },
  }
}

/** The kinds of values. */
export const kinds: { readonly [K in keyof KindTypes]: Kind } = {
  text: textKind('a text'),
  folder: textKind('the path of a folder'),
  file: textKind('the path of a file'),
  hostname: textKind('a host name', /^[\w.-]+$/),
  label: textKind('a DNS label', /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/i),
  nameOrNull: { is: (value) => value === null || isText(value), takes: () => 'a name or null' },
  url: { ...textKind('an http(s) URL'), is: isHttpUrl, complete: (url) => String(url).replace(/\/+$/, '') },
  relay: { ...textKind('a URL such as smtp://user:password@host:587'), is: isRelay, isSecret: true },
  choice: {
    is: (value, { values = [] }) => typeof value === 'string' && values.includes(value),
    takes: ({ values = [] }) => values.map((value) => `"${value}"`).join(' or '),
    read: last,
    typed: ({ values = [] }) => values.join(' or '),
    hint: ({ values = [] }) => values.join('|'),
  },
  switch: switchKind,
  port: {
    is: (value) => isInteger(value, { max: 65_535 }),
    takes: () => 'a port from 0 to 65535 (0: any free port)',
    read: (texts) => (/^\d{1,5}$/.test(last(texts)) ? Number(last(texts)) : null),
    hint: () => 'port',
  },
  count: countKind,
  ms: {
    is: isInteger,
    takes: ({ min }) => (min === undefined ? 'milliseconds from 0' : 'milliseconds, above 0'),
    read: (texts) => parseDuration(last(texts)),
    typed: () => 'a duration above 0 such as 30s, 90m, 12h or 7d',
  },
  delays: {
    is: (value) => Array.isArray(value) && value.every((entry) => isInteger(entry, {})),
    takes: () => 'an array of milliseconds',
  },
  texts: listKind(isText, { takes: 'an array of texts', each: 'a text' }),
  keys: {
    ...listKind((value) => isText(value) && /^[\x21-\x7e]+$/.test(value), {
      takes: 'an array of keys without spaces',
      each: 'a key of printable ASCII without spaces',
    }),
    isSecret: true,
  },
  destinations: listKind((value) => isText(value) && parseAllowed(value) !== null, {
    takes:
      'an array of ranges, addresses or host names such as "10.0.0.0/8", "10.1.2.3:8080" or "hooks.internal"',
    each: 'a range, an address or a host name such as 10.0.0.0/8, 10.1.2.3:8080 or hooks.internal',
  }),
  tls: {
    ...switchKind,
    is: (value) => typeof value === 'boolean' || isCertificate(value),
    takes: () => 'true, false or { key, cert }, a private key and its certificate in PEM',
    isSecret: true,
  },
  rateLimit: { is: isRateLimit, takes: () => '{ requests, perMs }' },
  webhooks: {
    ...schemaKind(webhookOptionSchema, 'an array of { url, secret?, events? }'),
    // The schema's errors quote values; here they may be secrets that were put in the wrong place.
    is: (value) => Array.isArray(value) && value.every(isObject),
    isSecret: true,
  },
  rules: schemaKind(rulesInputSchema, 'an array of rules'),
  noticeHandler: { is: (value) => typeof value === 'function', takes: () => 'a function' },
  clock: {
    is: isClock,
    takes: () => 'a clock with now() and after()',
    complete: (clock) => (isClock(clock) ? wholeClock(clock) : clock),
  },
  seed: {
    is: (value) => typeof value === 'string' || Number.isFinite(value),
    takes: () => 'a text or a number',
  },
  group: { is: isObject, takes: () => 'an object' },
}

function isHttpUrl(value: unknown): boolean {
  return isText(value) && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)
}

// User and password are sent to the server decoded.
function isRelay(value: unknown): boolean {
  if (!isText(value) || !URL.canParse(value)) return false
  const { protocol, hostname, username, password } = new URL(value)
  try {
    for (const part of [username, password]) decodeURIComponent(part)
    return /^smtps?:$/.test(protocol) && hostname !== ''
  } catch {
    return false
  }
}

function isCertificate(value: unknown): boolean {
  if (!isObject(value) || !('key' in value) || !('cert' in value)) return false
  const { key, cert } = value
  if (typeof key !== 'string' || typeof cert !== 'string') return false
  assertKnownOptions(value, ['key', 'cert'], 'smtpTls')
  try {
    createSecureContext({ key, cert })
    return true
  } catch {
    return false
  }
}

function isRateLimit(value: unknown): boolean {
  if (!isObject(value)) return false
  assertKnownOptions(value, ['requests', 'perMs'], 'rateLimit')
  return 'requests' in value && 'perMs' in value && isInteger(value.requests, {}) && Number(value.perMs) > 0
}

function isClock(value: unknown): value is Clock {
  return (
    isObject(value) &&
    'now' in value &&
    'after' in value &&
    typeof value.now === 'function' &&
    typeof value.after === 'function'
  )
}
