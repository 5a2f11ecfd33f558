import { noRoom } from '../../core/byte-budget.ts'
import { monotonicNow } from '../../core/machine.ts'
import type { TextMatch, TextMatches, TextPage, TextPlace, TextQuery } from '../texts.ts'
import type { Connection } from './connection.ts'
import { Parameters } from './parameters.ts'
import { countAll } from './reads.ts'
import type { Shard } from './table.ts'
import type { RunStoppable } from './stoppable.ts'
import { allOf, conditionsOf, hitsOf, type Slice, textsOf } from './text-conditions.ts'

/** One search, which may be stopped. */
export class Search {
  readonly #sql: Connection
  readonly #place: Shard
  readonly #query: TextQuery
  readonly #run: RunStoppable
  readonly #until: number

  constructor(
    sql: Connection,
    place: Shard,
    query: TextQuery,
    run: RunStoppable,
    mostMs: number = Number.POSITIVE_INFINITY,
  ) {
    this.#sql = sql
    this.#place = place
    this.#query = query
    this.#run = run
    this.#until = monotonicNow() + mostMs
  }

  /** @returns All matches, newest first; `left` is more than 0 if the time was over. */
  async all(): Promise<TextMatches> {
    const hits = await this.#hits({ mostMs: firstMs })
    return hits ? { matches: hits, left: 0 } : await this.#inSteps()
  }

  /** @returns A page and the number of matches; `left` is more than 0 if the time was over. */
  async page(wanted: TextPlace): Promise<TextPage> {
    // Where many texts match, the page comes from the newest ones, and the number from comparing all of them.
    const triesNewest = !wanted.isCounted || (await this.#isCommon())
    const newest = triesNewest ? await this.#newest(wanted) : null
    if (newest) {
      if (!wanted.isCounted || !newest.isPartial) return newest
      const counts = await this.#compareAll()
      if (counts) return { ...newest, ...counts, isPartial: false }
    }
    return (await this.#pageByIndex(wanted)) ?? (await this.#pageInSteps(wanted))
  }

  /** The page and the number of all matches from one search by the index; null if that takes too long. */
  async #pageByIndex({ before, offset, limit }: TextPlace): Promise<TextPage | null> {
    const rows = await this.#ask<Pick<TextPage, 'count' | 'undecided' | 'ids'>>(firstMs, (parameters) => {
      const hits = hitsOf(this.#place, this.#query, parameters)
      const bound = before === null ? '' : `WHERE id < ${parameters.add(before, 'text')}`
      const slice = `LIMIT ${parameters.add(limit, 'int8')} OFFSET ${parameters.add(offset, 'int8')}`
      return `WITH hits AS MATERIALIZED (${hits})
        SELECT count(*)::float8 AS count, count(*) FILTER (WHERE undecided)::float8 AS undecided,
          ARRAY(SELECT id FROM hits ${bound} ORDER BY id DESC ${slice}) AS ids
        FROM hits`
    })
    return rows && { ...(rows[0] ?? { count: 0, undecided: 0, ids: [] }), left: 0, isPartial: false }
  }

  async #pageInSteps({ before, offset, limit }: TextPlace): Promise<TextPage> {
    const { matches, left } = await this.#inSteps()
    const older = before === null ? matches : matches.filter(({ id }) => id < before)
    const ids = older.slice(offset, offset + limit).map(({ id }) => id)
    const undecided = matches.filter(({ isUndecided }) => isUndecided).length
    return { count: matches.length, undecided, ids, left, isPartial: false }
  }

  /** Whether a third of the texts or more match, judged by those on about a hundred pages of the table. */
  async #isCommon(): Promise<boolean> {
    const { table, partition } = this.#place
    const rows = await this.#ask<{ looked: number; hits: number }>(sampleMs, (parameters) => {
      const { sql: texts, parts } = textsOf(table)
      const hit = allOf(parts, this.#query.terms, parameters)
      const pages = `(pg_relation_size(${parameters.add(texts, 'text')}::regclass) / current_setting('block_size')::int4)`
      return `SELECT count(*)::float8 AS looked, count(*) FILTER (WHERE ${hit})::float8 AS hits
        FROM ${texts} TABLESAMPLE SYSTEM ((SELECT least(100, 100.0 * ${samplePages} / greatest(${pages}, 1))::float4))
        WHERE partition = ${parameters.add(partition)}`
    })
    const [{ looked, hits } = { looked: 0, hits: 0 }] = rows ?? []
    return looked >= leastSample && hits >= looked / 3
  }

  /**
   * Counts the matches by comparing each text, which PostgreSQL divides between processes. Where many match it takes
   * half the time of a search by the index, which compares them too. Null if it takes too long.
   */
  async #compareAll(): Promise<Pick<TextPage, 'count' | 'undecided'> | null> {
    const rows = await this.#ask<Pick<TextPage, 'count' | 'undecided'>>(firstMs, (parameters) => {
      const { table, bounds, hit, also, missing } = conditionsOf(this.#place, this.#query, parameters)
      const without = missing ? ` + (SELECT count(*) FROM (${missing}) missing)` : ''
      return `SELECT (hits + undecided)::float8 AS count, undecided::float8 AS undecided FROM (
          SELECT count(*) FILTER (WHERE ${hit}) AS hits,
            count(*) FILTER (WHERE unsure AND (${hit}) IS NULL)${without} AS undecided
          FROM ${table} WHERE ${bounds} AND ${also}
        ) counts`
    })
    return rows?.[0] ?? null
  }

  /** The page, if the matches among the newest texts fill it; else null. A search by the index compares all matches. */
  async #newest({ before, offset, limit }: TextPlace): Promise<TextPage | null> {
    if (offset + limit > newestTexts) return null
    const from = await this.#stepFrom(before, newestTexts)
    const hits = from && (await this.#hits({ slice: { from: from.id, below: before } }))
    if (!hits || hits.length < offset + limit || hits.some(({ isUndecided }) => isUndecided)) return null
    const ids = hits.slice(offset, offset + limit).map(({ id }) => id)
    const isPartial = from.id !== null || before !== null
    return { count: hits.length, undecided: 0, ids, left: 0, isPartial }
  }

  /** The oldest of the next `size` texts before `below`; `id` is null if there are fewer. Null if the time is over. */
  async #stepFrom(below: string | null, size: number): Promise<{ readonly id: string | null } | null> {
    const { table, partition } = this.#place
    const rows = await this.#ask<{ id: string }>(longestStepMs, (parameters) => {
      const bound = below === null ? '' : ` AND id < ${parameters.add(below, 'text')}`
      return `SELECT id FROM ${textsOf(table).sql} WHERE partition = ${parameters.add(partition)}${bound}
        ORDER BY id DESC OFFSET ${parameters.add(size - 1, 'int8')} LIMIT 1`
    })
    return rows && { id: rows[0]?.id ?? null }
  }

  /** The matches of a slice, newest first; null if that takes too long. @param slice  Default: all. */
  #hits({ slice, mostMs = longestStepMs }: { slice?: Slice; mostMs?: number }): Promise<TextMatch[] | null> {
    return this.#ask<TextMatch>(mostMs, (parameters) => {
      const hits = hitsOf(this.#place, this.#query, parameters, slice)
      return `SELECT id, undecided AS "isUndecided" FROM (${hits}) hits ORDER BY id DESC`
    })
  }

  /** Scans texts in steps, the newest first, until the time of the search is over. */
  async #inSteps(): Promise<TextMatches> {
    const matches: TextMatch[] = []
    let below: string | null = null
    let size = firstStep
    let looked = 0
    for (;;) {
      const began = monotonicNow()
      const from: { readonly id: string | null } | null = await this.#stepFrom(below, size)
      const hits = from && (await this.#hits({ slice: { from: from.id, below } }))
      if (!hits) {
        if (this.#isOver())
          return { matches, left: Math.max(0, (await countAll(this.#sql, this.#place)) - looked) }
        if (size === 1) throw noRoom('The database takes seconds to look at one text.')
        size = Math.max(1, Math.floor(size / 4))
        continue
      }
      for (const hit of hits) matches.push(hit)
      if (from.id === null) return { matches, left: 0 }
      looked += size
      below = from.id
      if (monotonicNow() - began < wantedStepMs) size *= 2
      else if (monotonicNow() - began > 3 * wantedStepMs) size = Math.max(1, Math.floor(size / 2))
    }
  }

  #isOver(): boolean {
    return monotonicNow() >= this.#until
  }

  /** @returns null if the statement took longer, or the time of the search is over. */
  async #ask<Row>(mostMs: number, write: (parameters: Parameters) => string): Promise<Row[] | null> {
    if (this.#isOver()) return null
    const parameters = new Parameters()
    const text = write(parameters)
    return await this.#run(text, parameters.values, Math.min(mostMs, this.#until - monotonicNow()))
  }
}

/** An index answers nearly all searches within this time. Longer searches continue in steps. */
const firstMs = 1000
/** How many texts a page that need not count all matches looks at first. */
const newestTexts = 500
/** About how many pages of the table a sample has. */
const samplePages = 100
/** A slow database is not asked for longer, because most searches do not need the sample. */
const sampleMs = 100
/** A sample of fewer texts says nothing. */
const leastSample = 50
/** How many texts the first step looks at. */
const firstStep = 500
const wantedStepMs = 200
const longestStepMs = 1000
