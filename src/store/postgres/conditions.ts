import type { Facts, FactWhere, Where } from '../queries.ts'
import { bitOf, factAt } from '../facts.ts'
import type { StoredRecord } from '../store.ts'
import { oneText, textBeginning } from './joined-texts.ts'
import { isStorable } from './storable-text.ts'
import type { Parameters } from './parameters.ts'

/** A condition in SQL. */
export interface SqlCondition {
  readonly sql: string
  /** Whether it is true for exactly the matching records. If not, it is true for more records. */
  readonly isExact: boolean
}

/**
 * Translates a condition on the records of a table.
 *
 * Conditions on members are not translated, except for the id: PostgreSQL cannot read the members of a record that
 * contains a NUL, and folds case in another way.
 *
 * @throws internal_error if the collection has no such fact.
 */
export function toSql(
  where: Where,
  facts: Facts<StoredRecord> | undefined,
  parameters: Parameters,
): SqlCondition {
  if ('all' in where || 'any' in where) {
    const [wheres, operator, empty] =
      'all' in where ? ([where.all, 'AND', 'true'] as const) : ([where.any, 'OR', 'false'] as const)
    const parts = wheres.map((part) => toSql(part, facts, parameters))
    const sql = parts.length === 0 ? empty : `(${parts.map(({ sql }) => sql).join(` ${operator} `)})`
    return { sql, isExact: parts.every(({ isExact }) => isExact) }
  }
  if ('not' in where) {
    const before = parameters.values.length
    const part = toSql(where.not, facts, parameters)
    if (part.isExact) return { sql: `NOT ${part.sql}`, isExact: true }
    parameters.dropAfter(before)
    return undecided
  }
  if ('member' in where) {
    if (where.member !== 'id' || 'contains' in where) return undecided
    const { equals } = where
    if (typeof equals !== 'string' || !isStorable(equals)) return { sql: 'false', isExact: true }
    return { sql: `(id = ${parameters.add(equals, 'text')})`, isExact: true }
  }
  return { sql: `coalesce(${factSql(where, facts, parameters)}, false)`, isExact: true }
}

const undecided: SqlCondition = { sql: 'true', isExact: false }

function factSql(where: FactWhere, facts: Facts<StoredRecord> | undefined, parameters: Parameters): string {
  if ('flag' in where) return `(flags & ${bitOf({ flags: facts?.flags ?? [] }, where.flag)}) <> 0`
  if ('text' in where) {
    const column = `text_${factAt(facts?.texts, where.text)}`
    const part = 'equals' in where ? oneText(where.equals) : textBeginning(where.begins)
    return `position(${parameters.add(part, 'text')} IN ${column}) > 0`
  }
  const column = `number_${factAt(facts?.numbers, where.number)}`
  return 'above' in where
    ? `${column} > ${parameters.add(where.above, 'float8')}`
    : `${column} < ${parameters.add(where.below, 'float8')}`
}
