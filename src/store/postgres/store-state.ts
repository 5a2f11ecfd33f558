import { createHash } from 'node:crypto'
import type { CommitChange, StoredCommit } from '../change-feed.ts'
import type { Connection } from './connection.ts'

/** The number of the last commit, and the number of records in each partition at that commit. */
export interface StoreState {
  readonly seq: number
  /** Which instance stored that commit, and a digest of its changes; null if they are not known. */
  readonly last: { readonly instance: string; readonly digest: string } | null
  readonly totals: Map<string, number>
}

/** A commit, and the instance that stored it. */
export type InstanceCommit = StoredCommit & { readonly instance: string }

/** The text of a commit's changes in the database. Every writer uses this, because digests of this text are compared. */
export function textOf(changes: readonly CommitChange[]): string {
  return JSON.stringify(changes)
}

/** The same as {@link storedDigest} of the commit. */
function digestOf(changes: readonly CommitChange[]): string {
  return createHash('md5').update(textOf(changes)).digest('hex')
}

const storedDigest = 'md5(changes)'

/** Reads the present state. */
export async function readState(sql: Connection): Promise<StoreState> {
  const rows = await sql.run<{
    seq: number
    instance: string | null
    digest: string | null
    partition: string | null
    records: number
  }>(
    `SELECT own.seq::float8 AS seq, last.instance, ${storedDigest} AS digest, held.partition, held.records::float8 AS records
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

/** The state after the commits that follow it. It takes over the totals of the given state, which must not be used afterwards. */
export function advance(state: StoreState, commits: readonly InstanceCommit[]): StoreState {
  const newest = commits.at(-1)
  if (!newest) return state
  const { totals } = state
  for (const { partition, changes } of commits) {
    const now = (totals.get(partition) ?? 0) + growthOf(changes)
    if (now > 0) totals.set(partition, now)
    else totals.delete(partition)
  }
  return { seq: newest.seq, last: { instance: newest.instance, digest: digestOf(newest.changes) }, totals }
}

/** By how many records a commit changed its partition. */
function growthOf(changes: readonly CommitChange[]): number {
  let by = 0
  for (const change of changes) {
    if (change.op === 'bulk') by -= change.removed
    else if (change.op === 'insert') by++
    else if (change.op === 'remove') by--
  }
  return by
}

/**
 * Reads the commits after a state, in their order.
 *
 * @param current  The state; it may have more commits once the database answers, which are left out of the result.
 * @returns null if the database no longer has the commits of the state. `isAll` is false if there may be more commits.
 * @throws The error of the database if it does not answer.
 */
export async function readAfter(
  sql: Connection,
  current: () => StoreState,
): Promise<{ commits: InstanceCommit[]; isAll: boolean } | null> {
  const state = current()
  // What is known of the last commit is in each row, so there is at least one, in which `seq` may be null.
  const rows = await sql.run<LastKnown & (CommitRow | { seq: null })>(
    `SELECT (SELECT seq::float8 FROM ${sql.name('localpost')}) AS newest, known.*, next.*
     FROM (SELECT 1) one
     LEFT JOIN (SELECT instance AS known_by, ${storedDigest} AS known_digest FROM ${sql.name('changes')} WHERE seq = $1)
       known ON true
     LEFT JOIN LATERAL (
       SELECT seq::float8 AS seq, instance, partition, changes FROM ${sql.name('changes')}
       WHERE seq > $1 ORDER BY seq LIMIT ${readAtOnce}
     ) next ON true ORDER BY next.seq`,
    [state.seq],
    { timeoutMs: lookMs },
  )
  const [head] = rows
  if (!head || !isKnown(state, head)) return null
  const { seq } = current()
  const commits = rows.flatMap((row) => (row.seq === null || row.seq <= seq ? [] : [toCommit(row)]))
  return { commits, isAll: rows.length < readAtOnce }
}

/** Whether the database still has the commits of a state. It may have more. */
function isKnown({ seq, last }: StoreState, { newest, known_by, known_digest }: LastKnown): boolean {
  if (newest === null || newest < seq) return false
  // Changes from long ago are removed.
  return !last || known_by === null || (known_by === last.instance && known_digest === last.digest)
}

function toCommit({ seq, instance, partition, changes }: CommitRow): InstanceCommit {
  return { seq, instance, partition, changes: JSON.parse(changes) as CommitChange[] }
}

/** The columns about the last known commit. */
interface LastKnown {
  readonly newest: number | null
  readonly known_by: string | null
  readonly known_digest: string | null
}

interface CommitRow {
  readonly seq: number
  readonly instance: string
  readonly partition: string
  readonly changes: string
}

const readAtOnce = 1000
/** The time limit of a look in milliseconds, because requests wait for it. */
const lookMs = 8000
