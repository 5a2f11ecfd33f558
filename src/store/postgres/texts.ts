import { misuse } from '../io-errors.ts'
import type { RecordText, TextMatch, TextPage, TextPlace, TextQuery, TextTerm } from '../texts.ts'
import { Parameters, toSql } from './conditions.ts'
import type { Connection } from './connection.ts'
import { isStorable } from './keys.ts'
import { type Place, scanMs } from './reads.ts'
import type { Table } from './table.ts'

/** Keeps and searches the texts of records in PostgreSQL; each method as the one of the same name in `Texts`. */
export class PostgresTexts {
  readonly #sql: Connection

  constructor(sql: Connection) {
    this.#sql = sql
  }

  async put(place: Place, id: string, text: RecordText): Promise<void> {
    const { name, parts } = textsOf(place.table)
    const columns = parts.map((_, at) => `part_${at}`)
    const values = parts.map((part) => cleaned(text[part] ?? null))
    // The lock waits for a commit that removes the record, and such a commit waits for it.
    await this.#sql.run(
      `INSERT INTO ${name} (partition, id, unsure, ${columns.join(', ')})
       SELECT partition, id, $3::boolean, ${columns.map((_, at) => `$${at + 4}::text`).join(', ')}
       FROM (SELECT partition, id FROM ${place.table.sql} WHERE partition = $1 AND id = $2 FOR KEY SHARE) record
       ON CONFLICT (partition, id) DO UPDATE
       SET unsure = excluded.unsure, ${columns.map((name) => `${name} = excluded.${name}`).join(', ')}`,
      [place.partition, id, values.includes(null), ...values],
    )
  }

  async missing({ table, partition }: Place, after: string, limit: number): Promise<string[]> {
    const rows = await this.#sql.run<{ id: string }>(
      `SELECT id FROM ${table.sql} record WHERE partition = $1 AND id > $2 AND ${hasNoText(table)}
       ORDER BY id LIMIT $3`,
      [partition, after, limit],
      { mostMs: scanMs },
    )
    return rows.map(({ id }) => id)
  }

  async countMissing({ table, partition }: Place): Promise<number> {
    const [row] = await this.#sql.run<{ missing: number }>(
      `SELECT (
         coalesce((SELECT records FROM ${this.#sql.name('totals')} WHERE partition = $1 AND collection = $2), 0)
         - (SELECT count(*) FROM ${textsOf(table).name} WHERE partition = $1)
       )::float8 AS missing`,
      [partition, table.name],
      { mostMs: scanMs },
    )
    return row?.missing ?? 0
  }

  async page(place: Place, query: TextQuery, { before, offset, limit }: TextPlace): Promise<TextPage> {
    const parameters = new Parameters()
    const hits = hitsOf(place, query, parameters)
    const bound = before === null ? '' : `WHERE id < ${parameters.add(before)}::text`
    const slice = `LIMIT ${parameters.add(limit)}::int8 OFFSET ${parameters.add(offset)}::int8`
    const [row] = await this.#sql.run<TextPage & { ids: string[] | null }>(
      `WITH hits AS MATERIALIZED (${hits})
       SELECT count(*)::float8 AS count, count(*) FILTER (WHERE undecided)::float8 AS undecided,
         ARRAY(SELECT id FROM hits ${bound} ORDER BY id DESC ${slice}) AS ids
       FROM hits`,
      parameters.values,
      { isLasting: false, mostMs: scanMs },
    )
    return { count: row?.count ?? 0, undecided: row?.undecided ?? 0, ids: row?.ids ?? [] }
  }

  async all(place: Place, query: TextQuery): Promise<TextMatch[]> {
    const parameters = new Parameters()
    const rows = await this.#sql.run<{ id: string; undecided: boolean }>(
      `SELECT id, undecided FROM (${hitsOf(place, query, parameters)}) hits ORDER BY id DESC`,
      parameters.values,
      { isLasting: false, mostMs: scanMs },
    )
    return rows.map(({ id, undecided }) => ({ id, isUndecided: undecided }))
  }
}

/** The statement that gives the matches and whether they are undecided. A condition is null if a part is. */
function hitsOf({ table, partition }: Place, query: TextQuery, parameters: Parameters): string {
  const { terms, where, missingAfter } = query
  const own = parameters.add(partition)
  const among = where === null ? null : toSql(where, table.facts, parameters)
  if (among && !among.isExact) throw misuse('The condition beside the terms of a text is not on facts alone.')
  const { name: texts, parts } = textsOf(table)
  const all = terms.map((term) => termSql(parts, term, parameters)).join(' AND ')
  const also = among
    ? ` AND id IN (SELECT id FROM ${table.sql} WHERE partition = ${own} AND ${among.sql})`
    : ''
  const hits = [
    `SELECT id, false AS undecided FROM ${texts} WHERE partition = ${own} AND ${all}${also}`,
    `SELECT id, true FROM ${texts} WHERE partition = ${own} AND unsure AND (${all}) IS NULL${also}`,
  ]
  if (missingAfter !== null)
    hits.push(
      `SELECT id, true FROM ${table.sql} record
       WHERE partition = ${own} AND id > ${parameters.add(missingAfter)}::text AND ${hasNoText(table)}${among ? ` AND ${among.sql}` : ''}`,
    )
  return hits.join(' UNION ALL ')
}

function textsOf(table: Table): NonNullable<Table['texts']> {
  if (!table.texts) throw misuse(`The collection ${table.name} has no texts.`)
  return table.texts
}

/** Of the row `record` of the collection's table. */
function hasNoText(table: Table): string {
  return `NOT EXISTS (SELECT FROM ${textsOf(table).name} text WHERE text.partition = record.partition AND text.id = record.id)`
}

function termSql(names: readonly string[], term: TextTerm, parameters: Parameters): string {
  const { parts, forms, isNegative } = term
  const patterns = forms.map((form) => cleaned(form)).map((form) => parameters.add(`%${escaped(form)}%`))
  const one = parts.flatMap((part) => {
    const at = names.indexOf(part)
    if (at < 0) throw misuse(`The texts of the collection have no part ${JSON.stringify(part)}.`)
    return patterns.map((pattern) => `part_${at} LIKE ${pattern}::text`)
  })
  // Where a part is undecided, so is a term without a form: the record may contain what no text can.
  const any = one.length > 0 ? `(${one.join(' OR ')})` : `(CASE WHEN unsure THEN NULL ELSE false END)`
  return isNegative ? `NOT ${any}` : any
}

/** As UTF-8 represents it, and without a NUL, which PostgreSQL's texts cannot have. */
function cleaned<T extends string | null>(text: T): T
function cleaned(text: string | null): string | null {
  return text === null || isStorable(text) ? text : Buffer.from(text).toString().replaceAll('\0', ' ')
}

/** A text without the characters that mean something in a pattern. */
function escaped(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&')
}
