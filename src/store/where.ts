import type { Facts, FactWhere } from './fact-types.ts'
import { bitOf, factsOf, textTest } from './facts.ts'
import { misuse } from './io-errors.ts'
import { membersOf } from './stored.ts'
import type { PageQuery, Where } from './queries.ts'
import type { StoredRecord } from './store.ts'

/** A condition made ready for many records. */
export interface Condition {
  /**
   * Whether the record of this JSON text may match, without parsing it. Sound because the texts are
   * `JSON.stringify`'s own: a member with this value is spelt in exactly one way.
   */
  mayMatch(text: string): boolean
  matches(record: object): boolean
}

/**
 * Makes a condition ready. An absent member counts as null.
 *
 * @param facts  Those of the collection. A record for which they throw matches no condition on a fact.
 */
export function compileWhere<T extends StoredRecord>(where: Where, facts?: Facts<T>): Condition {
  if ('all' in where) {
    const parts = where.all.map((part) => compileWhere(part, facts))
    return {
      mayMatch: (text) => parts.every((part) => part.mayMatch(text)),
      matches: (record) => parts.every((part) => part.matches(record)),
    }
  }
  if ('any' in where) {
    const parts = where.any.map((part) => compileWhere(part, facts))
    return {
      mayMatch: (text) => parts.some((part) => part.mayMatch(text)),
      matches: (record) => parts.some((part) => part.matches(record)),
    }
  }
  if ('not' in where) {
    const part = compileWhere(where.not, facts)
    return { mayMatch: always, matches: (record) => !part.matches(record) }
  }
  if (!('member' in where)) return onFact(where, facts)
  const { member } = where
  if ('equals' in where) {
    const { equals } = where
    const spelt = `${JSON.stringify(member)}:${JSON.stringify(equals)}`
    return {
      mayMatch: equals === null ? always : (text) => text.includes(spelt),
      matches: (record) => (membersOf(record)[member] ?? null) === equals,
    }
  }
  if ('above' in where) return byNumber(member, (value) => value > where.above)
  if ('below' in where) return byNumber(member, (value) => value < where.below)
  return containing(member, where.contains)
}

/** The condition of a page: its `where`, and the records of `also`. */
export function compileQuery<T extends StoredRecord>(
  { where = { all: [] }, also }: Pick<PageQuery, 'where' | 'also'>,
  facts?: Facts<T>,
): Condition {
  const condition = compileWhere(where, facts)
  if (also === undefined) return condition
  const ids = new Set(also)
  return {
    mayMatch: always,
    matches: (record) => ids.has(String(membersOf(record).id)) || condition.matches(record),
  }
}

/** Whether all conditions in a condition are on facts of the collection. */
export function isOnFacts(where: Where): boolean {
  if ('all' in where) return where.all.every(isOnFacts)
  if ('any' in where) return where.any.every(isOnFacts)
  if ('not' in where) return isOnFacts(where.not)
  return 'flag' in where || 'number' in where || 'text' in where
}

const always = (): boolean => true

function onFact<T extends StoredRecord>(where: FactWhere, facts: Facts<T> | undefined): Condition {
  const [names, name] =
    'flag' in where
      ? [facts?.flags, where.flag]
      : 'number' in where
        ? [facts?.numbers, where.number]
        : [facts?.texts, where.text]
  const at = names?.indexOf(name) ?? -1
  if (!facts || at < 0) throw misuse(`The collection has no fact ${JSON.stringify(name)}.`)
  return {
    mayMatch: always,
    matches(record) {
      const values = factsOf(facts, record)
      if (values === null) return false
      if ('flag' in where) return (values.flags & bitOf(facts, name)) !== 0
      if ('text' in where) return textTest(where)(values.texts[at] ?? [])
      const value = values.numbers[at] ?? 0
      return 'above' in where ? value > where.above : value < where.below
    },
  }
}

function byNumber(member: string, test: (value: number) => boolean): Condition {
  return {
    mayMatch: always,
    matches(record) {
      const value = membersOf(record)[member]
      return typeof value === 'number' && test(value)
    },
  }
}

function containing(member: string, part: string): Condition {
  const sought = part.toLowerCase()
  const holds = (value: unknown): boolean => typeof value === 'string' && value.toLowerCase().includes(sought)
  return {
    mayMatch: always,
    matches(record) {
      const value = membersOf(record)[member]
      return Array.isArray(value) ? value.some(holds) : holds(value)
    },
  }
}
