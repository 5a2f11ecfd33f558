import { isEmpty } from 'handlebars/dist/cjs/handlebars/utils.js'
import { quote } from '../core/quote.ts'
import { formatDate } from './format-date.ts'
import { plainText } from './output.ts'

/** The helpers that a template may use: `basic` are those of Handlebars; `extended` also compares, combines and writes dates. */
export type HelperSet = 'basic' | 'extended'

/** The helpers of a set by name: those with blocks, and those that make values. */
export interface Helpers {
  readonly blocks: ReadonlyMap<string, BlockHelper>
  readonly values: ReadonlyMap<string, ValueHelper>
}

interface Helper {
  /** How many parameters it takes: at least, and at most. */
  readonly params: readonly [min: number, max: number]
}

/** A helper with a block: a condition for the block or its `{{else}}`, or one that changes the context when it is rendered. */
type BlockHelper = Helper &
  (
    | { readonly holds: (params: readonly unknown[], hash: ReadonlyMap<string, unknown>) => boolean }
    | { readonly context: 'each' | 'with' }
  )

/** A helper that makes a value. */
interface ValueHelper extends Helper {
  readonly value: (params: readonly unknown[]) => unknown
}

const basic = {
  blocks: new Map<string, BlockHelper>([
    ['if', { params: [1, 1], holds: ([value], hash) => holdsIf(value, hash) }],
    ['unless', { params: [1, 1], holds: ([value], hash) => !holdsIf(value, hash) }],
    ['each', { params: [1, 1], context: 'each' }],
    ['with', { params: [1, 1], context: 'with' }],
  ]),
  values: new Map<string, ValueHelper>([
    ['lookup', { params: [2, 2], value: ([value, name]) => ownMember(value, name) }],
  ]),
}

const extended = {
  blocks: new Map<string, BlockHelper>([
    ...basic.blocks,
    ['equals', { params: [2, 2], holds: ([one, other]) => areEqual(one, other) }],
    // As Mailgun calls it.
    ['equal', { params: [2, 2], holds: ([one, other]) => areEqual(one, other) }],
    ['notEquals', { params: [2, 2], holds: ([one, other]) => !areEqual(one, other) }],
    ['greaterThan', { params: [2, 2], holds: ([one, other]) => asNumber(one) > asNumber(other) }],
    ['lessThan', { params: [2, 2], holds: ([one, other]) => asNumber(one) < asNumber(other) }],
    ['and', { params: [1, 20], holds: (params) => params.every(holds) }],
    ['or', { params: [1, 20], holds: (params) => params.some(holds) }],
  ]),
  values: new Map<string, ValueHelper>([
    ...basic.values,
    ['insert', { params: [1, 2], value: ([value, fallback]) => insert(value, fallback) }],
    ['formatDate', { params: [2, 3], value: ([time, ...how]) => writeDate(time, ...how) }],
    ['length', { params: [1, 1], value: ([value]) => lengthOf(value) }],
  ]),
}

/** The helpers of each set. */
export const helperSets: Readonly<Record<HelperSet, Helpers>> = { basic, extended }

/** The member of this name that the data itself has; nothing of a prototype is ever read. */
export function ownMember(value: unknown, name: unknown): unknown {
  if (value === null || value === undefined) return undefined
  const owner: object = Object(value)
  const key = typeof name === 'number' ? String(name) : name
  return typeof key === 'string' && Object.hasOwn(owner, key) ? Reflect.get(owner, key) : undefined
}

function holdsIf(value: unknown, hash: ReadonlyMap<string, unknown>): boolean {
  return holds(value) || (value === 0 && Boolean(hash.get('includeZero')))
}

function holds(value: unknown): boolean {
  return !isEmpty(value) && value !== 0
}

function lengthOf(value: unknown): number {
  return typeof value === 'string' || Array.isArray(value) ? value.length : 0
}

function asNumber(value: unknown): number {
  return typeof value === 'number' || (typeof value === 'string' && value.trim() !== '')
    ? Number(value)
    : Number.NaN
}

// Texts, numbers and truth values as they are written; an object or an array equals only itself.
function areEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true
  const isPlain = (value: unknown): boolean =>
    value !== null && value !== undefined && typeof value !== 'object'
  return isPlain(one) && isPlain(other) && String(one) === String(other)
}

/** A value, or what stands in for it: `{{insert name "default=Customer"}}`. */
function insert(value: unknown, fallback: unknown): unknown {
  return isEmpty(value) && fallback !== undefined ? plainText(fallback).replace(/^default=/, '') : value
}

/** @throws RangeError if one of the three is not understood. */
function writeDate(time: unknown, format?: unknown, offset?: unknown): string | undefined {
  const text = formatDate(time, format, offset)
  if (text !== null) return text
  if (time === undefined || time === null) return undefined
  throw new RangeError(
    `cannot write ${quote(time)} as ${quote(format)}: give a time in ISO 8601 or as milliseconds, a format of at most 200 characters, and an offset such as "-0800"`,
  )
}
