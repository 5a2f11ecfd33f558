import { quote } from '../core/errors.ts'
import { formatDate } from './format-date.ts'
import { plainText } from './output.ts'

/**
 * Which helpers a template may use: `basic` are those of Handlebars; `extended` has further ones to compare, to combine
 * conditions, and for lengths, defaults and dates.
 */
export type HelperSet = 'basic' | 'extended'

interface Helper {
  readonly set: HelperSet
  /** How many parameters it takes: at least, and at most. */
  readonly params: readonly [least: number, most: number]
  /** Why it cannot be used. */
  readonly refused?: string
}

/** A helper with a block, which is rendered if it answers true; otherwise its `{{else}}` is. */
interface Condition extends Helper {
  readonly holds: (params: readonly unknown[], hash: ReadonlyMap<string, unknown>) => boolean
}

/** A helper with a block that changes the context: `each` and `with` are known to who renders them. */
interface ContextHelper extends Helper {
  readonly context: 'each' | 'with'
}

/** A helper that makes a value. */
interface ValueHelper extends Helper {
  readonly value: (params: readonly unknown[]) => unknown
}

/** As Handlebars sees it: null, false, "" and empty arrays. */
export function isEmpty(value: unknown): boolean {
  if (value === 0) return false
  return !value || (Array.isArray(value) && value.length === 0)
}

/** The member of this name that the data itself has; nothing of a prototype is ever read. */
export function ownMember(value: unknown, name: unknown): unknown {
  if (value === null || value === undefined) return undefined
  const owner: object = Object(value)
  const key = typeof name === 'number' ? String(name) : name
  return typeof key === 'string' && Object.hasOwn(owner, key) ? Reflect.get(owner, key) : undefined
}

const holdsIf: Condition['holds'] = ([value], hash) =>
  !isEmpty(value) && !(value === 0 && !hash.get('includeZero'))

const asNumber = (value: unknown): number =>
  typeof value === 'number' || (typeof value === 'string' && value.trim() !== '') ? Number(value) : Number.NaN

// Texts, numbers and truth values as they are written; an object or an array equals only itself.
function areEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true
  const isPlain = (value: unknown): boolean =>
    value !== null && value !== undefined && typeof value !== 'object'
  return isPlain(one) && isPlain(other) && String(one) === String(other)
}

const extended = (params: Helper['params'], holds: Condition['holds']): Condition => ({
  set: 'extended',
  params,
  holds,
})

const blocks = new Map<string, Condition | ContextHelper>([
  ['if', { set: 'basic', params: [1, 1], holds: holdsIf }],
  ['unless', { set: 'basic', params: [1, 1], holds: (params, hash) => !holdsIf(params, hash) }],
  ['each', { set: 'basic', params: [1, 1], context: 'each' }],
  ['with', { set: 'basic', params: [1, 1], context: 'with' }],
  ['equals', extended([2, 2], ([one, other]) => areEqual(one, other))],
  ['notEquals', extended([2, 2], ([one, other]) => !areEqual(one, other))],
  ['greaterThan', extended([2, 2], ([one, other]) => asNumber(one) > asNumber(other))],
  ['lessThan', extended([2, 2], ([one, other]) => asNumber(one) < asNumber(other))],
  ['and', extended([1, 20], (params) => params.every((one) => !isEmpty(one) && one !== 0))],
  ['or', extended([1, 20], (params) => params.some((one) => !isEmpty(one) && one !== 0))],
])

const defaultPrefix = 'default='

const values = new Map<string, ValueHelper>([
  ['lookup', { set: 'basic', params: [2, 2], value: ([value, name]) => ownMember(value, name) }],
  [
    'log',
    {
      set: 'basic',
      params: [0, 20],
      refused: 'uses "log", which writes to a log that Localpost does not have: leave it out',
      value: () => undefined,
    },
  ],
  [
    'insert',
    {
      set: 'extended',
      params: [1, 2],
      value: ([value, fallback]) => {
        if (!isEmpty(value) || fallback === undefined) return value
        const text = plainText(fallback)
        return text.startsWith(defaultPrefix) ? text.slice(defaultPrefix.length) : text
      },
    },
  ],
  [
    'formatDate',
    {
      set: 'extended',
      params: [2, 3],
      value: ([time, format, offset]) => {
        const text = formatDate(time, format, offset)
        if (text !== null || time === undefined || time === null) return text ?? undefined
        throw new RangeError(
          `cannot write ${quote(time)} as ${quote(format)}: give a time in ISO 8601 or as milliseconds, a format of at most 200 characters, and an offset such as "-0800"`,
        )
      },
    },
  ],
  [
    'length',
    {
      set: 'extended',
      params: [1, 1],
      value: ([value]) => (typeof value === 'string' || Array.isArray(value) ? value.length : 0),
    },
  ],
])

/** The helpers of a set by name: those with blocks, and those that make values. */
export interface Helpers {
  readonly blocks: ReadonlyMap<string, Condition | ContextHelper>
  readonly values: ReadonlyMap<string, ValueHelper>
}

const isBasic = ([, helper]: readonly [string, Helper]): boolean => helper.set === 'basic'

/** The helpers of each set. */
export const helperSets: Readonly<Record<HelperSet, Helpers>> = {
  basic: { blocks: new Map([...blocks].filter(isBasic)), values: new Map([...values].filter(isBasic)) },
  extended: { blocks, values },
}
