import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { emailCollection, type EmailRecord } from '../../src/emails/email.ts'
import { emailFacts } from '../../src/emails/email.ts'
import { factsOf } from '../../src/store/facts.ts'
import { systemClock } from '../../src/core/clock.ts'
import { eventStatuses, outcomeOf } from '../../src/emails/events.ts'
import { createHeads } from '../../src/search/heads.ts'
import { startIndexer } from '../../src/search/column-indexer.ts'
import { parseMailQuery } from '../../src/search/query.ts'
import { columnSearch } from './_search.ts'
import type { Search } from '../../src/search/search.ts'
import { openTextColumn } from '../../src/search/text-column.ts'
import { openMemoryStore } from '../../src/store/memory/open.ts'
import { insert, put, remove, type Store } from '../../src/store/store.ts'
import type { Files } from '../../src/core/files.ts'
import { manualClock, openAfterKill, tempFolder } from '../store/_setup.ts'
import { anEmail, digestsOf, idOf } from '../inbox/_email.ts'
import { nodeFiles } from '../../src/core/node-files.ts'

async function searchIn(store: Store): Promise<{ search: Search; close: () => Promise<void> }> {
  const digests = digestsOf(store)
  const column = await openTextColumn(null)
  const heads = createHeads({ store, open: () => openTextColumn(null), isKept: false })
  const indexer = startIndexer({ store, clock: systemClock, digests, column, heads })
  const search = columnSearch({ store, digests, indexer, column, heads })
  return {
    search,
    async close() {
      await indexer.close()
      await heads.close()
      await column.close()
    },
  }
}

/** Counts the reads of segment files, and checkpoints. */
function countingFiles(): Files & { reads: number; checkpoints: number } {
  const counting = {
    ...nodeFiles,
    reads: 0,
    checkpoints: 0,
    async rename(from: string, to: string) {
      await nodeFiles.rename(from, to)
      if (to.endsWith('checkpoint.json')) counting.checkpoints++
    },
    openNow(path: string) {
      if (path.endsWith('.json')) counting.reads++
      return nodeFiles.openNow(path)
    },
  }
  return counting
}

/** Numbers that look random and are the same in each run. */
function random(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const now = Date.UTC(2026, 0, 31)
const hour = 3_600_000
/** Too long for the facts: the record decides. */
const long = 'L'.repeat(1500)

/** One condition, as it is written and as a plain function of the record. */
interface Condition {
  written: string
  holds(email: EmailRecord): boolean
}

const domainOf = (from: string): string => (/@([^@>]*)>?$/.exec(from)?.[1] ?? from).toLowerCase()

function conditions(pick: (below: number) => number): Condition[] {
  const status = eventStatuses[pick(eventStatuses.length)] ?? 'sent'
  const tag = ['signup', 'Welcome', 'täg', 'none', long][pick(5)] ?? ''
  const domain = ['acme.test', 'ACME.test', 'bücher.example', 'nowhere.test'][pick(4)] ?? ''
  const size = [0, 10, 2048, 5000][pick(4)] ?? 0
  const hours = pick(200)
  const ids = Array.from({ length: 1 + pick(4) }, () => idOf(pick(3000)))
  const boundary = now - hours * hour
  const names = domain === 'bücher.example' ? [domain, 'xn--bcher-kva.example'] : [domain.toLowerCase()]
  return [
    { written: 'is:unread', holds: ({ unread }) => unread },
    { written: 'is:read', holds: ({ unread }) => !unread },
    { written: 'source:api', holds: ({ source }) => source === 'api' },
    { written: 'source:smtp', holds: ({ source }) => source === 'smtp' },
    { written: 'type:broadcast', holds: ({ type }) => type === 'broadcast' },
    {
      written: `status:${status}`,
      holds: (email) => email.recipients.some(({ events }) => outcomeOf(events) === status),
    },
    {
      written: `tag:${tag}`,
      holds: ({ tags }) => tags.some((one) => one.toLowerCase() === tag.toLowerCase()),
    },
    { written: `domain:${domain}`, holds: ({ from }) => names.includes(domainOf(from)) },
    { written: 'domain:dm_2', holds: ({ domain_id }) => domain_id === 'dm_2' },
    { written: `larger:${size}`, holds: ({ message }) => (message?.size_bytes ?? 0) > size },
    { written: `smaller:${size}`, holds: ({ message }) => (message?.size_bytes ?? 0) < size },
    { written: `before:${hours}h`, holds: ({ created }) => created < boundary },
    { written: `after:${hours}h`, holds: ({ created }) => created >= boundary },
    { written: `id:${ids.join(',')}`, holds: ({ id }) => ids.includes(id) },
    { written: 'subject:even', holds: ({ subject }) => subject.includes('even') },
  ]
}

function anyEmail(n: number, pick: (below: number) => number): EmailRecord {
  const recipients = Array.from({ length: pick(3) }, (_, i) => ({
    recipient: `r${i}@x.test`,
    events: Array.from({ length: pick(4) }, () => ({
      status: eventStatuses[pick(eventStatuses.length)] ?? 'sent',
      timestamp: 0,
    })),
  })) as unknown as EmailRecord['recipients']
  const tags = ['signup', 'welcome', 'WELCOME', 'Täg', `unique-${n}`, long]
  const from = ['bob@acme.test', 'Bob <bob@ACME.test>', 'x@xn--bcher-kva.example', 'y@bücher.example', 'none']
  return {
    ...anEmail(n),
    subject: n % 2 === 0 ? 'even' : 'odd',
    unread: pick(2) === 0,
    source: pick(2) === 0 ? 'api' : 'smtp',
    type: pick(4) === 0 ? 'broadcast' : 'transactional',
    recipients,
    tags: Array.from({ length: pick(3) }, () => tags[pick(tags.length)] ?? ''),
    from: from[pick(from.length)] ?? '',
    domain_id: `dm_${pick(3)}`,
    created: now - pick(200) * hour - (pick(20) === 0 ? 0.5 : 0) - (pick(50) === 0 ? 1e12 : 0),
    message: pick(5) === 0 ? null : { size_bytes: pick(100) === 0 ? 2 ** 33 : pick(6000), message_id: '' },
    snippet: '',
    attachment_count: pick(3),
    undigested: undefined,
  }
}

/** Compares searches with what plain functions of the records say. */
async function compare(
  search: Search,
  emails: ReadonlyMap<string, EmailRecord>,
  pick: (below: number) => number,
  rounds: number,
): Promise<number> {
  let found = 0
  const newestFirst = [...emails.values()].sort((a, b) => (a.id < b.id ? 1 : -1))
  for (let round = 0; round < rounds; round++) {
    const terms = Array.from({ length: 1 + pick(3) }, () => {
      const all = conditions(pick)
      const one = all[pick(all.length)] ?? { written: '', holds: () => true }
      const isNegative = pick(4) === 0
      return {
        written: `${isNegative ? '-' : ''}${one.written}`,
        holds: (email: EmailRecord) => one.holds(email) !== isNegative,
      }
    })
    const query = terms.map(({ written }) => written).join(' ')
    const wanted = newestFirst.filter((email) => terms.every(({ holds }) => holds(email))).map(({ id }) => id)
    found += wanted.length
    const filter = parseMailQuery(query, now)
    expect(await search.ids(filter), query).toEqual(wanted)
    const offset = pick(wanted.length + 2)
    const page = await search.list(filter, { offset, limit: 7 })
    expect(
      page.items.map(({ id }) => id),
      query,
    ).toEqual(wanted.slice(offset, offset + 7))
    expect(page.count, query).toBe(wanted.length)
    const cursor = wanted[offset]
    if (cursor === undefined) continue
    const next = await search.list(filter, { cursor, limit: 7 })
    expect(
      next.items.map(({ id }) => id),
      query,
    ).toEqual(wanted.slice(offset + 1, offset + 8))
    expect(next.cursor === null, query).toBe(wanted.length <= offset + 8)
  }
  return found
}

describe('a search by facts', () => {
  it('finds exactly what the records say, in memory', { timeout: 60_000 }, async () => {
    const store = await openMemoryStore({ collections: [emailCollection] })
    onTestFinished(() => store.close())
    const { search, close } = await searchIn(store)
    onTestFinished(close)
    const pick = random(7)
    const emails = new Map(Array.from({ length: 700 }, (_, n) => [idOf(n), anyEmail(n, pick)]))
    await store.commit([...emails.values()].map((email) => insert(emailCollection, email)))
    expect(await compare(search, emails, pick, 100)).toBeGreaterThan(2000)
    const before = new Map(emails)
    const snapshot = store.snapshot([emailCollection])
    await change(store, emails, pick, 700)
    await compare(search, emails, pick, 40)
    await store.restore(snapshot)
    await compare(search, before, pick, 40)
  })

  it(
    'finds exactly what the records say on the disk, after changes, checkpoints and restarts',
    { timeout: 120_000 },
    async () => {
      const dir = await tempFolder()
      const pick = random(11)
      const files = countingFiles()
      const emails = new Map<string, EmailRecord>()
      for (let life = 0; life < 2; life++) {
        const { clock, fire } = manualClock()
        const store = await openAfterKill(dir, { collections: [emailCollection], clock, files })
        const { search, close } = await searchIn(store)
        const checkpoint = async (): Promise<void> => {
          const before = files.checkpoints
          fire()
          await vi.waitUntil(() => files.checkpoints > before, { timeout: 10_000 })
          for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve))
        }
        if (life === 0) {
          for (let n = 0; n < 3000; n += 500) {
            const some = Array.from({ length: 500 }, (_, i) => anyEmail(n + i, pick))
            for (const email of some) emails.set(email.id, email)
            await store.commit(some.map((email) => insert(emailCollection, email)))
          }
          await checkpoint()
        }
        await compare(search, emails, pick, 20)
        await change(store, emails, pick, 3000)
        await compare(search, emails, pick, 20)
        await checkpoint()
        await compare(search, emails, pick, 20)
        // Facts are known now, so a condition that holds for no record reads none.
        const before = files.reads
        expect(await search.ids(parseMailQuery('domain:nowhere.test larger:5000 is:unread', now))).toEqual([])
        expect(files.reads).toBe(before)
        await close()
        await store.close()
      }
    },
  )
})

async function change(
  store: Store,
  emails: Map<string, EmailRecord>,
  pick: (below: number) => number,
  below: number,
): Promise<void> {
  for (let i = 0; i < 150; i++) {
    const id = idOf(pick(below))
    if (pick(3) === 0) {
      await store.commit([remove(emailCollection, id)])
      emails.delete(id)
    } else {
      const next = anyEmail(Number(id.slice(3)), pick)
      await store.commit([put(emailCollection, next)])
      emails.set(id, next)
    }
  }
  const ids = [...emails.keys()].filter(() => pick(4) === 0).sort()
  await store.bulk(emailCollection, ids, (email) => ({
    ...email,
    unread: !email.unread,
    tags: ['bulk', 'signup'],
  }))
  for (const id of ids) {
    const email = emails.get(id)
    if (email) emails.set(id, { ...email, unread: !email.unread, tags: ['bulk', 'signup'] })
  }
  const gone = [...emails.keys()].filter(() => pick(20) === 0).sort()
  await store.bulk(emailCollection, gone, 'remove')
  for (const id of gone) emails.delete(id)
}

it.each(['domain_id', 'tags', 'recipients', 'created', 'from'])(
  'a record whose %s was edited to null has no facts, and stops nothing',
  (member) => {
    expect(factsOf(emailFacts, { ...anEmail(1), [member]: null })).toBeNull()
    expect(factsOf(emailFacts, anEmail(1))).not.toBeNull()
  },
)
