import { describe, expect, it, onTestFinished } from 'vitest'
import { foldText } from '../../src/core/fold-text.ts'
import { systemClock } from '../../src/core/clock.ts'
import { emailCollection, type EmailRecord } from '../../src/emails/email.ts'
import { createHeads } from '../../src/search/heads.ts'
import { startIndexer } from '../../src/search/column-indexer.ts'
import { parseMailQuery } from '../../src/search/query.ts'
import { columnSearch } from './_search.ts'
import type { Search } from '../../src/search/search.ts'
import { openTextColumn, type TextColumn } from '../../src/search/text-column.ts'
import { openMemoryStore } from '../../src/store/memory/open.ts'
import { insert, remove, type Store } from '../../src/store/store.ts'
import { anEmail, digestsOf, idOf } from '../inbox/_email.ts'

/** A search over a store whose reads of records are counted. */
async function open(): Promise<{ store: Store; search: Search; reads: () => number }> {
  const inner = await openMemoryStore({ collections: [emailCollection] })
  let reads = 0
  const store: Store = {
    ...inner,
    get: (...given) => (reads++, inner.get(...given)),
    page: (...given) => (reads++, inner.page(...given)),
  }
  const digests = digestsOf(store)
  const column = await openTextColumn(null)
  const heads = createHeads({ store, open: () => openTextColumn(null), isKept: true })
  const indexer = startIndexer({ store, clock: systemClock, digests, column, heads })
  onTestFinished(async () => {
    await indexer.close()
    await heads.close()
    await column.close()
    await inner.close()
  })
  const search = columnSearch({ store, digests, indexer, column, heads })
  return { store, search, reads: () => reads }
}

/** Numbers that look random and are the same in each run. */
function random(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

// What folding, lower case, bytes and marks could get wrong.
const plainPieces = [
  'a',
  'B',
  'ab',
  'É',
  'é',
  'e\u0301',
  'İ',
  'ß',
  'Σ',
  'σ',
  'ς',
  'ı',
  'ﬁ',
  '\u00ad',
  '\ufeff',
  'ΑΣ',
  '😀',
  ' b',
  '@',
  '.',
  'bücher.example',
  'xn--bcher-kva.example',
  'ada@x.test',
  'x'.repeat(40),
]
const hostilePieces = [
  ...plainPieces,
  ' ',
  '  ',
  '\t',
  '\u00a0',
  '\u2003',
  '\n',
  '\0',
  '\x02',
  '\x03',
  '\x04',
  '\x07',
  '\x08',
  '\x7f',
  '\ud83d',
  '\ude00',
]

describe('a search by subject and addresses', () => {
  it('finds exactly what the records say, for random mails and queries', { timeout: 60_000 }, async () => {
    const { store, search } = await open()
    const pick = random(42)
    let pieces = plainPieces
    const text = (most: number): string =>
      Array.from({ length: pick(most) }, () => pieces[pick(pieces.length)] ?? '').join('')
    const addressOf = (): string =>
      `${['ada', 'Ada', '"ada"', 'ad\u0061\u0301', 'canada', '\u212aim'][pick(6)]}@${['x.test', 'X.TEST', 'bücher.example', 'xn--bcher-kva.example', '\uff58.test', 'x\u3002test'][pick(6)]}`
    const list = (): string[] => Array.from({ length: pick(3) }, () => text(4))
    const emails = Array.from({ length: 400 }, (_, n): EmailRecord => {
      pieces = pick(4) === 0 ? hostilePieces : plainPieces
      const long = pick(50) === 0 ? 'y'.repeat(9000) : ''
      const envelope = { mail_from: pick(2) ? addressOf() : text(3), rcpt_to: [] }
      const to = [...list(), ...(pick(2) ? [`${text(2)} <${addressOf()}>`] : [])]
      const names = { to_names: list(), cc_names: list(), bcc_names: list() }
      const members = {
        subject: text(5) + long,
        from: text(4),
        to,
        cc: list(),
        bcc: list(),
        ...names,
        envelope,
      }
      return { ...anEmail(n), ...members, unread: pick(2) === 0, snippet: '', attachment_count: 0 }
    })
    await store.commit(emails.map((email) => insert(emailCollection, email)))
    const gone = new Set(Array.from({ length: 60 }, () => idOf(pick(400))))
    await search.list(parseMailQuery('subject:a', 0), {})
    await store.commit([...gone].map((id) => remove(emailCollection, id)))
    const left = emails.filter(({ id }) => !gone.has(id)).reverse()
    let found = 0
    for (let round = 0; round < 250; round++) {
      pieces = pick(4) === 0 ? hostilePieces : plainPieces
      const terms = Array.from({ length: 1 + pick(3) }, () => {
        const value = text(3).replaceAll('"', '')
        const key = ['subject', 'from', 'to', 'cc', 'is'][pick(round % 3 === 0 ? 5 : 4)] ?? 'to'
        const written = key === 'is' ? 'unread' : `"${value.trim() === '' ? 'a' : value}"`
        return `${pick(4) === 0 ? '-' : ''}${key}:${written}`
      })
      let filter
      try {
        filter = parseMailQuery(terms.join(' '), 0)
      } catch {
        continue
      }
      const wanted = left.filter((email) => filter.accepts(email)).map(({ id }) => id)
      found += wanted.length
      const what = JSON.stringify(terms)
      expect(await search.ids(filter), what).toEqual(wanted)
      const offset = pick(wanted.length + 2)
      const page = await search.list(filter, { offset, limit: 7 })
      expect(
        page.items.map(({ id }) => id),
        what,
      ).toEqual(wanted.slice(offset, offset + 7))
      expect(page.count, what).toBe(wanted.length)
      const cursor = wanted[offset]
      if (cursor === undefined) continue
      const next = await search.list(filter, { cursor, limit: 7 })
      expect(
        next.items.map(({ id }) => id),
        what,
      ).toEqual(wanted.slice(offset + 1, offset + 8))
    }
    expect(found).toBeGreaterThan(5000)
    found = 0
    for (let round = 0; round < 150; round++) {
      pieces = pick(4) === 0 ? hostilePieces : plainPieces
      const names = ['subject', 'from', 'to', 'cc'].filter(() => pick(2) === 0)
      const query = Object.fromEntries(names.map((name) => [name, pick(4) === 0 ? addressOf() : text(3)]))
      // A text without any character that counts matches nothing that a query could mean.
      if (Object.values(query).some((one) => foldText(one) === '')) {
        expect(() => parseMailQuery(query, 0)).toThrow('is empty')
        continue
      }
      const filter = parseMailQuery(query, 0)
      const wanted = left.filter((email) => filter.accepts(email)).map(({ id }) => id)
      found += wanted.length
      expect(await search.ids(filter), JSON.stringify(query)).toEqual(wanted)
      const page = await search.list(filter, { offset: 1, limit: 7 })
      expect(page.items.map(({ id }) => id)).toEqual(wanted.slice(1, 8))
      expect(page.count).toBe(wanted.length)
    }
    expect(found).toBeGreaterThan(3000)
  })

  it('finds mail that was not read yet, and joins words of the text', async () => {
    const { store, search } = await open()
    const email = { ...anEmail(1), subject: 'Your receipt', to: ['ada@example.com'] }
    await store.commit([insert(emailCollection, email)])
    expect(await search.ids(parseMailQuery('subject:receipt', 0))).toEqual([email.id])
    expect(await search.ids(parseMailQuery('receipt to:ada', 0))).toEqual([email.id])
    expect(await search.ids(parseMailQuery('receipt to:eve', 0))).toEqual([])
    const { count } = await search.list(parseMailQuery('receipt -to:eve', 0), {})
    expect(count).toBe(1)
  })

  it('reads no record, but those of the page', async () => {
    const { store, search, reads } = await open()
    const emails = Array.from({ length: 3000 }, (_, n) => anEmail(n + 1))
    await store.commit(emails.map((email) => insert(emailCollection, email)))
    expect((await search.list(parseMailQuery('subject:mail', 0), {})).count).toBe(3000)
    // Until all mail is read, on a slow machine too.
    await search.ids(parseMailQuery('mail', 0), { complete: true })
    for (const query of ['subject:mail', 'from:bob to:ada', '-cc:ada', 'subject:nowhere']) {
      const before = reads()
      await search.list(parseMailQuery(query, 0), { limit: 1, offset: 1500 })
      // One for the page, and one that looks for newer mail.
      expect(reads() - before, query).toBeLessThanOrEqual(2)
    }
  })

  it('keeps the rows in memory where their file cannot be written', async () => {
    const store = await openMemoryStore({ collections: [emailCollection] })
    const full = async (): Promise<TextColumn> => ({
      ...(await openTextColumn(null)),
      append: () => Promise.reject(Object.assign(new Error('no space'), { code: 'ENOSPC' })),
    })
    const heads = createHeads({ store, open: full, isKept: true })
    onTestFinished(async () => {
      await heads.close()
      await store.close()
    })
    await store.commit([insert(emailCollection, anEmail(1))])
    await heads.add(anEmail(1), '')
    let hits = 0
    await heads.scan(parseMailQuery('subject:mail', 0).heads, async (rows) => void (hits += rows.hits))
    expect(hits).toBe(1)
  })

  it('is right after an older state of the store was restored', async () => {
    const store = await openMemoryStore({ collections: [emailCollection] })
    const heads = createHeads({ store, open: () => openTextColumn(null), isKept: false })
    onTestFinished(async () => {
      await heads.close()
      await store.close()
    })
    await store.commit([insert(emailCollection, anEmail(1))])
    const snapshot = store.snapshot([emailCollection])
    await store.commit([remove(emailCollection, idOf(1)), insert(emailCollection, anEmail(2))])
    const { heads: terms } = parseMailQuery('subject:mail', 0)
    const found = async (): Promise<string[]> => {
      const ids: string[] = []
      await heads.scan(terms, async (rows) => void ids.push(...rows.ids()))
      return ids
    }
    expect(await found()).toEqual([idOf(2)])
    await store.restore(snapshot)
    expect(await found()).toEqual([idOf(1)])
  })
})

describe('a query by members', () => {
  it('reads only the records that it returns, for texts and addresses', async () => {
    const { store, search, reads } = await open()
    const emails = Array.from({ length: 500 }, (_, n) => ({
      ...anEmail(n),
      subject: `number ${n}`,
      from: `Sender <s${n}@x.test>`,
      to: [`User <u${n}@x.test>`],
      cc: [`c${n % 100}@x.test`],
    }))
    await store.commit(emails.map((email) => insert(emailCollection, email)))
    // Otherwise the reads of mail that is not indexed yet would be counted.
    await search.ids(parseMailQuery('body:x', 0), { complete: true })
    await search.list(parseMailQuery('subject:a', 0), {})
    for (const [query, count] of [
      [{ to: 'u77@x.test' }, 1],
      [{ from: 's77@x.test' }, 1],
      [{ cc: 'c7@x.test', to: '@x.test' }, 5],
      [{ subject: 'number 77' }, 1],
      [{ to: 'u77@x.test', from: 's78@x.test' }, 0],
    ] as const) {
      const before = reads()
      expect((await search.list(parseMailQuery(query, 0), {})).count).toBe(count)
      // One more looks for mail that has no row yet.
      expect(reads() - before, JSON.stringify(query)).toBeLessThanOrEqual(count + 1)
    }
  })
})
