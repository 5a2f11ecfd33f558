import { foldText } from '../core/fold-text.ts'
import { textTest } from './fact-conditions.ts'
import { factAt, factsOf } from './facts.ts'
import { misuse } from './io-errors.ts'
import type { CountQuery, Facts, FactValues, FactWhere, PageQuery, Where } from './queries.ts'
import { type StoredRecord, recordMembers } from './store.ts'

/** Whether a record matches. */
export type Condition = (record: object) => boolean

/**
 * Makes a condition ready for many records. An absent member counts as null.
 *
 * @param facts  Those of the collection. A record for which they throw matches no condition on a fact.
 */
export function compileWhere<T extends StoredRecord>(where: Where, facts?: Facts<T>): Condition {
  if ('all' in where) {
    const parts = where.all.map((part) => compileWhere(part, facts))
    return (record) => parts.every((matches) => matches(record))
  }
  if ('any' in where) {
    const parts = where.any.map((part) => compileWhere(part, facts))
    return (record) => parts.some((matches) => matches(record))
  }
  if ('not' in where) {
    const matches = compileWhere(where.not, facts)
    return (record) => !matches(record)
  }
  if (!('member' in where)) return onFact(where, facts)
  const { member } = where
  if ('contains' in where) return containing(member, where.contains)
  return (record) => (recordMembers(record)[member] ?? null) === where.equals
}

/** The condition of a page: its `where`, and the records of `also`. */
export function compileQuery<T extends StoredRecord>(
  { where = { all: [] }, also }: Pick<PageQuery, 'where' | 'also'>,
  facts?: Facts<T>,
): Condition {
  const matches = compileWhere(where, facts)
  if (also === undefined) return matches
  const ids = new Set(also)
  return (record) => ids.has(String(recordMembers(record).id)) || matches(record)
}

/** Whether a query has a condition. @throws internal_error for one in another order than that of the ids. */
export function hasWhere<Q extends CountQuery>(query: Q): query is Q & { readonly where: Where } {
  if (query.where === undefined) return false
  if ((query.index ?? 'id') !== 'id') throw misuse('A condition needs the index `id`.')
  return true
}

/** Whether all conditions in a condition are on facts of these kinds. Default: of any kind. */
export function isOnFacts(where: Where, kinds: readonly string[] = ['flag', 'number', 'text']): boolean {
  if ('not' in where) return isOnFacts(where.not, kinds)
  if ('all' in where) return where.all.every((part) => isOnFacts(part, kinds))
  if ('any' in where) return where.any.every((part) => isOnFacts(part, kinds))
  return kinds.some((kind) => kind in where)
}

function onFact<T extends StoredRecord>(where: FactWhere, facts: Facts<T> | undefined): Condition {
  const test = factTest(where, facts)
  return (record) => {
    const values = facts ? factsOf(facts, record) : null
    return values !== null && test(values)
  }
}

function factTest<T extends StoredRecord>(
  where: FactWhere,
  facts: Facts<T> | undefined,
): (values: FactValues) => boolean {
  if ('flag' in where) {
    const bit = 1 << factAt(facts?.flags, where.flag)
    return ({ flags }) => (flags & bit) !== 0
  }
  if ('text' in where) {
    const at = factAt(facts?.texts, where.text)
    const test = textTest(where)
    return ({ texts }) => test(texts[at] ?? [])
  }
  const at = factAt(facts?.numbers, where.number)
  if ('above' in where) return ({ numbers }) => (numbers[at] ?? 0) > where.above
  return ({ numbers }) => (numbers[at] ?? 0) < where.below
}

function containing(member: string, part: string): Condition {
  const sought = foldText(part)
  const holds = (value: unknown): boolean => typeof value === 'string' && foldText(value).includes(sought)
  return (record) => {
    const value = recordMembers(record)[member]
    return Array.isArray(value) ? value.some(holds) : holds(value)
  }
}
