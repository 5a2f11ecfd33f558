import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import { foldText } from '../../src/core/fold-text.ts'
import { createLocalpost } from '../../src/index.ts'
import { emailCollection, messageBlob, type EmailRecord } from '../../src/emails/email.ts'
import { type MailFilter, parseMailQuery } from '../../src/search/query.ts'
import type { Search } from '../../src/search/search.ts'
import type { SearchQuery } from '../../src/search/search-page.ts'
import { openSearchIndex } from '../../src/search/search-index.ts'
import { openTextColumn } from '../../src/search/text-column.ts'
import { openMemoryStore } from '../../src/store/memory/open.ts'
import { openPostgresStore } from '../../src/store/postgres/open.ts'
import { blobOf, insert, remove, type Store } from '../../src/store/store.ts'
import type { PartitionedStore } from '../../src/store/partitioned-store.ts'
import { anEmail, digestsOf, idOf, noFields } from '../inbox/_email.ts'
import { isLong } from '../support/long.ts'
import { createDatabase, runSql, startPostgres, type TestServer } from '../support/postgres.ts'
import { randomOf } from '../support/random.ts'
import { openProxy } from '../store/_postgres-proxy.ts'
import { createSearch } from '../../src/search/mail-search.ts'

let server: TestServer
let schemas = 0
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.remove())

const newUrl = (): string => `${server.url}?schema=search_${++schemas}`

async function openStore(url: string): Promise<PartitionedStore> {
  const store = await openPostgresStore({ url, collections: [emailCollection] })
  onTestFinished(() => store.close())
  return store
}

async function searchOf(store: Store): Promise<Search> {
  const digests = digestsOf(store)
  const columns = store.texts
    ? null
    : { text: await openTextColumn(null), heads: { open: () => openTextColumn(null), isKept: false } }
  const index = openSearchIndex({ store, clock: systemClock, digests }, columns)
  onTestFinished(() => index.close())
  return createSearch({
    store,
    digests,
    indexer: index.indexer,
    rows: index.rows,
    fieldsOf: noFields,
    pageSize: 50,
  })
}

// What folding, bytes, patterns of LIKE, trigrams and marks could get wrong.
const plain = [
  'a',
  'B',
  'ab',
  'É',
  'é',
  'e\u0301',
  'İ',
  'ß',
  'Σ',
  'ς',
  'ı',
  'ﬁ',
  '\u00ad',
  '\ufeff',
  '中文',
  '😀',
  ' b',
  '%',
  '_',
  '\\',
  '\\%',
  "'",
  'ada@x.test',
  'bücher.example',
  'xn--bcher-kva.example',
  'invoice 4711 ',
  'x'.repeat(40),
]
const hostile = [...plain, '  ', '\t', '\u00a0', '\n', '\0', '\x02', '\x03', '\x0b', '\ud83d', '\x7f']

/** Makes random mails and queries of them. */
function maker(seed: number) {
  const next = randomOf(seed)
  const pick = (below: number): number => Math.floor(next() * below)
  const text = (most: number, pieces = plain): string =>
    Array.from({ length: pick(most) }, () => pieces[pick(pieces.length)] ?? '').join('')
  const list = (pieces: string[]): string[] => Array.from({ length: pick(3) }, () => text(4, pieces))
  return {
    pick,
    mail(n: number): { email: EmailRecord; message: string } {
      const pieces = pick(4) === 0 ? hostile : plain
      const long = pick(40) === 0 ? 'y'.repeat(9000) : ''
      const email: EmailRecord = {
        ...anEmail(n),
        subject: text(5, pieces) + long,
        from: text(4, pieces),
        to: list(pieces),
        to_names: list(pieces),
        cc: list(pieces),
        cc_names: list(pieces),
        bcc: list(pieces),
        envelope: { mail_from: text(3), rcpt_to: [] },
        unread: pick(2) === 0,
        tags: pick(3) === 0 ? ['red'] : [],
      }
      const body = text(8, pieces) + (pick(20) === 0 ? ` ${'z '.repeat(3000)}end` : '')
      return {
        email,
        message: `Content-Type: text/plain; charset=utf-8\r\n\r\n${body.replaceAll('\0', '')}\r\n`,
      }
    },
    query(): string {
      const keys = ['', '', '', 'subject:', 'from:', 'to:', 'cc:', 'body:']
      const parts = Array.from({ length: 1 + pick(3) }, () => {
        if (pick(6) === 0) return ['is:unread', 'tag:red', '-tag:red', 'is:read'][pick(4)] ?? ''
        const words = text(4)
        const phrase = foldText(words) === '' ? 'a' : words.replace(/["\\]/g, String.raw`\$&`)
        return `${pick(5) === 0 ? '-' : ''}${keys[pick(keys.length)] ?? ''}"${phrase}"`
      })
      return parts.join(' ')
    },
  }
}

/** A page with the ids only, because records change when their mail is read. */
async function pageOf(search: Search, filter: MailFilter, place: SearchQuery) {
  const { items, ...page } = await search.list(filter, place)
  return { ...page, ids: items.map(({ id }) => id) }
}

describe('a search in PostgreSQL', () => {
  test(
    'finds what one in this process finds, for random mails and queries',
    { timeout: 240_000 },
    async () => {
      const { pick, mail, query } = maker(11)
      const stored = await openStore(newUrl())
      const inMemory = await openMemoryStore({ collections: [emailCollection] })
      onTestFinished(() => inMemory.close())
      const searches = { stored: await searchOf(stored), inMemory: await searchOf(inMemory) }
      const both = [stored, inMemory]
      let count = 0
      for (let round = 0; round < (isLong ? 40 : 8); round++) {
        // An id below that of the last mail, as another instance may store it.
        const ids = Array.from({ length: 40 }, () => (count += 2)).map((n) => (pick(10) === 0 ? n - 3 : n))
        const mails = [...new Set(ids)].map((n) => mail(n))
        for (const store of both)
          await store.commit(
            mails.map(({ email }) => insert(emailCollection, email)),
            mails.map(({ email, message }) => blobOf(messageBlob(email.id), message)),
          )
        const gone = [...new Set(Array.from({ length: 8 }, () => idOf(pick(count))))]
        for (const store of both) await store.commit(gone.map((id) => remove(emailCollection, id)))
        for (let at = 0; at < 25; at++) {
          const text = query()
          const filter = parseMailQuery(text, 0)
          const wanted = await searches.inMemory.ids(filter, { complete: true })
          expect(await searches.stored.ids(filter), text).toEqual(wanted)
          const place = { offset: pick(Math.max(1, wanted.length)), limit: 1 + pick(7) }
          const page = await pageOf(searches.stored, filter, place)
          expect(page, text).toEqual(await pageOf(searches.inMemory, filter, place))
          const cursor = page.cursor
          if (cursor !== null) {
            const behind = { cursor, limit: 5 }
            expect(await pageOf(searches.stored, filter, behind), text).toEqual(
              await pageOf(searches.inMemory, filter, behind),
            )
          }
        }
      }
      expect(await stored.texts?.countMissing(emailCollection)).toBe(0)
    },
  )

  test('counts what most texts contain, and the old texts and records that are undecided', async () => {
    const url = newUrl()
    const store = await openStore(url)
    const other = store.partition('other')
    const mails = 900
    const numbers = Array.from({ length: mails }, (_, n) => n)
    const undecided = (n: number): boolean => n < 200 && n % 10 === 0
    const missing = (n: number): boolean => n >= 100 && n < 150 && n % 10 === 5
    const contains = (n: number): boolean => n % 4 !== 0
    const inSubject = (n: number): boolean => n % 20 === 5
    const recordOf = (n: number): EmailRecord => {
      return { ...anEmail(n), unread: n % 3 === 0, ...(inSubject(n) && { subject: 'Not A PHRASE' }) }
    }
    for (const one of [store, other]) {
      await one.commit(numbers.map((n) => insert(emailCollection, recordOf(n))))
      const given = numbers.flatMap((n) => {
        if (missing(n)) return []
        const body = undecided(n) ? null : contains(n) ? `A phrase of mail ${n}`.toLowerCase() : `mail ${n}`
        const text = { subject: '', from: '', sender: '', to: '', cc: '', bcc: '', head: '', body }
        return [{ id: idOf(n), text, isCut: false }]
      })
      await one.texts?.put(emailCollection, given)
    }
    const term = { parts: ['head', 'body'], forms: ['a phrase'], isNegative: false }
    for (const isNegative of [false, true])
      for (const where of [null, { flag: 'unread' } as const])
        for (const missingAfter of [null, idOf(120)]) {
          const isMatch = (n: number): boolean => contains(n) !== isNegative && !undecided(n) && !missing(n)
          const isOpen = (n: number): boolean =>
            undecided(n) ||
            (missing(n) && missingAfter !== null && idOf(n) > missingAfter && (isNegative || inSubject(n)))
          const among = numbers.filter((n) => where === null || n % 3 === 0)
          const query = { terms: [{ ...term, isNegative }], where, missingAfter }
          const place = { before: idOf(890), offset: 2, limit: 40, isCounted: true }
          expect(await store.texts?.page(emailCollection, query, place)).toEqual({
            count: among.filter((n) => isMatch(n) || isOpen(n)).length,
            undecided: among.filter(isOpen).length,
            ids: among
              .filter((n) => n < 890 && isMatch(n))
              .reverse()
              .slice(2, 42)
              .map(idOf),
            left: 0,
            isPartial: false,
          })
        }
  })

  test('asks the records without a text only if their JSON may have the term', async () => {
    const store = await openStore(newUrl())
    const subjects = [
      'the last MESSAGE 42 of all',
      'message  42',
      'message\t42',
      'message\x7f42',
      'message\u00a042',
      'mes\u00adsage 42',
      '\uff4dessage 42',
      'message 4',
      'message-42',
      'say "message 42"',
      'a \\ of message 42',
      'Grüße',
      'message 42\0',
      'zeta \\ of it',
      'half \ud83d of a pair',
    ]
    await store.commit(subjects.map((subject, n) => insert(emailCollection, { ...anEmail(n), subject })))
    const asked = async (...forms: string[]): Promise<string[]> => {
      const terms = [{ parts: ['subject'], forms, isNegative: false }]
      const found = await store.texts?.all(emailCollection, { terms, where: null, missingAfter: '' })
      expect(found?.matches.every(({ isUndecided }) => isUndecided)).toBe(true)
      return found?.matches.map(({ id }) => subjects.find((_, n) => idOf(n) === id) ?? id) ?? []
    }
    const isBeyondAscii = (text: string): boolean => /[^\x00-\x7f]/.test(text)
    const without = (...left: string[]): string[] => subjects.filter((one) => !left.includes(one)).reverse()
    expect(await asked('message 42')).toEqual(without('message 4', 'message-42', 'zeta \\ of it'))
    expect(await asked('message-42')).toEqual(
      subjects.filter((one) => one === 'message-42' || isBeyondAscii(one)).reverse(),
    )
    expect(await asked('say "m', 'zeta \\ of')).toEqual(
      subjects.filter((one) => /^(say|zeta)/.test(one) || isBeyondAscii(one)).reverse(),
    )
    expect(await asked('grüsse')).toEqual(subjects.filter((one) => isBeyondAscii(one)).reverse())
    expect(await asked()).toEqual(await asked('grüsse'))
  })

  test('finds mail that is not read yet in a database with one byte for each character', async () => {
    await runSql(server.url, "CREATE DATABASE one_byte ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
    const url = new URL(server.url)
    url.pathname = '/one_byte'
    const store = await openStore(url.href)
    await store.commit([insert(emailCollection, { ...anEmail(1), subject: 'Grüße' })])
    const terms = [{ parts: ['subject'], forms: ['grüsse'], isNegative: false }]
    const found = await store.texts?.all(emailCollection, { terms, where: null, missingAfter: '' })
    expect(found?.matches).toEqual([{ id: idOf(1), isUndecided: true }])
  })

  test('uses an index of trigrams', async () => {
    const store = await openStore(newUrl())
    await store.commit([insert(emailCollection, anEmail(1))])
    const { id, subject } = anEmail(1)
    const text = { subject, from: '', sender: '', to: '', cc: '', bcc: '', head: subject, body: 'text' }
    await store.texts?.put(emailCollection, [{ id, text, isCut: false }])
    await store.texts?.settle(emailCollection)
    const [list] = await runSql(
      server.url,
      `SELECT gin_clean_pending_list('"search_${schemas}"."texts_emails_trigrams"')::int4 AS pages`,
    )
    expect(list).toEqual({ pages: 0 })
    // Without this, the table of one row is read, or the key with the partition is used.
    const plan = await runSql(
      server.url,
      `SET enable_seqscan = off; SET enable_indexscan = off; EXPLAIN SELECT id FROM "search_${schemas}"."texts_emails"
       WHERE part_6 LIKE '%mail 2999%' OR part_7 LIKE '%mail 2999%'`,
    )
    expect(JSON.stringify(plan)).toContain('texts_emails_trigrams')
  })

  test('works without the extension, says so once, and uses it after a start with it', async () => {
    const admin = await createDatabase(server)
    await runSql(admin, "CREATE ROLE plain LOGIN PASSWORD 'secret'")
    await runSql(admin, 'CREATE SCHEMA mail AUTHORIZATION plain')
    const url = new URL(admin)
    url.username = 'plain'
    url.password = 'secret'
    const notices: string[] = []
    const open = () =>
      createLocalpost({
        store: `${url.href}?schema=mail`,
        onNotice: ({ message }) => notices.push(message),
      })
    const first = await open()
    await first.inbox.import(Buffer.from('Subject: one\r\n\r\nneedle in a haystack\r\n'))
    expect((await first.inbox.list({ query: '"needle in"' })).count).toBe(1)
    expect(notices.filter((text) => text.includes('CREATE EXTENSION pg_trgm'))).toHaveLength(1)
    await first.close()

    await runSql(admin, 'CREATE EXTENSION pg_trgm')
    notices.length = 0
    const second = await open()
    expect((await second.inbox.list({ query: 'haystack' })).count).toBe(1)
    expect(notices).toEqual([])
    await second.close()
  })

  test('makes the texts of an older version again, from all mails', async () => {
    const url = newUrl()
    const table = `search_${schemas}.texts_emails`
    const older = await createLocalpost({ store: url })
    await older.inbox.import(Buffer.from('Subject: one\r\n\r\nthe needle\r\n'))
    expect((await older.inbox.list({ query: 'needle' })).count).toBe(1)
    await older.close()
    const parts = JSON.stringify(emailCollection.texts?.parts)
    await runSql(
      server.url,
      `UPDATE ${table} SET part_7 = 'as it was'; COMMENT ON TABLE ${table} IS '${parts}'`,
    )
    const newer = await createLocalpost({ store: url })
    onTestFinished(() => newer.close())
    expect((await newer.inbox.list({ query: 'needle' })).count).toBe(1)
    expect((await newer.inbox.list({ query: 'body:"as it was"' })).count).toBe(0)
  })

  test('finds mail that another instance took, at once, and not what it removed', async () => {
    const url = newUrl()
    const a = await createLocalpost({ store: url })
    onTestFinished(() => a.close())
    const b = await createLocalpost({ store: url })
    onTestFinished(() => b.close())
    for (let n = 0; n < 20; n++) {
      const [from, at] = n % 2 === 0 ? [a, b] : [b, a]
      const mail = await from.inbox.import(Buffer.from(`Subject: s${n}\r\n\r\nword${n} of the text\r\n`))
      const found = await at.inbox.list({ query: `word${n}` })
      expect(found.items.map(({ subject }) => subject)).toEqual([`s${n}`])
      expect(found).not.toHaveProperty('unread_texts')
      expect((await at.inbox.list({ query: `subject:s${n}` })).count).toBe(1)
      await from.inbox.remove(mail.id)
      expect((await at.inbox.list({ query: `word${n}` })).count).toBe(0)
    }
  })

  test('stores the texts of mails while a commit removes one of them', async () => {
    const url = newUrl()
    const schema = `search_${schemas}`
    const store = await openStore(url)
    await store.commit([1, 2, 3].map((n) => insert(emailCollection, anEmail(n))))
    const textsOf = () => runSql(server.url, `SELECT id FROM ${schema}.texts_emails ORDER BY id`)
    const text = { body: 'needle' }
    const removing = new Client({ connectionString: server.url })
    await removing.connect()
    onTestFinished(() => removing.end())
    await removing.query(`BEGIN; DELETE FROM ${schema}.records_emails WHERE id = '${idOf(2)}'`)
    const ids = [1, 2, 3, 4].map(idOf)
    const putting = store.texts?.put(
      emailCollection,
      ids.map((id) => ({ id, text, isCut: false })),
    )
    // The others are stored, and hold no lock that the commit could wait for.
    await expect.poll(textsOf).toEqual([{ id: idOf(1) }, { id: idOf(3) }])
    await removing.query(`DELETE FROM ${schema}.records_emails WHERE id = '${idOf(3)}'; ROLLBACK`)
    await putting
    expect(await textsOf()).toEqual([1, 2, 3].map((n) => ({ id: idOf(n) })))
  })

  test('asks once which of the mails without a text are removed, and waits for none of them', async () => {
    const proxy = await openProxy(server)
    const store = await openStore(`${proxy.url}?schema=search_${++schemas}`)
    await store.commit([insert(emailCollection, anEmail(1))])
    const before = proxy.sent
    const given = Array.from({ length: 200 }, (_, n) => ({
      id: idOf(n + 1),
      text: { body: 'x' },
      isCut: false,
    }))
    await store.texts?.put(emailCollection, given)
    expect(await store.texts?.countMissing(emailCollection)).toBe(0)
    // Meanwhile, the instance looks for commits of others.
    expect(proxy.sent - before).toBeLessThan(50)
  })

  test('reads several blobs of mails together, in the order of their ids', async () => {
    const store = await openStore(newUrl())
    const large = Buffer.alloc(300 * 1024, 'x')
    await store.commit(
      [1, 2].map((n) => insert(emailCollection, anEmail(n))),
      [blobOf(messageBlob(idOf(1)), 'one'), blobOf(messageBlob(idOf(2)), large)],
    )
    const found = await store.texts?.blobs(
      emailCollection,
      [3, 2, 1].map((n) => messageBlob(idOf(n))),
    )
    expect(found?.map((bytes) => bytes && String(bytes))).toEqual([null, null, 'one'])
  })
})
