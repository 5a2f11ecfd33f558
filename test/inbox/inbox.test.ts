import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import { emailCollection } from '../../src/emails/email.ts'
import type { MailQuery } from '../../src/search/query-members.ts'
import { createWaits } from '../../src/inbox/wait.ts'
import type { Localpost } from '../../src/instance/instance.ts'
import { insert } from '../../src/store/store.ts'
import { anEmail } from './_email.ts'
import { openStore } from '../support/adapters.ts'
import { startRetrying } from '../support/instance.ts'
import { submit } from '../support/submit.ts'

let post: Localpost
beforeEach(async () => {
  post = await startRetrying({ pageSize: 2 })
})

const hello = { from: 'Bob <bob@acme.test>', to: 'ada@example.com', subject: 'Hello', text: 'Hi Ada' }
const idsOf = async (query: string) =>
  (await post.inbox.list({ query, limit: 50 })).items.map(({ subject }) => subject)

describe('the list', () => {
  it('has sent and submitted mail, newest first, with the members of a list', async () => {
    await submit(post, { ...hello, attachments: [{ filename: 'a.txt', content: 'abc' }] })
    await post.emails.send({
      from: 'Acme <hi@acme.test>',
      to: 'eve@example.com',
      subject: 'Sent',
      html: '<b>Body</b>',
    })
    await post.inbox.waitFor({ subject: 'Sent' })
    const { items, count, cursor } = await post.inbox.list()
    expect({ count, cursor }).toEqual({ count: 2, cursor: null })
    expect(items).toMatchObject([
      { subject: 'Sent', source: 'api', snippet: 'Body', attachment_count: 0, unread: true },
      {
        subject: 'Hello',
        source: 'smtp',
        snippet: 'Hi Ada',
        attachment_count: 1,
        from: 'Bob <bob@acme.test>',
      },
    ])
    expect(Object.keys(items[0] ?? {}).sort()).toEqual([
      'attachment_count',
      'from',
      'id',
      'is_answer',
      'last_event',
      'outcomes',
      'received',
      'size_bytes',
      'snippet',
      'source',
      'subject',
      'tags',
      'thread',
      'to',
      'to_names',
      'trace_id',
      'unread',
    ])
  })

  it('counts the recipients of a mail by outcome', async () => {
    const to = ['ada@example.com', 'grace@example.com', 'bounce@simulator.localpost']
    const { id } = await post.emails.send({ from: 'Acme <hi@acme.test>', to, subject: 'To three', text: 'x' })
    const outcomes = { delivered: 2, bounced: 1 }
    await expect.poll(async () => (await post.inbox.list()).items[0]?.outcomes).toEqual(outcomes)
    expect((await post.inbox.get(id)).outcomes).toEqual(outcomes)
  })

  it('has pages, keeps its order while mail arrives and is removed, and counts the matches of its query', async () => {
    for (const subject of ['a1', 'a2', 'b3', 'a4', 'a5']) await submit(post, { ...hello, subject })
    const first = await post.inbox.list({ query: 'subject:a' })
    expect(first.items.map(({ subject }) => subject)).toEqual(['a5', 'a4'])
    expect(first.count).toBe(4)
    await submit(post, { ...hello, subject: 'a6' })
    await post.inbox.remove(first.cursor ?? '')
    const second = await post.inbox.list({ query: 'subject:a', cursor: first.cursor })
    expect(second.items.map(({ subject }) => subject)).toEqual(['a2', 'a1'])
    expect(second.cursor).toBeNull()
  })

  it('is searched by words, phrases, members and their negations', async () => {
    await submit(post, { ...hello, subject: 'Welcome to Acme' })
    await submit(post, { ...hello, subject: 'Your receipt', to: 'eve@example.com', bcc: 'audit@acme.test' })
    expect(await idsOf('welcome')).toEqual(['Welcome to Acme'])
    expect(await idsOf('"to acme"')).toEqual(['Welcome to Acme'])
    expect(await idsOf('to:eve')).toEqual(['Your receipt'])
    expect(await idsOf('to:audit@')).toEqual(['Your receipt'])
    expect(await idsOf('from:bob -to:eve')).toEqual(['Welcome to Acme'])
    expect(await idsOf('is:unread subject:"your receipt"')).toEqual(['Your receipt'])
    expect(await idsOf('is:read')).toEqual([])
    expect(await idsOf('nothing')).toEqual([])
  })

  it.each([
    ['subject:"open', /not closed. \(at character 1: →subject/],
    ['a colour:red', /"colour:" is not a key.*character 3: a →colour:red/],
    ['is:blue', /is: takes unread, read, not "blue".*character 1/],
  ])('shows the position of the error in a query: %j', async (query, message) => {
    await expect(post.inbox.list({ query })).rejects.toThrow(message)
    await expect(post.inbox.list({ query })).rejects.toMatchObject({ code: 'invalid_query' })
  })
})

describe('a mail', () => {
  it('has headers, bodies, links, codes, attachments and envelope', async () => {
    await submit(post, {
      ...hello,
      subject: 'Přihlášení',
      text: 'Your code is 482913',
      html: '<p>Your code is <b>482913</b> <a href="https://acme.test/go">Go</a><img src="cid:logo@acme"></p>',
      attachments: [{ filename: 'logo.png', content: Buffer.from('png'), cid: 'logo@acme' }],
    })
    const mail = await post.inbox.waitFor({ subject: 'Přihlášení' })
    expect(mail).toMatchObject({
      codes: ['482913'],
      links: [{ href: 'https://acme.test/go', text: 'Go' }],
      envelope: { mail_from: 'bob@acme.test', rcpt_to: ['ada@example.com'] },
      attachments: [
        { index: 0, filename: 'logo.png', content_id: 'logo@acme', disposition: 'inline', size_bytes: 3 },
      ],
      problem: null,
    })
    expect(mail.headers.map(([name]) => name)).toContain('Subject')
    expect(mail.html).toContain('cid:logo@acme')
    expect(await post.inbox.html(mail.id)).toContain('src="data:image/png;base64,cG5n"')
    expect((await post.inbox.attachment(mail.id, 0)).content.toString()).toBe('png')
    await expect(post.inbox.attachment(mail.id, 1)).rejects.toMatchObject({ code: 'not_found' })
  })

  it('can be marked and tagged; wrong values change nothing', async () => {
    await submit(post, hello)
    const { id } = await post.inbox.waitFor()
    expect(await post.inbox.update(id, { unread: false, tags: ['a', 'a', 'b'] })).toMatchObject({
      unread: false,
      tags: ['a', 'b'],
    })
    const wrong = { unread: 'no', tags: [1] } as unknown as { unread: boolean }
    await expect(post.inbox.update(id, wrong)).rejects.toMatchObject({
      code: 'validation_error',
      errors: [{ field: 'unread' }, { field: 'tags' }],
    })
    expect(await post.inbox.get(id)).toMatchObject({ unread: false, tags: ['a', 'b'] })
  })

  it('can be removed alone, by query and with all others', async () => {
    for (const subject of ['a1', 'a2', 'b1', 'b2']) await submit(post, { ...hello, subject })
    const { id } = await post.inbox.waitFor({ subject: 'b2' })
    await post.inbox.remove(id)
    await expect(post.inbox.get(id)).rejects.toMatchObject({ code: 'not_found' })
    expect(await post.inbox.removeMatching('subject:a')).toBe(2)
    expect(await idsOf('')).toEqual(['b1'])
    expect(await post.inbox.removeMatching(null)).toBe(1)
    expect((await post.emails.list()).count).toBe(0)
  })
})

describe('a wait', () => {
  it('answers with the newest match that already exists', async () => {
    for (const subject of ['one', 'two']) await submit(post, { ...hello, subject })
    expect((await post.inbox.waitFor()).subject).toBe('two')
    expect((await post.inbox.waitFor({ subject: /^o/ })).subject).toBe('one')
  })

  it('otherwise answers with the next arrival', async () => {
    const waiting = post.inbox.waitFor({ to: 'Late@example.com', subject: /late/i })
    await submit(post, { ...hello, subject: 'late' })
    await submit(post, { ...hello, to: 'late@example.com', subject: 'Late' })
    expect((await waiting).subject).toBe('Late')
    const byText = post.inbox.waitFor('subject:fresh from:bob')
    await submit(post, { ...hello, subject: 'fresh' })
    expect((await byText).subject).toBe('fresh')
  })

  it('matches an address as a whole', async () => {
    await submit(post, { ...hello, to: 'canada@example.com' })
    await expect(post.inbox.waitFor({ to: 'ada@example.com' }, { timeoutMs: 30 })).rejects.toThrow()
    expect((await post.inbox.waitFor({ to: 'ada@' })).to).toEqual(['canada@example.com'])
  })

  it('with a cursor finds later mail only, also where the mail of the cursor was removed', async () => {
    await submit(post, hello)
    const { id } = await post.inbox.waitFor()
    await post.inbox.remove(id)
    const waiting = post.inbox.waitFor({ subject: 'Hello' }, { after: id })
    await submit(post, hello)
    expect((await waiting).id > id).toBe(true)
    await expect(post.inbox.waitFor('', { after: 'x' })).rejects.toMatchObject({ code: 'invalid_query' })
  })

  it('with a cursor skips an older match that still exists', async () => {
    await submit(post, { ...hello, subject: 'Hello 1' })
    await submit(post, { ...hello, subject: 'Other 2' })
    const { id } = await post.inbox.waitFor({ subject: 'Other' })
    const older = post.inbox.waitFor({ subject: 'Hello' }, { after: id, timeoutMs: 50 })
    await expect(older).rejects.toThrow(/Hello 1" \(not after `after`\)/)
    const byText = post.inbox.waitFor('hello', { after: id, timeoutMs: 50 })
    await expect(byText).rejects.toMatchObject({ code: 'wait_timeout' })
    await submit(post, { ...hello, subject: 'Hello 3' })
    expect((await post.inbox.waitFor({ subject: 'Hello' }, { after: id })).subject).toBe('Hello 3')
    expect((await post.inbox.waitFor('hello', { after: id })).subject).toBe('Hello 3')
  })

  it('lists the nearest misses first, and the newest among equals', async () => {
    await submit(post, { ...hello, to: 'eve@example.com', subject: 'near welcome' })
    await submit(post, { ...hello, to: 'ada@example.com', subject: 'older receipt' })
    for (const subject of ['far 1', 'far 2', 'far 3'])
      await submit(post, { ...hello, to: 'x@example.com', subject })
    await submit(post, { ...hello, to: 'ada@example.com', subject: 'newer receipt' })
    await submit(post, { ...hello, to: 'x@example.com', subject: 'far 4' })
    const order = /newer receipt.*older receipt.*far 4"\.$/
    const misses = (query: MailQuery) => post.inbox.waitFor(query, { timeoutMs: 30 })
    const query = { from: 'bob@acme.test', to: 'ada@example.com', subject: /^nothing/ }
    await expect(misses(query)).rejects.toThrow(order)
    await expect(misses('from:bob to:ada nothing')).rejects.toThrow(order)
    // Two parts of three hold for the one, one part for the others.
    await expect(misses('welcome to:eve nothing')).rejects.toThrow(
      /misses: \S+ from [^;]*near welcome.*far 4/,
    )
  })

  it('checks only the new mail at each arrival, however many mails exist', async () => {
    const store = await openStore([emailCollection])
    onTestFinished(() => store.close())
    let searches = 0
    const waits = createWaits({
      store,
      clock: systemClock,
      now: () => 0,
      defaultTimeoutMs: 3000,
      details: { read: async (email) => email as never },
      missing: { explain: () => Promise.reject(new Error('unused')) },
      search: {
        async *matches() {
          searches++
          yield* []
        },
        fits: async (email, filter) => filter.accepts(email),
      },
    })
    const waiting = waits.waitFor('subject:wanted')
    await store.commit([insert(emailCollection, anEmail(4))])
    await store.commit([insert(emailCollection, { ...anEmail(5), subject: 'wanted' })])
    expect((await waiting).subject).toBe('wanted')
    expect(searches).toBe(1)
  })

  it('times out, and lists the nearest misses', async () => {
    await submit(post, { ...hello, subject: 'Something else' })
    const waiting = post.inbox.waitFor({ subject: /welcome/ }, { timeoutMs: 50 })
    await expect(waiting).rejects.toMatchObject({ code: 'wait_timeout' })
    await expect(waiting).rejects.toThrow(/subject: \/welcome\/.*50 ms.*Something else/)
  })

  it('ends with the instance', async () => {
    const waiting = post.inbox.waitFor('never')
    const outcome = expect(waiting).rejects.toMatchObject({ code: 'closed' })
    await post.close()
    await outcome
  })
})
