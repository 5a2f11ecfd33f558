import { factAt } from '../facts.ts'
import { groupOf, Groups } from '../groups.ts'
import { defaultPageLimit, type PageQuery } from '../queries.ts'
import { toRecord } from '../read-records.ts'
import type { Collection, Store, StoredRecord } from '../store.ts'
import type { Named } from '../texts.ts'
import { compileQuery } from '../where.ts'
import { createPacer } from '../../core/slices.ts'
import { toSql } from './conditions.ts'
import { Parameters } from './parameters.ts'
import { type Connection, scanMs } from './connection.ts'
import { encodeKey } from './index-keys.ts'
import { splitTexts } from './joined-texts.ts'
import { isStorable } from './storable-text.ts'
import { Scan } from './scan.ts'
import type { Shard, Table } from './table.ts'

/** The reads of records in a partition; see `Store`. */
type Reads = Pick<Store, 'get' | 'find' | 'page' | 'ids' | 'count' | 'tally' | 'groups'>

/** @param shardOf  Where the records of a collection are. @throws closed. */
export function createReads(sql: Connection, shardOf: (collection: Named) => Shard): Reads {
  return {
    get: async (collection, id) => await readBy(sql, shardOf(collection), 'id', id),

    async find(collection, index, key) {
      const place = shardOf(collection)
      // Ids are texts: a number or a boolean is none.
      if (index === 'id') return typeof key[0] === 'string' ? await readBy(sql, place, 'id', key[0]) : null
      return await readBy(sql, place, place.table.index(index).column, encodeKey(key))
    },

    async page<T extends StoredRecord>(collection: Collection<T>, query: PageQuery = {}) {
      const limit = Math.max(0, query.limit ?? defaultPageLimit)
      const records: T[] = []
      for await (const row of scanRows(sql, shardOf(collection), query, { wanted: limit + 1 })) {
        if (records.length === limit) return { records, more: true }
        records.push(row.record as T)
      }
      return { records, more: false }
    },

    async ids(collection, query = {}) {
      const ids: string[] = []
      const { limit = Number.POSITIVE_INFINITY } = query
      const place = shardOf(collection)
      for await (const { id } of scanRows(sql, place, query, { wanted: Math.max(0, limit), idsAlone: true }))
        if (ids.push(id) >= limit) break
      return ids
    },

    async count(collection, query = {}) {
      const place = shardOf(collection)
      const scan = new Scan(place, query)
      if (!scan.isExact) {
        let count = 0
        for await (const _ of scanRows(sql, place, query, { idsAlone: true })) count++
        return count
      }
      if (scan.isWhole) return await countAll(sql, place)
      const [found] = await sql.run<{ count: number }>(
        `SELECT count(*)::float8 AS count FROM ${place.table.sql} WHERE ${scan.condition}`,
        scan.parameters.values,
        { isLasting: query.where === undefined, timeoutMs: scanMs },
      )
      return found?.count ?? 0
    },

    async tally(collection, text) {
      const { table, partition } = shardOf(collection)
      const column = `text_${factAt(table.facts?.texts, text)}`
      const rows = await sql.run<{ joined: string; count: number }>(
        `SELECT ${column} AS joined, count(*)::float8 AS count FROM ${table.sql}
         WHERE partition = $1 AND ${column} <> '' GROUP BY ${column}`,
        [partition],
        { timeoutMs: scanMs },
      )
      const counts = new Map<string, number>()
      for (const { joined, count } of rows)
        for (const one of new Set(splitTexts(joined))) counts.set(one, (counts.get(one) ?? 0) + count)
      return counts
    },

    async groups(collection, query) {
      const { table, partition } = shardOf(collection)
      const { flag, text, prefix, counted } = query
      const parameters = new Parameters()
      const own = parameters.add(partition)
      const where = { all: [{ flag }, { text, begins: prefix }] }
      const { sql: condition } = toSql(where, table.facts, parameters)
      const flags = counted.map((name) => toSql({ flag: name }, table.facts, parameters).sql)
      const counts = ['true', ...flags].map((one) => `count(*) FILTER (WHERE ${one})::float8`)
      const column = `text_${factAt(table.facts?.texts, text)}`
      const rows = await sql.run<{ joined: string; first: string; counts: number[] }>(
        `SELECT ${column} AS joined, min(id) AS first, ARRAY[${counts.join(', ')}] AS counts
         FROM ${table.sql} WHERE partition = ${own} AND ${condition} GROUP BY ${column}`,
        parameters.values,
        { timeoutMs: scanMs },
      )
      const groups = new Groups(counted.length)
      for (const { joined, first, counts } of rows) {
        const found = groupOf(splitTexts(joined), query)
        if (found === null) continue
        const group = groups.of(found)
        group.meet(first)
        group.add(counts)
      }
      return groups.all()
    },
  }
}

async function readBy<T extends StoredRecord>(
  sql: Connection,
  { table, partition }: Shard,
  column: string,
  key: string | Buffer,
): Promise<T | null> {
  if (typeof key === 'string' && !isStorable(key)) return null
  const text = `SELECT record::text AS record FROM ${table.sql} WHERE partition = $1 AND ${column} = $2 LIMIT 1`
  const [row] = await sql.run<{ record: string }>(text, [partition, key])
  return row ? toRecord<T>(row.record) : null
}

/** The texts of the records whose ids are given, in their order; null for a record that does not exist. */
export async function selectTexts(
  sql: Connection,
  { table, partition }: Shard,
  ids: readonly string[],
): Promise<(string | null)[]> {
  const rows = await sql.run<{ id: string; record: string }>(
    `SELECT id, record::text AS record FROM ${table.sql} WHERE partition = $1 AND id = ANY($2::text[])`,
    [partition, ids.filter(isStorable)],
  )
  const texts = new Map(rows.map(({ id, record }) => [id, record]))
  return ids.map((id) => texts.get(id) ?? null)
}

/** How many records of all partitions together are in an index. */
export async function totalOf(sql: Connection, table: Table, index: string): Promise<number> {
  const [row] =
    index === 'id'
      ? await sql.run<{ records: number }>(
          `SELECT coalesce(sum(records), 0)::float8 AS records FROM ${sql.name('totals')} WHERE collection = $1`,
          [table.name],
        )
      : await sql.run<{ records: number }>(
          `SELECT count(*)::float8 AS records FROM ${table.sql} WHERE ${table.index(index).column} IS NOT NULL`,
          [],
          { timeoutMs: scanMs },
        )
  return row?.records ?? 0
}

/** How many records there are. */
export async function countAll(sql: Connection, { table, partition }: Shard): Promise<number> {
  const [row] = await sql.run<{ records: number }>(
    `SELECT records::float8 AS records FROM ${sql.name('totals')} WHERE partition = $1 AND collection = $2`,
    [partition, table.name],
  )
  return row?.records ?? 0
}

/**
 * The matching rows in the order of the query, read in steps: each step continues after the last row of the previous
 * one, so that a record that does not move is returned exactly once, whatever others write meanwhile.
 *
 * @param wanted  How many rows the caller takes at most.
 * @param idsAlone  Reads only the ids if the condition allows it.
 */
async function* scanRows(
  sql: Connection,
  place: Shard,
  query: PageQuery,
  { wanted = Number.POSITIVE_INFINITY, idsAlone = false }: { wanted?: number; idsAlone?: boolean },
): AsyncGenerator<{ id: string; record: StoredRecord | null }> {
  let scan = new Scan(place, query)
  const matches = compileQuery(query, place.table.facts)
  // The database skips and limits where it finds matching rows alone. Otherwise rows are read, compared, skipped and
  // counted here.
  const { isExact } = scan
  const isLight = idsAlone && isExact
  const pageSize = isLight ? 10_000 : isExact ? 500 : 1000
  const columns = `id${scan.column === 'id' ? '' : `, ${scan.column} AS key`}${isLight ? '' : ', record::text AS record'}`
  const pacer = createPacer()
  let skipping = isExact ? 0 : (query.offset ?? 0)
  for (let left = wanted, isFirst = true; left > 0; isFirst = false) {
    const limit = isExact ? Math.min(left, pageSize) : pageSize
    const offset = isFirst && isExact ? (query.offset ?? 0) : 0
    const { text, values } = scan.select(columns, { offset, limit })
    const rows = await sql.run<{ id: string; record?: string; key?: Buffer }>(text, values, {
      isLasting: query.where === undefined,
      ...(query.where && { timeoutMs: scanMs }),
    })
    for (const { id, record: text } of rows) {
      if (pacer.due()) await pacer.turn()
      const record = text === undefined ? null : toRecord<StoredRecord>(text)
      if (!isExact && record && !matches(record)) continue
      if (skipping > 0) {
        skipping--
        continue
      }
      yield { id, record }
      left--
    }
    const last = rows.at(-1)
    if (rows.length < limit || !last) return
    scan = new Scan(place, query, last)
  }
}
