import { describe, expect, test } from 'vitest'
import { DatabaseError, type Pool } from 'pg'
import { systemClock } from '../../src/core/clock.ts'
import { createJobQueue } from '../../src/core/job-queue.ts'
import { Connection } from '../../src/store/postgres/connection.ts'
import { databaseFault, isRefusal } from '../../src/store/postgres/faults.ts'
import { Table } from '../../src/store/postgres/table.ts'
import type { StagedBlob } from '../../src/store/postgres/blobs.ts'
import { newCommitsOf } from '../../src/store/postgres/insert-new.ts'
import { withStoppable } from '../../src/store/postgres/stoppable.ts'
import { batchFrom, type Waiting } from '../../src/store/postgres/waiting.ts'
import { note, notes } from '../contracts/notes.ts'
import { line, lines } from './_postgres-ways.ts'

const table = new Table(lines, 'any')
const keyed = new Table(notes, 'any')
const end = { since: 0, resolve: () => {}, reject: () => {} }
let ids = 0

/** A commit of new records, each with a blob of some bytes. */
function commitOf(records: number, blobBytes = 0): Waiting & { kind: 'commit' } {
  const rows = Array.from({ length: records }, () => {
    const record = { ...line(++ids), version: 1 }
    return table.rowOf(record, JSON.stringify(record))
  })
  const blobs = rows.map(({ id }): StagedBlob => {
    return { owner: id, name: 'raw', size: blobBytes, bytes: Buffer.alloc(blobBytes), large: null }
  })
  const changes = rows.map((row) => ({ op: 'insert' as const, table, id: row.id, row }))
  return { kind: 'commit', partition: '', changes, blobs: blobBytes > 0 ? blobs : [], ...end }
}

describe('the commits that one statement stores', () => {
  test('are those of a full batch, however many records each adds', () => {
    for (let records = 1; records <= 9; records++) {
      const batch = batchFrom(Array.from({ length: 400 }, () => commitOf(records)))
      expect(batch.length * records).toBeGreaterThanOrEqual(256)
      expect(newCommitsOf(batch)?.commits, `${records} each`).toHaveLength(batch.length)
    }
  })

  const record = { ...note(1), version: 1 }
  const unique = keyed.rowOf(record, JSON.stringify(record))
  const [row] = newCommitsOf([commitOf(1)])?.commits[0]?.rows ?? []
  const others: Record<string, Waiting> = {
    'a change of a record': {
      kind: 'commit',
      partition: '',
      changes: row ? [{ op: 'put', table, id: row.id, row }] : [],
      blobs: [],
      ...end,
    },
    'a removal': {
      kind: 'commit',
      partition: '',
      changes: [{ op: 'remove', table, id: 'l_1', row: null, version: 1 }],
      blobs: [],
      ...end,
    },
    'another collection, with a unique key': {
      kind: 'commit',
      partition: '',
      changes: [{ op: 'insert', table: keyed, id: unique.id, row: unique }],
      blobs: [],
      ...end,
    },
    'a large blob': {
      ...commitOf(1),
      blobs: [{ owner: 'l_1', name: 'raw', size: 1e6, bytes: null, large: 7 }],
    },
    'a blob that is still written': {
      ...commitOf(1),
      blobs: new Promise<StagedBlob[]>(() => {}),
    },
    'a commit that adds nothing': { kind: 'commit', partition: '', changes: [], blobs: [], ...end },
    'a bulk change': {
      kind: 'bulk',
      partition: '',
      changes: [],
      outcome: { applied: 0, stale: [] },
      isBulk: false,
      ...end,
    },
    'too many bytes': commitOf(20, 256 * 1024),
    'too many records': commitOf(1001),
  }
  test.each(Object.entries(others))('are none if there is %s among them', (_, other) => {
    expect(newCommitsOf([commitOf(1, 100), commitOf(2)])).not.toBeNull()
    for (const batch of [[other], [other, commitOf(1)], [commitOf(1), other]])
      expect(newCommitsOf(batch)).toBeNull()
  })
})

test('a search that is aborted while it gets a connection sends nothing, and gives the connection back', async () => {
  const controller = new AbortController()
  const calls: string[] = []
  const client = {
    query: () => (calls.push('query'), Promise.resolve({ rows: [] })),
    release: (isBroken: boolean) => calls.push(`release ${isBroken}`),
  }
  const pool = {
    async connect() {
      controller.abort(new Error('enough'))
      return client
    },
  } as unknown as Pool
  const queue = createJobQueue(systemClock, 1, 1)
  const stopping = new Connection(pool, 'any')
  const deps = { pool, queue, stopping, toError: (error: unknown) => error }
  const searching = withStoppable(deps, (run) => run('SELECT 1', [], 1000), controller.signal)
  await expect(searching).rejects.toThrow('enough')
  expect(calls).toEqual(['release false'])
})

describe('an error while something is stored', () => {
  const answered = (code: string): DatabaseError =>
    Object.assign(new DatabaseError(`error ${code}`, 0, 'error'), { code, severity: 'ERROR' })
  const lost = (code: string): Error => Object.assign(new Error(`write ${code}`), { code })

  test.each(['23505', '22003', '42501', '53100', '54000', '57014', '40P01', 'XX000'])(
    'with the code %s of the server is a refusal',
    (code) => expect(isRefusal(answered(code))).toBe(true),
  )
  test.each(['57P01', '57P02', '08006'])(
    'with the code %s, where the server ends the connection, is none',
    (code) => expect(isRefusal(answered(code))).toBe(false),
  )
  test.each([
    'ECONNRESET',
    'EPIPE',
    'ENETDOWN',
    'ECONNABORTED',
    'ENOBUFS',
    'EPROTO',
    'ERR_SSL_BAD_RECORD_MAC',
    '',
  ])('of the connection (%s) is none', (code) => expect(isRefusal(lost(code))).toBe(false))
  test.each(['ENETDOWN', 'ENETRESET', 'EHOSTDOWN', 'ECONNABORTED'])(
    '%s means that the database is away',
    (code) => expect(databaseFault(lost(code))).toMatchObject({ code: 'service_unavailable' }),
  )
})
