import type { Connection } from './connection.ts'

/** The number of the last commit, and the number of records in each partition at that commit. */
export interface StoreState {
  readonly seq: number
  /** Which instance stored that commit, and a digest of its changes; null if they are not known. */
  readonly last: { readonly instance: string; readonly digest: string } | null
  readonly totals: Map<string, number>
}

export async function readState(sql: Connection): Promise<StoreState> {
  const rows = await sql.run<{
    seq: number
    instance: string | null
    digest: string | null
    partition: string | null
    records: number
  }>(
    `SELECT own.seq::float8 AS seq, last.instance, md5(last.changes) AS digest, held.partition, held.records::float8 AS records
     FROM ${sql.name('localpost')} own LEFT JOIN ${sql.name('changes')} last ON last.seq = own.seq
     LEFT JOIN (SELECT partition, sum(records) AS records FROM ${sql.name('totals')} GROUP BY partition) held ON true`,
  )
  const totals = new Map<string, number>()
  for (const { partition, records } of rows)
    if (partition !== null && records > 0) totals.set(partition, records)
  const { seq = 0, instance = null, digest = null } = rows[0] ?? {}
  const last = instance === null || digest === null ? null : { instance, digest }
  return { seq, last, totals }
}
