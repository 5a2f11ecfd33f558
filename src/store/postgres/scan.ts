import type { IndexKey, PageQuery } from '../queries.ts'
import { hasWhere } from '../where.ts'
import { toSql } from './conditions.ts'
import { afterKey, encodeKey } from './index-keys.ts'
import { isStorable } from './storable-text.ts'
import { Parameters } from './parameters.ts'
import type { Shard } from './table.ts'

/** The rows that a query is about, in SQL. */
export class Scan {
  /** Those of `condition` first, in the order in which the constructor writes their bounds: this gives the SQL its numbers. */
  readonly parameters: Parameters = new Parameters()
  /** The column of the index; `id` for that one. */
  readonly column: string
  /** Whether only matching rows are found. */
  readonly isExact: boolean
  /** Whether all records of the collection are found. */
  readonly isWhole: boolean
  /** For the rows without `offset` and `limit`. */
  readonly condition: string
  readonly #isBackwards: boolean
  /** What follows in the direction of the query. */
  readonly #beyond: '<' | '>'
  /** The order of the rows in SQL. */
  readonly #ordered: string
  readonly #table: string

  /** @param afterRow  A row that is left out with those before it. Default: none. */
  constructor(
    { table, partition }: Shard,
    query: PageQuery,
    afterRow?: { readonly id: string; readonly key?: Buffer },
  ) {
    const { index = 'id', also } = query
    const { parameters } = this
    this.#isBackwards = query.direction === 'desc'
    this.#beyond = this.#isBackwards ? '<' : '>'
    this.column = index === 'id' ? 'id' : table.index(index).column
    this.#table = table.sql
    const order = this.#isBackwards ? 'DESC' : 'ASC'
    this.#ordered = `${this.column === 'id' ? '' : `${this.column} ${order}, `}id ${order}`
    const bounds = [
      `partition = ${parameters.add(partition)}`,
      ...(this.column === 'id' ? this.#idBounds(query) : this.#keyBounds(query)),
    ]
    const where = hasWhere(query) ? toSql(query.where, table.facts, parameters) : null
    if (where && also) {
      const ids = parameters.add(also.filter(isStorable), 'text[]')
      bounds.push(`(${where.sql} OR id = ANY(${ids}))`)
    } else if (where) bounds.push(where.sql)
    this.isExact = where?.isExact ?? true
    // The only bound is the partition. What follows narrows a later step of the same query, and does not count here.
    this.isWhole = bounds.length === 1
    if (afterRow?.key) {
      const [key, id] = [parameters.add(afterRow.key, 'bytea'), parameters.add(afterRow.id, 'text')]
      bounds.push(`(${this.column}, id) ${this.#beyond} (${key}, ${id})`)
    } else if (afterRow) bounds.push(`id ${this.#beyond} ${parameters.add(afterRow.id, 'text')}`)
    this.condition = bounds.join(' AND ')
  }

  #idBounds({ prefix, after, until }: PageQuery): string[] {
    const bound = (operator: string, [id]: IndexKey = []): string[] => {
      if (id === undefined) return []
      const text = String(id)
      if (isStorable(text)) return [this.#compare(operator, text)]
      if (operator === '=') return ['false']
      // No id contains such characters. All ids sort before or after its storable part, or are equal to it.
      const storable = /^[^\0\p{Surrogate}]*/u.exec(text)?.[0] ?? ''
      return [this.#compare(operator === '<' ? '<=' : operator, storable)]
    }
    return [...bound('=', prefix), ...bound(this.#beyond, after), ...bound('<=', until)]
  }

  #keyBounds({ prefix, after, until }: PageQuery): string[] {
    const bounds = [`${this.column} IS NOT NULL`]
    if (prefix) bounds.push(this.#compare('>=', encodeKey(prefix)), this.#compare('<', afterKey(prefix)))
    if (after && this.#isBackwards) bounds.push(this.#compare('<', encodeKey(after)))
    else if (after) bounds.push(this.#compare('>=', afterKey(after)))
    if (until) bounds.push(this.#compare('<', afterKey(until)))
    return bounds
  }

  #compare(operator: string, value: string | Buffer): string {
    return `${this.column} ${operator} ${this.parameters.add(value)}`
  }

  /** The statement that reads some of the rows, in their order. Call it once: it adds to the parameters. */
  select(
    columns: string,
    { offset, limit }: { offset: number; limit: number },
  ): { text: string; values: readonly unknown[] } {
    const { parameters } = this
    const rows = `FROM ${this.#table} WHERE ${this.condition}`
    const ordered = `ORDER BY ${this.#ordered}`
    let from = ''
    if (offset > 0) {
      // The first rows are skipped in the index, so that their records are not read.
      const keys = this.column === 'id' ? 'id' : `${this.column}, id`
      const first = `SELECT ${keys} ${rows} ${ordered} OFFSET ${parameters.add(offset, 'int8')} LIMIT 1`
      from = ` AND (${keys}) ${this.#beyond}= (${first})`
    }
    const text = `SELECT ${columns} ${rows}${from} ${ordered} LIMIT ${parameters.add(limit, 'int8')}`
    return { text, values: parameters.values }
  }
}
