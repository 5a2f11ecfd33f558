import { splitBlobId } from '../names.ts'
import type { Named, NewText, Texts } from '../texts.ts'
import { type Connection, scanMs } from './connection.ts'
import { type ValueColumn, columnList, Parameters } from './parameters.ts'
import { givenValues } from './rows.ts'
import { toStorable } from './storable-text.ts'
import type { RunStoppable } from './stoppable.ts'
import { partColumn, type Shard } from './table.ts'
import { hasNoText, textsOf } from './text-conditions.ts'
import { indexName } from './texts-schema.ts'
import { Search } from './text-search.ts'

/** Runs a search over a separate connection, until the signal is aborted. */
export type Searching = <T>(
  work: (run: RunStoppable) => Promise<T>,
  signal: AbortSignal | undefined,
) => Promise<T>

/** Stores and searches the texts of records in a partition. @param shardOf  As for `createReads`. */
export function createTexts(sql: Connection, search: Searching, shardOf: (of: Named) => Shard): Texts {
  return {
    async put(collection, given) {
      const { table, partition } = shardOf(collection)
      // A row that a commit is removing at this moment is skipped: to wait for one while others are locked could block
      // both for good.
      const stored = new Set(await putTexts(sql, { table, partition }, given, 'SKIP LOCKED'))
      const left = given.filter(({ id }) => !stored.has(id))
      if (left.length === 0) return
      const rows = await sql.run<{ id: string }>(
        `SELECT id FROM ${table.sql} WHERE partition = $1 AND id = ANY($2::text[])`,
        [partition, left.map(({ id }) => id)],
      )
      const existing = new Set(rows.map(({ id }) => id))
      for (const one of left) if (existing.has(one.id)) await putTexts(sql, { table, partition }, [one])
    },

    async settle(collection) {
      const { stored } = textsOf(shardOf(collection).table)
      // Each search by the index also reads its list of what came last. Where that is long, PostgreSQL reads all texts instead.
      await sql.run(
        'SELECT gin_clean_pending_list(oid) FROM pg_class WHERE oid = to_regclass($1)',
        [sql.name(indexName(stored))],
        { timeoutMs: scanMs },
      )
    },

    async missing(collection, after, limit) {
      const { table, partition } = shardOf(collection)
      const rows = await sql.run<{ id: string }>(
        `SELECT id FROM ${table.sql} record WHERE partition = $1 AND ${hasNoText(table, '$2')}
         ORDER BY id LIMIT $3`,
        [partition, after, limit],
        { timeoutMs: scanMs },
      )
      return rows.map(({ id }) => id)
    },

    async blobs(collection, ids) {
      const { partition } = shardOf(collection)
      const names = ids.map(splitBlobId)
      const rows = await sql.run<{ owner: string; name: string; bytes: Buffer | null }>(
        `SELECT stored.owner, stored.name, stored.bytes
         FROM unnest($2::text[], $3::text[]) AS given (owner, name) JOIN ${sql.name('blobs')} stored
           ON stored.partition = $1 AND stored.owner = given.owner AND stored.name = given.name`,
        [partition, names.map(({ owner }) => owner), names.map(({ name }) => name)],
      )
      const found = new Map(rows.map(({ owner, name, bytes }) => [`${owner}/${name}`, bytes]))
      return ids.map((id) => found.get(id) ?? null)
    },

    async countMissing(collection) {
      const { table, partition } = shardOf(collection)
      const [row] = await sql.run<{ missing: number }>(
        `SELECT (
           coalesce((SELECT records FROM ${sql.name('totals')} WHERE partition = $1 AND collection = $2), 0)
           - (SELECT count(*) FROM ${textsOf(table).sql} WHERE partition = $1)
         )::float8 AS missing`,
        [partition, table.name],
        { timeoutMs: scanMs },
      )
      return row?.missing ?? 0
    },

    async countCut(collection) {
      const { table, partition } = shardOf(collection)
      const [row] = await sql.run<{ cut: number }>(
        `SELECT count(*)::float8 AS cut FROM ${textsOf(table).sql} WHERE partition = $1 AND cut`,
        [partition],
        { timeoutMs: scanMs },
      )
      return row?.cut ?? 0
    },

    async page(collection, query, wanted, limit = {}) {
      return await search((run) => {
        return new Search(sql, shardOf(collection), query, run, limit.mostMs).page(wanted)
      }, limit.signal)
    },

    async all(collection, query, limit = {}) {
      return await search((run) => {
        return new Search(sql, shardOf(collection), query, run, limit.mostMs).all()
      }, limit.signal)
    },
  }
}

/**
 * Stores texts with one statement.
 *
 * @param locked  What happens to a record that a commit is removing at this moment. Default: the statement waits for that commit.
 * @returns The ids whose texts are stored.
 */
async function putTexts(
  sql: Connection,
  { table, partition }: Shard,
  given: readonly NewText[],
  locked: 'SKIP LOCKED' | '' = '',
): Promise<string[]> {
  const { sql: name, parts } = textsOf(table)
  const texts = given.map(({ text }) =>
    parts.map((part) => {
      const value = text[part] ?? null
      return value === null ? null : toStorable(value)
    }),
  )
  const parameters = new Parameters()
  const own = parameters.add(partition)
  const ids: ValueColumn = { name: 'id', type: 'text[]', values: given.map(({ id }) => id) }
  const derived: ValueColumn[] = [
    { name: 'unsure', type: 'boolean[]', values: texts.map((values) => values.includes(null)) },
    { name: 'cut', type: 'boolean[]', values: given.map(({ isCut }) => isCut) },
    ...parts.map((_, at) => {
      return { name: partColumn(at), type: 'text[]', values: texts.map((values) => values[at]) }
    }),
  ]
  const columns = [ids, ...derived]
  // FOR KEY SHARE waits for a commit that removes the record, and such a commit waits for this lock. The order keeps two
  // instances from waiting for each other.
  const rows = await sql.run<{ id: string }>(
    `INSERT INTO ${name} (partition, ${columnList(columns)})
     SELECT ${own}, given.* FROM ${parameters.unnest(columns)}, LATERAL (
       SELECT FROM ${table.sql} stored WHERE stored.partition = ${own} AND stored.id = given.id FOR KEY SHARE ${locked}
     ) record ORDER BY given.id
     ON CONFLICT (partition, id) DO UPDATE SET ${givenValues(derived)}
     RETURNING id`,
    parameters.values,
  )
  return rows.map(({ id }) => id)
}
