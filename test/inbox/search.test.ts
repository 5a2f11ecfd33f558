import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTransport, type SendMailOptions } from 'nodemailer'
import { describe, expect, it, onTestFinished, test } from 'vitest'
import { createLocalpost, type Localpost, type LocalpostOptions } from '../../src/index.ts'
import { systemClock } from '../../src/clock.ts'
import { emailCollection, type EmailRecord } from '../../src/emails/email.ts'
import { startDigesting } from '../../src/inbox/digesting.ts'
import { createDigests } from '../../src/inbox/digests.ts'
import { parseMailQuery } from '../../src/inbox/query.ts'
import { createSearch } from '../../src/inbox/search.ts'
import { openTextColumn, type TextColumn } from '../../src/inbox/text-column.ts'
import { rowTerm, scanRows, type RowTerm } from '../../src/inbox/text-rows.ts'
import type { ListPage } from '../../src/lists.ts'
import { openMemoryStore } from '../../src/store/open.ts'
import { insert, remove } from '../../src/store/store.ts'
import { anEmail, idOf } from './_email.ts'

async function start(options?: LocalpostOptions): Promise<Localpost> {
  const post = await createLocalpost(options)
  onTestFinished(() => post.close())
  return post
}

function temporaryFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'localpost-search-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

const submit = (post: Localpost, mail: SendMailOptions) =>
  createTransport(post.smtp).sendMail({ from: 'bob@acme.test', to: 'ada@example.com', text: 'Hi', ...mail })
const found = async (post: Localpost, query: string) =>
  (await post.inbox.list({ query })).items.map(({ subject }) => subject)

describe('a search', () => {
  it('looks into the text of submissions and API sends, in HTML and in any case', async () => {
    const post = await start()
    await submit(post, { subject: 'plain', text: 'The Überweisung\nis on\r\n its way' })
    await submit(post, { subject: 'html', text: undefined, html: '<p>Your <b>Ticket</b> is <i>here</i></p>' })
    await post.emails.send({ from: 'a@acme.test', to: 'b@x.test', subject: 'api', text: 'Žluťoučký kůň' })
    expect(await found(post, 'überweisung')).toEqual(['plain'])
    expect(await found(post, '"is on its way"')).toEqual(['plain'])
    expect(await found(post, 'body:"ticket is HERE"')).toEqual(['html'])
    expect(await found(post, 'ŽLUŤOUČKÝ')).toEqual(['api'])
    expect(await found(post, 'body:plain')).toEqual([])
    expect(await found(post, '-ticket')).toEqual(['api', 'plain'])
    expect(await found(post, 'ticket ticket -nothing from:bob')).toEqual(['html'])
    // An id stands in the row too, and is no text.
    expect(await found(post, 'em_0')).toEqual([])
  })

  it('knows status, type, source, domain, tag, dates and sizes', async () => {
    const post = await start()
    await submit(post, { subject: 'small', cc: 'eve@example.com' })
    await post.emails.send({
      from: 'A <a@other.test>',
      to: 'b@x.test',
      subject: 'api',
      text: 'x'.repeat(5000),
    })
    const { id } = await post.inbox.waitFor('subject:api')
    await post.inbox.update(id, { tags: ['Signup'] })
    expect(await found(post, 'status:delivered')).toEqual(['api', 'small'])
    expect(await found(post, 'status:bounced')).toEqual([])
    expect(await found(post, '-status:bounced source:smtp')).toEqual(['small'])
    expect(await found(post, 'type:broadcast')).toEqual([])
    expect(await found(post, 'domain:other.test')).toEqual(['api'])
    expect(await found(post, 'tag:signup')).toEqual(['api'])
    expect(await found(post, '-tag:signup cc:eve')).toEqual(['small'])
    expect(await found(post, 'after:1h before:2099-01-01')).toEqual(['api', 'small'])
    expect(await found(post, 'before:1h')).toEqual([])
    expect(await found(post, 'larger:4k')).toEqual(['api'])
    expect(await found(post, 'smaller:4kb')).toEqual(['small'])
    expect(await found(post, `id:${id},em_x`)).toEqual(['api'])
  })

  it('finds addresses in an internationalised domain by either spelling of it', async () => {
    const post = await start()
    await submit(post, {
      subject: 'in',
      from: 'Info <info@bücher.example>',
      to: 'ada@例え.jp',
      cc: 'x@xn--fa-hia.test',
    })
    await submit(post, { subject: 'other' })
    for (const query of [
      'from:bücher.example',
      'from:info@BÜCHER.example',
      'from:@xn--bcher-kva.example',
      'to:ada@例え.jp',
      'to:ada@xn--r8jz45g.jp',
      'cc:faß.test',
      'domain:bücher.example',
      'domain:xn--bcher-kva.example',
      '-from:acme to:例え',
    ]) {
      expect(await found(post, query), query).toEqual(['in'])
    }
    expect(await found(post, '-to:例え.jp')).toEqual(['other'])
    expect(await found(post, 'from:bücher')).toEqual(['in'])
    expect(await found(post, 'from:buecher.example')).toEqual([])
    for (const to of ['ada@例え.jp', 'ada@xn--r8jz45g.jp']) {
      expect((await post.inbox.waitFor({ to, from: 'info@bücher.example' })).subject).toBe('in')
    }
  })

  it('is paged, also while mail arrives and goes', async () => {
    const post = await start({ pageSize: 2 })
    for (const n of [1, 2, 3, 4, 5]) await submit(post, { subject: `mail ${n}`, text: 'needle' })
    const first = await post.inbox.list({ query: 'needle' })
    expect(first).toMatchObject({ count: 5, items: [{ subject: 'mail 5' }, { subject: 'mail 4' }] })
    await submit(post, { subject: 'mail 6', text: 'needle' })
    await post.inbox.remove(first.cursor ?? '')
    const second = await post.inbox.list({ query: 'needle', cursor: first.cursor })
    expect(second).toMatchObject({ count: 5, items: [{ subject: 'mail 3' }, { subject: 'mail 2' }] })
    const third = await post.inbox.list({ query: 'needle', cursor: second.cursor })
    expect(third).toMatchObject({ cursor: null, items: [{ subject: 'mail 1' }] })
    await expect(post.inbox.list({ query: 'needle', cursor: 'x' })).rejects.toMatchObject({
      code: 'invalid_cursor',
    })
  })

  it.each([
    ['a statsu:sent', /"statsu:" is no key. Did you mean status:\?.*character 3: a →statsu:sent/],
    ['status:gone', /status: takes sent, delivered.*not "gone"/],
    ['after:soon', /after: takes a day \(2026-01-31\).*not "soon"/],
    ['before:2026-02-29', /before: takes a day .*not "2026-02-29"/],
    ['after:2026-04-31T10:00Z', /after: takes a day/],
    ['larger:huge', /larger: takes bytes.*not "huge"/],
    ['from:', /from: has no value/],
  ])('says what is wrong with %j', async (query, message) => {
    const post = await start()
    await expect(post.inbox.list({ query })).rejects.toThrow(message)
  })

  it('finds mail again after a restart, also where the derived file is lost or broken', async () => {
    const dir = temporaryFolder()
    const first = await createLocalpost({ dir })
    await submit(first, { subject: 'one', text: 'needle' })
    expect(await found(first, 'needle')).toEqual(['one'])
    await first.close()
    const file = join(dir, 'derived', 'mail-text.2')
    expect(statSync(file).size).toBeGreaterThan(0)
    const second = await createLocalpost({ dir })
    await submit(second, { subject: 'two', text: 'needle', attachments: [{ filename: 'a', content: 'b' }] })
    expect(await found(second, 'needle')).toEqual(['two', 'one'])
    await second.close()
    rmSync(join(dir, 'derived'), { recursive: true })
    const third = await createLocalpost({ dir })
    expect(await found(third, 'needle')).toEqual(['two', 'one'])
    expect(await found(third, 'has:attachment')).toEqual(['two'])
    await third.close()
    writeFileSync(file, 'garbage')
    const fourth = await start({ dir })
    expect(await found(fourth, 'needle')).toEqual(['two', 'one'])
  })

  it('finds again what a snapshot brings back', async () => {
    const post = await start()
    await submit(post, { subject: 'kept', text: 'needle' })
    expect(await found(post, 'needle')).toEqual(['kept'])
    const snapshot = await post.snapshot()
    await post.inbox.removeMatching(null)
    expect(await found(post, 'needle')).toEqual([])
    await post.restore(snapshot)
    expect(await found(post, 'needle')).toEqual(['kept'])
  })
})

test('The column goes on over blocks, and stays whole over a close', async () => {
  const dir = temporaryFolder()
  let column = await openTextColumn(dir)
  const body = 'word '.repeat(400)
  for (let n = 1; n <= 1200; n++) {
    await column.append(idOf(n), `subject ${n}\nada@x.test`, n % 100 === 0 ? `${body} Needle` : body)
    if (n !== 700) continue
    await column.close()
    column = await openTextColumn(dir)
    expect([column.cursor, column.rows]).toEqual([idOf(700), 700])
  }
  const hundreds = Array.from({ length: 12 }, (_, i) => idOf(1200 - i * 100))
  expect(await scan(column, rowTerm('needle', 'body', false))).toEqual(hundreds)
  expect(await scan(column, rowTerm('subject 1100', 'all', false))).toEqual([idOf(1100)])
  expect(await scan(column, rowTerm('subject 1100', 'body', false))).toEqual([])
  expect(await scan(column, rowTerm(idOf(1100), 'all', false))).toEqual([])
  expect((await scan(column, rowTerm('needle', 'all', true))).length).toBe(1188)
  const both = [rowTerm('needle', 'body', false), rowTerm('subject 2', 'all', true)]
  expect(await scan(column, ...both)).toEqual(hundreds.filter((id) => id !== idOf(200)))
  const seen: [number, string, string][] = []
  await column.scan([], async ({ count, first, last }) => void seen.unshift([count, first, last]))
  expect(seen.length).toBeGreaterThan(2)
  expect(seen.reduce((sum, [count]) => sum + count, 0)).toBe(1200)
  expect([seen[0]?.[1], seen[0]?.[2], seen.at(-1)?.[2]]).toEqual([
    idOf(1),
    idOf(seen[0]?.[0] ?? 0),
    idOf(1200),
  ])
  await column.clear()
  expect([column.cursor, column.rows, await scan(column, rowTerm('word', 'all', true))]).toEqual(['', 0, []])
  await column.close()
})

test('A page over many blocks counts what is there, also where mails of some blocks are gone', async () => {
  const store = await openMemoryStore({ collections: [emailCollection] })
  const column = await openTextColumn(null)
  onTestFinished(() => Promise.all([store.close(), column.close()]).then(() => {}))
  const all = Array.from({ length: 1500 }, (_, i) => i + 1)
  await store.commit(all.map((n) => insert(emailCollection, anEmail(n))))
  for (const n of all)
    await column.append(idOf(n), `mail ${n}`, `${'word '.repeat(400)} ${n % 2 ? 'odd' : ''}`)
  const gone = [1, 3, 4, 1499]
  await store.commit(gone.map((n) => remove(emailCollection, idOf(n))))
  const digests = createDigests(store)
  const digesting = startDigesting({ store, clock: systemClock, digests, column })
  onTestFinished(() => digesting.close())
  const search = createSearch({ store, digests, digesting, column, pageSize: 50 })
  const filter = parseMailQuery('odd', 0)
  const wanted = all.filter((n) => n % 2 === 1 && !gone.includes(n)).reverse()
  const ids: string[] = []
  for (let cursor: string | null = null, pages = 0; pages === 0 || cursor; pages++) {
    const page: ListPage<EmailRecord> = await search.list(filter, { cursor, limit: 200 })
    expect(page.count).toBe(wanted.length)
    ids.push(...page.items.map(({ id }) => id))
    cursor = page.cursor
  }
  expect(ids).toEqual(wanted.map(idOf))
})

test.each(['a byte of the first block', 'a byte of the last rows', 'rows behind the last'])(
  'The column keeps nothing of a file that was damaged in %s',
  async (place) => {
    const dir = temporaryFolder()
    let column = await openTextColumn(dir)
    for (let n = 1; n <= 700; n++) await column.append(idOf(n), `subject ${n}`, 'word '.repeat(400))
    await column.close()
    const file = join(dir, 'mail-text.2')
    const bytes = readFileSync(file)
    if (place === 'a byte of the first block') bytes[5000] = 0x03
    else if (place === 'a byte of the last rows') bytes[bytes.length - 3000] = 0x00
    const more = place === 'rows behind the last' ? `\0${idOf(900)}\nhead\x02body\x03` : ''
    writeFileSync(file, Buffer.concat([bytes, Buffer.from(more)]))
    column = await openTextColumn(dir)
    await column.verify()
    expect(column.rows).toBeLessThan(700)
    for (let n = column.rows + 1; n <= 700; n++)
      await column.append(idOf(n), `subject ${n}`, 'word '.repeat(400))
    expect((await scan(column, rowTerm('word', 'body', false))).length).toBe(700)
    await column.close()
  },
)

test('A scan comes to its end whatever stands in a block', async () => {
  const bytes = Buffer.from('\x03needle\0x needle\x03\x03 needle \x02 needle')
  for (let from = 0; from < bytes.length; from++) {
    const block = Buffer.alloc(2000)
    bytes.copy(block, 100, from)
    expect((await scanRows(block, [rowTerm('needle', 'all', false)])).length).toBeLessThan(3)
    expect((await scanRows(block, [rowTerm('needle', 'body', true)])).length).toBeLessThan(3)
  }
})

async function scan(column: TextColumn, ...terms: RowTerm[]): Promise<string[]> {
  const ids: string[] = []
  await column.scan(terms, async (rows) => {
    expect(rows.ids().length).toBe(rows.hits)
    ids.push(...rows.ids())
  })
  return ids
}

describe('bulk changes', () => {
  it('mark and tag the matches of a query, or mails by their ids', async () => {
    const post = await start()
    for (const subject of ['a1', 'a2', 'b1']) await submit(post, { subject })
    expect(await post.inbox.updateMatching('subject:a', { unread: false, add_tags: ['x', 'y'] })).toBe(2)
    expect(await found(post, 'is:read tag:x')).toEqual(['a2', 'a1'])
    const { id } = await post.inbox.waitFor('subject:a1')
    expect(await post.inbox.updateMatching({ ids: [id, 'em_x'] }, { remove_tags: ['x'] })).toBe(1)
    expect(await found(post, 'tag:x')).toEqual(['a2'])
    expect(await post.inbox.removeMatching({ ids: [id, id, 'em_x'] })).toBe(1)
    expect(await found(post, '')).toEqual(['b1', 'a2'])
    await expect(post.inbox.updateMatching(null, { add_tags: ['a,b'] })).rejects.toMatchObject({
      errors: [{ field: 'add_tags' }],
    })
    const misspelt: object = { unraed: false }
    await expect(post.inbox.updateMatching(null, misspelt)).rejects.toThrow('did you mean unread?')
    for (const nothing of [{}, { unread: undefined }]) {
      await expect(post.inbox.updateMatching(null, nothing)).rejects.toThrow('says nothing to change')
    }
  })
})

describe('waits', () => {
  it('for text end when it arrives; members take forms too', async () => {
    const post = await start()
    const byWord = post.inbox.waitFor('482913')
    const byForm = post.inbox.waitFor({ body: /Code is \d{6}/, tag: undefined })
    await submit(post, { subject: 'other', text: 'nothing' })
    await submit(post, { subject: 'sign in', text: 'Your Code is 482913' })
    expect((await byWord).subject).toBe('sign in')
    expect((await byForm).subject).toBe('sign in')
    expect((await post.inbox.waitFor({ body: 'CODE IS' })).subject).toBe('sign in')
  })

  it('for a number of mails give the newest ones, or say how many there are', async () => {
    const post = await start()
    await submit(post, { subject: 'n 1' })
    const { id } = await post.inbox.waitFor('n')
    const three = post.inbox.waitForCount('subject:n', 3)
    await submit(post, { subject: 'n 2' })
    await submit(post, { subject: 'n 3' })
    expect((await three).map(({ subject }) => subject)).toEqual(['n 3', 'n 2', 'n 1'])
    const late = post.inbox.waitForCount('subject:n', 3, { after: id, timeoutMs: 30 })
    await expect(late).rejects.toMatchObject({
      code: 'wait_timeout',
      message: expect.stringContaining('Only 2 of 3 mails for "subject:n" within 30 ms.') as string,
    })
    await expect(post.inbox.waitForCount('', 0)).rejects.toMatchObject({ code: 'validation_error' })
  })

  it('for nothing resolve in time, or name the mail at once', async () => {
    const post = await start()
    await post.inbox.expectNone('welcome', { withinMs: 20 })
    const none = post.inbox.expectNone('welcome', { withinMs: 60_000 })
    const outcome = expect(none).rejects.toMatchObject({
      code: 'unexpected_mail',
      message: expect.stringContaining('subject "Welcome"') as string,
    })
    await submit(post, { subject: 'Welcome' })
    await outcome
    const { id } = await post.inbox.waitFor('welcome')
    await post.inbox.expectNone('welcome', { withinMs: 20, after: id })
    await expect(post.inbox.expectNone('welcome')).rejects.toMatchObject({ code: 'unexpected_mail' })
    const open = [post.inbox.expectNone('never', { withinMs: 60_000 }), post.inbox.waitForCount('never', 2)]
    const closed = open.map((wait) => expect(wait).rejects.toMatchObject({ code: 'closed' }))
    await post.close()
    await Promise.all(closed)
  })
})
