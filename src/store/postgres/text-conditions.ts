import { misuse } from '../io-errors.ts'
import type { TextQuery, TextTerm } from '../texts.ts'
import { toSql } from './conditions.ts'
import type { Parameters } from './parameters.ts'
import { toStorable } from './storable-text.ts'
import { partColumn, type Shard, type Table } from './table.ts'

/** Texts from one id (inclusive) to another (exclusive); null for no bound. */
export interface Slice {
  readonly from: string | null
  readonly below: string | null
}
const whole: Slice = { from: null, below: null }

/** The statement that selects the matches and whether they are undecided. */
export function hitsOf(place: Shard, query: TextQuery, parameters: Parameters, slice: Slice = whole): string {
  const { table, bounds, hit, also, missing } = conditionsOf(place, query, parameters, slice)
  const { from, below } = slice
  // OFFSET keeps the server from searching an index for each slice.
  const texts =
    from === null && below === null ? table : `(SELECT * FROM ${table} WHERE ${bounds} OFFSET 0) slice`
  const hits = [
    `SELECT id, false AS undecided FROM ${texts} WHERE ${bounds} AND ${hit} AND ${also}`,
    `SELECT id, true FROM ${table} WHERE ${bounds} AND unsure AND (${hit}) IS NULL AND ${also}`,
  ]
  if (missing) hits.push(`SELECT id, true FROM (${missing}) missing`)
  return hits.join(' UNION ALL ')
}

/** The parts of a statement about texts, in SQL. */
export interface TextConditions {
  /** The table of the texts. */
  readonly table: string
  /** The rows in question, in this table and in that of the records, which both have `partition` and `id`. */
  readonly bounds: string
  /** Whether all terms are true; null if a part of the text that decides it is null. */
  readonly hit: string
  /** The further condition on the records; `true` for none. */
  readonly also: string
  /** Selects the ids of the records without a text that are undecided; null if they are not wanted. */
  readonly missing: string | null
}

/** @param parameters  Gets the values of the conditions. @throws internal_error if `where` needs more than facts. */
export function conditionsOf(
  { table, partition }: Shard,
  { terms, where, missingAfter }: TextQuery,
  parameters: Parameters,
  { from, below }: Slice = whole,
): TextConditions {
  const own = parameters.add(partition)
  const among = where === null ? null : toSql(where, table.facts, parameters)
  if (among && !among.isExact) throw misuse('The condition beside the terms of a text is not on facts alone.')
  const texts = textsOf(table)
  const bounds = [
    `partition = ${own}`,
    ...(from === null ? [] : [`id >= ${parameters.add(from, 'text')}`]),
    ...(below === null ? [] : [`id < ${parameters.add(below, 'text')}`]),
  ].join(' AND ')
  const missing =
    missingAfter === null
      ? null
      : `SELECT id FROM ${table.sql} record
         WHERE ${bounds} AND ${hasNoText(table, parameters.add(missingAfter, 'text'))}${among ? ` AND ${among.sql}` : ''}
           AND ${terms.map((term) => recordMayHold(term, parameters)).join(' AND ')}`
  return {
    table: texts.sql,
    bounds,
    hit: allOf(texts.parts, terms, parameters),
    also: among ? `id IN (SELECT id FROM ${table.sql} WHERE partition = ${own} AND ${among.sql})` : 'true',
    missing,
  }
}

/** Whether a text has all terms. A condition on a null part is null. */
export function allOf(names: readonly string[], terms: readonly TextTerm[], parameters: Parameters): string {
  return terms.map((term) => termSql(names, term, parameters)).join(' AND ')
}

/** @throws internal_error if the collection has no texts. */
export function textsOf(table: Table): NonNullable<Table['texts']> {
  if (!table.texts) throw misuse(`The collection ${table.name} has no texts.`)
  return table.texts
}

/**
 * The condition that the row `record` has no text.
 *
 * @param after  In SQL, an id before the row's: earlier texts are not looked at.
 */
export function hasNoText(table: Table, after: string): string {
  return `id > ${after} AND NOT EXISTS (
    SELECT FROM ${textsOf(table).sql} text
    WHERE text.partition = record.partition AND text.id = record.id AND text.id > ${after}
  )`
}

function termSql(names: readonly string[], term: TextTerm, parameters: Parameters): string {
  const { parts, forms, isNegative } = term
  const patterns = forms.map((form) => parameters.add(`%${escapedPattern(toStorable(form))}%`))
  const one = parts.flatMap((part) => {
    const at = names.indexOf(part)
    if (at < 0) throw misuse(`The texts of the collection have no part ${JSON.stringify(part)}.`)
    return patterns.map((pattern) => `${partColumn(at)} LIKE ${pattern}::text`)
  })
  // No text can contain a term without forms. The record may, so the term is undecided if a part of the text is.
  const any = one.length > 0 ? `(${one.join(' OR ')})` : `(CASE WHEN unsure THEN NULL ELSE false END)`
  return isNegative ? `NOT ${any}` : any
}

/** A text with the special characters of a pattern escaped. */
function escapedPattern(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&')
}

/**
 * Whether a record can have a term in one of its strings, judged by its JSON alone: never false for a record that has it. So only
 * the records that are left have to be sent and read.
 */
function recordMayHold({ forms, isNegative }: TextTerm, parameters: Parameters): string {
  if (isNegative) return 'true'
  const mayHold = forms.map((form) => {
    // Other letters than those of ASCII are compared by the record: PostgreSQL does not fold them as searches do.
    if (!/^[ -~]*$/.test(form)) return 'false'
    const has = (text: string): string =>
      `strpos(lower(${json}), ${parameters.add(JSON.stringify(text).slice(1, -1), 'text')}) > 0`
    if (!form.includes(' ')) return has(form)
    const words = form.split(' ').toSorted((a, b) => b.length - a.length)
    return `(${words.slice(0, maxWords).map(has).join(' AND ')} AND (${has(form)} OR ${mayFoldSpaces}))`
  })
  return `(${[...mayHold, isBeyondAscii].join(' OR ')})`
}

const json = 'record::text COLLATE "C"'
/**
 * In another encoding, characters may have one byte each: all records are read. Half of a surrogate pair is escaped in
 * JSON: `\ud83d`.
 */
const isBeyondAscii = `(current_setting('server_encoding') <> 'UTF8' OR octet_length(record::text) > char_length(record::text)
  OR strpos(${json}, chr(92) || 'ud') > 0)`
/** Whether white space may have to be folded: it is escaped in JSON by a backslash, or there are two spaces. */
const mayFoldSpaces = ['chr(92)', "'  '", 'chr(127)']
  .map((text) => `strpos(${json}, ${text}) > 0`)
  .join(' OR ')
/** Of a term, the longest words are looked for first: usually few records have them. */
const maxWords = 3
