import type { z } from 'zod'
import { parseEndpoint } from '../checks/spamd.ts'
import { parseDuration } from '../core/duration.ts'
import { invalidOption } from '../core/errors.ts'
import { wholeClock } from '../core/manual-clock.ts'
import { isRecord } from '../core/members.ts'
import { withoutEnding } from '../core/text.ts'
import { checkInput } from '../core/validate.ts'
import { parseRange } from '../net/addresses.ts'
import { parseAllowed } from '../net/allowed.ts'
import { rulesInputSchema } from '../rules/schema.ts'
import { isStoreUrl } from '../store/postgres/address.ts'
import { webhookOptionSchema } from '../webhooks/schema.ts'
import {
  isCertificate,
  isClock,
  isHttpUrl,
  isHttpUrlWithPassword,
  isInteger,
  isIssuer,
  isRateLimit,
  isRelay,
  isText,
  isTraceUrl,
} from './values.ts'
import type { KindTypes, Row } from './row.ts'

/** How values of one kind of option are checked and read. */
export interface Kind {
  /** @param path  The option, for errors. @throws invalid_option for unknown members. */
  is(value: unknown, row: Row, path: string): boolean
  /** Describes valid values. Errors show it after "it takes". */
  takes(row: Row): string
  /** Converts the texts given for a flag or variable. `is` then checks the result. */
  read?(texts: readonly string[]): unknown
  /** Describes valid texts of a flag, if they differ from `takes`. */
  typed?(row: Row): string
  /** The placeholder of the value in `--help`. */
  hint?: string
  /** The final form of a valid value. @param path  As for `is`. @throws invalid_option for wrong members. */
  complete?(value: unknown, path: string): unknown
  /** The option has several values: the flag is repeated, the variable separates them with commas. */
  isList?: true
  /** Values may contain secrets, so no message may quote them. */
  isSecret?: true
}

/** The kinds of values, by the name that rows give as their `kind`. */
export const kinds: { readonly [K in keyof KindTypes]: Kind } = {
  text: textKind('a text'),
  folder: textKind('the path of a folder', { hint: 'folder' }),
  file: textKind('the path of a file', { hint: 'file' }),
  hostname: textKind('a host name', { is: isLike(/^[\w.-]+$/) }),
  label: textKind('a DNS label', { is: isLike(/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/i) }),
  nameOrNull: { is: (value) => value === null || isText(value), takes: () => 'a name or null' },
  url: urlKind('an http(s) URL', { is: isHttpUrl, complete: withoutSlash }),
  urlTemplate: urlKind('an http(s) URL with {trace_id}, without a password', { is: isTraceUrl }),
  secretUrl: urlKind('an http(s) URL', { is: isHttpUrlWithPassword, complete: withoutSlash, isSecret: true }),
  issuer: urlKind('an https URL without a query; http only on this machine', { is: isIssuer }),
  relay: urlKind('a URL such as smtp://user:password@host:587', { is: isRelay, isSecret: true }),
  store: urlKind('a URL such as postgres://user:password@host:5432/database', {
    is: (value) => isText(value) && isStoreUrl(value),
    isSecret: true,
  }),
  secret: textKind('a secret of printable ASCII', {
    is: isLike(/^[\x20-\x7e]+$/),
    hint: 'secret',
    isSecret: true,
  }),
  endpoint: textKind('a host and a port such as "127.0.0.1:783"', {
    is: (value) => isText(value) && parseEndpoint(value) !== null,
    hint: 'host:port',
  }),
  choice: {
    is: (value, { values = [] }) => typeof value === 'string' && values.includes(value),
    takes: ({ values = [] }) => values.map((value) => `"${value}"`).join(' or '),
    read: lastOf,
    typed: ({ values = [] }) => values.join(' or '),
  },
  switch: switchKind(),
  port: {
    is: (value) => isInteger(value, { max: 65_535 }),
    takes: () => 'a port from 0 to 65535 (0: any free port)',
    read: (texts) => readNumber(texts, 5),
    hint: 'port',
  },
  count: {
    is: (value, { min = 1, max }) => isInteger(value, { min, ...(max !== undefined && { max }) }),
    takes: ({ min = 1, max }) =>
      max === undefined ? `a whole number above ${min - 1}` : `a whole number from ${min} to ${max}`,
    read: (texts) => readNumber(texts, 15),
    hint: 'n',
  },
  ms: {
    is: (value, { min = 0 }) => isInteger(value, { min }),
    takes: ({ min = 0 }) => (min === 0 ? 'milliseconds from 0' : `milliseconds, above ${min - 1}`),
    read: (texts) => parseDuration(lastOf(texts)),
    typed: ({ min = 0 }) => `a duration${min === 0 ? '' : ` above ${min - 1}`} such as 30s, 90m, 12h or 7d`,
    hint: 'duration',
  },
  delays: {
    is: (value) => Array.isArray(value) && value.every((entry) => isInteger(entry)),
    takes: () => 'an array of milliseconds',
  },
  texts: listKind(isText, { takes: 'an array of texts', each: 'a text' }),
  keys: {
    ...listKind(isLike(/^[\x21-\x7e]+$/), {
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
  ranges: listKind((value) => isText(value) && parseRange(value) !== null, {
    takes: 'an array of ranges or addresses such as "10.1.0.0/16"',
    each: 'a range or an address such as 10.1.0.0/16',
  }),
  certificate: {
    is: (value, _row, path) => isCertificate(value, path),
    takes: () => '{ key, cert }, a private key and its certificate in PEM',
    isSecret: true,
  },
  switchOrCertificate: {
    ...switchKind(),
    is: (value, _row, path) => typeof value === 'boolean' || isCertificate(value, path),
    takes: () => 'true, false or { key, cert }, a private key and its certificate in PEM',
    isSecret: true,
  },
  rateLimit: { is: (value, _row, path) => isRateLimit(value, path), takes: () => '{ requests, perMs }' },
  webhooks: {
    ...schemaKind(webhookOptionSchema, 'an array of { url, secret?, events? }'),
    // The schema's errors quote values. An entry that is not an object may be a misplaced secret, so it is refused here.
    is: (value) => Array.isArray(value) && value.every(isRecord),
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
  group: { is: isRecord, takes: () => 'an object' },
}

// Functions, not constants: the table above uses them while this module is loaded.

/** Texts that are not empty. @param takes  Used unless the row has its own. */
function textKind(takes: string, other: Partial<Kind> = {}): Kind {
  return { is: isText, takes: (row) => row.takes ?? takes, read: lastOf, ...other }
}

function urlKind(takes: string, other: Partial<Kind>): Kind {
  return textKind(takes, { hint: 'url', ...other })
}

function switchKind(): Kind {
  const switches: Readonly<Record<string, boolean>> = { '1': true, true: true, '0': false, false: false }
  return {
    is: (value) => typeof value === 'boolean',
    takes: () => 'true or false',
    read: (texts) => switches[lastOf(texts).toLowerCase()],
    typed: () => '1, true, 0 or false',
  }
}

/** Lists of texts. @param words  Used unless the row has its own. */
function listKind(isEntry: (value: unknown) => boolean, words: { takes: string; each: string }): Kind {
  return {
    is: (value) => Array.isArray(value) && value.every(isEntry),
    takes: (row) => row.takes ?? words.takes,
    read: (texts) => [...texts],
    typed: (row) => row.each ?? words.each,
    isList: true,
  }
}

/** Arrays that are checked by a schema. */
function schemaKind(schema: z.ZodType, takes: string): Kind {
  return {
    is: Array.isArray,
    takes: () => takes,
    complete(value, path) {
      const read = checkInput(schema, value, [path])
      if ('value' in read) return read.value
      const [error] = read.errors
      throw invalidOption(`Option "${error?.field}" ${error?.message}.`)
    },
  }
}

function isLike(form: RegExp): (value: unknown) => boolean {
  return (value) => isText(value) && form.test(value)
}

function lastOf(texts: readonly string[]): string {
  return texts.at(-1) ?? ''
}

function readNumber(texts: readonly string[], maxDigits: number): number | null {
  const text = lastOf(texts)
  return /^\d+$/.test(text) && text.length <= maxDigits ? Number(text) : null
}

function withoutSlash(url: unknown): string {
  return withoutEnding(String(url), '/')
}
