import { noRoom } from '../../core/byte-budget.ts'
import { monotonicNow } from '../../core/machine.ts'
import type {
  RecordText,
  TextLimit,
  TextMatch,
  TextMatches,
  TextPage,
  TextPlace,
  TextQuery,
} from '../texts.ts'
import { Parameters } from './parameters.ts'
import type { Connection } from './connection.ts'
import { type Place, scanMs } from './reads.ts'
import type { RunStoppable } from './stoppable.ts'
import { allOf, cleaned, conditionsOf, hasNoText, hitsOf, type Slice, textsOf } from './text-conditions.ts'

/** Runs a search over a separate connection, until the signal is aborted. */
type Searching = <T>(work: (run: RunStoppable) => Promise<T>, signal: AbortSignal | undefined) => Promise<T>

/** Stores and searches the texts of records in PostgreSQL. Each method is like the one with the same name in `Texts`. */
export class PostgresTexts {
  readonly #sql: Connection
  readonly #searching: Searching

  constructor(sql: Connection, searching: Searching) {
    this.#sql = sql
    this.#searching = searching
  }

  async put(place: Place, id: string, text: RecordText): Promise<void> {
    const { name, parts } = textsOf(place.table)
    const columns = parts.map((_, at) => `part_${at}`)
    const values = parts.map((part) => cleaned(text[part] ?? null))
    // FOR KEY SHARE waits for a commit that removes the record, and such a commit waits for this lock.
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

  async page(place: Place, query: TextQuery, wanted: TextPlace, limit: TextLimit = {}): Promise<TextPage> {
    return await this.#search(limit, async (search) => {
      // Where many texts match, the page comes from the newest ones, and the number from comparing all of them.
      const isLooked = !wanted.isCounted || (await this.#isCommon(place, query, search))
      const newest = isLooked ? await this.#newest(place, query, wanted, search) : null
      if (newest && !(wanted.isCounted && newest.isPartial)) return newest
      const counts = newest && (await this.#compareAll(place, query, search))
      if (counts) return { ...newest, ...counts, isPartial: false }
      const all = await search.run<Pick<TextPage, 'count' | 'undecided' | 'ids'>>(firstMs, (parameters) => {
        const hits = hitsOf(place, query, parameters)
        const bound = wanted.before === null ? '' : `WHERE id < ${parameters.add(wanted.before, 'text')}`
        const slice = `LIMIT ${parameters.add(wanted.limit, 'int8')} OFFSET ${parameters.add(wanted.offset, 'int8')}`
        return `WITH hits AS MATERIALIZED (${hits})
          SELECT count(*)::float8 AS count, count(*) FILTER (WHERE undecided)::float8 AS undecided,
            ARRAY(SELECT id FROM hits ${bound} ORDER BY id DESC ${slice}) AS ids
          FROM hits`
      })
      if (all) return { ...(all[0] ?? { count: 0, undecided: 0, ids: [] }), left: 0, isPartial: false }
      const { matches, left } = await this.#inSteps(place, query, search)
      const { before, offset, limit } = wanted
      const behind = before === null ? matches : matches.filter(({ id }) => id < before)
      const ids = behind.slice(offset, offset + limit).map(({ id }) => id)
      const undecided = matches.filter(({ isUndecided }) => isUndecided).length
      return { count: matches.length, undecided, ids, left, isPartial: false }
    })
  }

  /** Whether a third of the texts or more match, judged by those on about a hundred pages of the table. */
  async #isCommon({ table, partition }: Place, query: TextQuery, search: RunningSearch): Promise<boolean> {
    const rows = await search.run<{ looked: number; hits: number }>(sampleMs, (parameters) => {
      const { name, parts } = textsOf(table)
      const hit = allOf(parts, query.terms, parameters)
      const pages = `(pg_relation_size(${parameters.add(name, 'text')}::regclass) / current_setting('block_size')::int4)`
      return `SELECT count(*)::float8 AS looked, count(*) FILTER (WHERE ${hit})::float8 AS hits
        FROM ${name} TABLESAMPLE SYSTEM ((SELECT least(100, 100.0 * ${samplePages} / greatest(${pages}, 1))::float4))
        WHERE partition = ${parameters.add(partition)}`
    })
    const [{ looked, hits } = { looked: 0, hits: 0 }] = rows ?? []
    return looked >= leastSample && hits >= looked / 3
  }

  /**
   * Counts the matches by comparing each text, which PostgreSQL divides between processes. Where many match it takes half the time
   * of a search by the index, which compares them too. Null if it takes too long.
   */
  async #compareAll(
    place: Place,
    query: TextQuery,
    search: RunningSearch,
  ): Promise<Pick<TextPage, 'count' | 'undecided'> | null> {
    const rows = await search.run<Pick<TextPage, 'count' | 'undecided'>>(firstMs, (parameters) => {
      const { name, bounds, hit, also, missing } = conditionsOf(place, query, parameters)
      return `SELECT (hits + undecided)::float8 AS count, undecided::float8 AS undecided FROM (
          SELECT count(*) FILTER (WHERE ${hit}) AS hits,
            count(*) FILTER (WHERE unsure AND (${hit}) IS NULL)${missing && ` + (SELECT count(*) ${missing})`} AS undecided
          FROM ${name} WHERE ${bounds}${also}
        ) counts`
    })
    return rows?.[0] ?? null
  }

  /**
   * The page, if the matches among the newest texts fill it; null if not. A search by the index compares all matches, however many
   * there are.
   */
  async #newest(
    place: Place,
    query: TextQuery,
    { before, offset, limit }: TextPlace,
    search: RunningSearch,
  ): Promise<TextPage | null> {
    if (offset + limit > newestTexts) return null
    const from = await this.#stepFrom(place, before, newestTexts, search)
    const hits = from && (await this.#hits(place, query, { from: from.id, below: before }, search))
    if (!hits || hits.length < offset + limit || hits.some(({ undecided }) => undecided)) return null
    const ids = hits.slice(offset, offset + limit).map(({ id }) => id)
    const isPartial = from.id !== null || before !== null
    return { count: hits.length, undecided: 0, ids, left: 0, isPartial }
  }

  /**
   * The id of the oldest of the next `size` texts that are older than `below`; `id` is null if there are not so many. Null if the
   * time is over.
   */
  async #stepFrom(
    { table, partition }: Place,
    below: string | null,
    size: number,
    search: RunningSearch,
  ): Promise<{ readonly id: string | null } | null> {
    const rows = await search.run<{ id: string }>(longestStepMs, (parameters) => {
      const bound = below === null ? '' : ` AND id < ${parameters.add(below, 'text')}`
      return `SELECT id FROM ${textsOf(table).name} WHERE partition = ${parameters.add(partition)}${bound}
        ORDER BY id DESC OFFSET ${parameters.add(size - 1, 'int8')} LIMIT 1`
    })
    return rows && { id: rows[0]?.id ?? null }
  }

  /** The matches of a slice, newest first; null if that takes too long. */
  #hits(place: Place, query: TextQuery, slice: Slice, search: RunningSearch): Promise<Hit[] | null> {
    return search.run<Hit>(
      longestStepMs,
      (parameters) =>
        `SELECT id, undecided FROM (${hitsOf(place, query, parameters, slice)}) hits ORDER BY id DESC`,
    )
  }

  async all(place: Place, query: TextQuery, limit: TextLimit = {}): Promise<TextMatches> {
    return await this.#search(limit, async (search) => {
      const rows = await search.run<Hit>(
        firstMs,
        (parameters) =>
          `SELECT id, undecided FROM (${hitsOf(place, query, parameters)}) hits ORDER BY id DESC`,
      )
      return rows ? { matches: rows.map(toMatch), left: 0 } : await this.#inSteps(place, query, search)
    })
  }

  /** Scans texts in steps, the newest first, until the time of the search is over. */
  async #inSteps(place: Place, query: TextQuery, search: RunningSearch): Promise<TextMatches> {
    const matches: TextMatch[] = []
    let below: string | null = null
    let size = firstStep
    let looked = 0
    for (;;) {
      const began = monotonicNow()
      const from: { readonly id: string | null } | null = await this.#stepFrom(place, below, size, search)
      const hits = from && (await this.#hits(place, query, { from: from.id, below }, search))
      if (!hits) {
        if (search.isOver()) return { matches, left: Math.max(0, (await this.#count(place)) - looked) }
        if (size === 1) throw noRoom('The database takes seconds to look at one text.')
        size = Math.max(1, Math.floor(size / 4))
        continue
      }
      for (const hit of hits) matches.push(toMatch(hit))
      if (from.id === null) return { matches, left: 0 }
      looked += size
      below = from.id
      if (monotonicNow() - began < wantedStepMs) size *= 2
      else if (monotonicNow() - began > 3 * wantedStepMs) size = Math.max(1, Math.floor(size / 2))
    }
  }

  /** How many records there are. */
  async #count({ table, partition }: Place): Promise<number> {
    const [row] = await this.#sql.run<{ records: number }>(
      `SELECT records::float8 AS records FROM ${this.#sql.name('totals')} WHERE partition = $1 AND collection = $2`,
      [partition, table.name],
    )
    return row?.records ?? 0
  }

  #search<T>(
    { mostMs = Number.POSITIVE_INFINITY, signal }: TextLimit,
    work: (search: RunningSearch) => Promise<T>,
  ): Promise<T> {
    return this.#searching(async (run) => {
      const until = monotonicNow() + mostMs
      const isOver = (): boolean => monotonicNow() >= until
      return await work({
        isOver,
        async run(mostMs, write) {
          if (isOver()) return null
          const parameters = new Parameters()
          const text = write(parameters)
          return await run(text, parameters.values, Math.min(mostMs, until - monotonicNow()))
        },
      })
    }, signal)
  }
}

/** A search that may be stopped. */
interface RunningSearch {
  /** Whether its time is over. */
  isOver(): boolean
  /** @returns null if the statement took longer, or the time is over. */
  run<Row>(mostMs: number, write: (parameters: Parameters) => string): Promise<Row[] | null>
}

interface Hit {
  readonly id: string
  readonly undecided: boolean
}

const toMatch = ({ id, undecided }: Hit): TextMatch => ({ id, isUndecided: undecided })

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
