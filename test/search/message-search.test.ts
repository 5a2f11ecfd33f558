import { describe, expect, it } from 'vitest'
import { emailCollection } from '../../src/emails/email.ts'
import { createMessageFields } from '../../src/search/message-fields.ts'
import { parseMailQuery } from '../../src/search/query.ts'
import { insert, put, remove } from '../../src/store/store.ts'
import { anEmail } from '../inbox/_email.ts'
import { openStore } from '../support/adapters.ts'
import { start } from '../support/instance.ts'
import { subjectsOf } from '../inbox/_email.ts'
import { submit } from '../support/submit.ts'

describe('a search in the message itself', () => {
  it('finds mail by Reply-To, Message-ID, header fields and names of attachments', async () => {
    const post = await start()
    await submit(post, {
      subject: 'news',
      replyTo: 'Help desk <help@BÜCHER.example>',
      messageId: '<abc.1@Acme.test>',
      headers: { 'List-Id': 'Weekly   news <news.acme.test>' },
      attachments: [{ filename: 'Überblick 2026.pdf', content: 'x' }],
    })
    await submit(post, { subject: 'plain' })
    await post.emails.send({
      from: 'a@acme.test',
      to: 'b@x.test',
      subject: 'api',
      text: 'x',
      reply_to: 'Ada <ada@x.test>',
      attachments: [{ filename: 'notes.txt', path: 'data:text/plain;base64,eA==' }],
    })
    await expect.poll(() => subjectsOf(post, 'header:message-id source:api')).toEqual(['api'])
    const found: [query: string, subjects: string[]][] = [
      ['reply-to:help@', ['news']],
      ['reply-to:xn--bcher-kva.example', ['news']],
      ['reply-to:ada@x.test', ['api']],
      ['-reply-to:help@', ['api', 'plain']],
      ['message-id:<ABC.1@acme.test>', ['news']],
      ['message-id:abc.1@acme', ['news']],
      ['-message-id:abc.1 source:smtp', ['plain']],
      ['header:list-id', ['news']],
      ['header:LIST-ID="weekly news"', ['news']],
      ['header:list-id=news.acme', ['news']],
      ['header:list', []],
      ['-header:list-id source:smtp', ['plain']],
      ['filename:überblick', ['news']],
      ['filename:.txt', ['api']],
      ['-filename:.pdf', ['api', 'plain']],
      ['filename:.pdf subject:news header:list-id=weekly', ['news']],
      ['filename:.pdf plain', []],
    ]
    for (const [query, subjects] of found) expect(await subjectsOf(post, query), query).toEqual(subjects)
    expect((await post.inbox.latest('header:list-id=weekly'))?.subject).toBe('news')
    await expect(post.inbox.list({ query: 'header:=x' })).rejects.toMatchObject({ code: 'invalid_query' })
  })

  it('takes a hyphen in a word for no key', async () => {
    const post = await start()
    await submit(post, { subject: 'pre-order:7' })
    expect(await subjectsOf(post, 'pre-order:7')).toEqual(['pre-order:7'])
  })

  it('waits for a mail by a header field', async () => {
    const post = await start()
    const waiting = post.inbox.waitFor('header:x-run=7', { timeoutMs: 5000 })
    await submit(post, { subject: 'six', headers: { 'X-Run': '6' } })
    await submit(post, { subject: 'seven', headers: { 'X-Run': '7' } })
    expect((await waiting).subject).toBe('seven')
  })

  it('reads a message once, and no message that other parts of the query exclude', async () => {
    const post = await start()
    for (let i = 0; i < 3; i++) await submit(post, { subject: `Mail ${i}`, headers: { 'X-Run': `${i}` } })
    const { items } = await post.inbox.list()
    let reads = 0
    const fieldsOf = createMessageFields({
      reader: { fields: async () => (reads++, { headers: [['X-Run', '7']], filenames: [] }) },
    })
    const email = { ...anEmail(1), message: { size_bytes: 10, message_id: '' } }
    expect(items).toHaveLength(3)
    for (let i = 0; i < 3; i++) await fieldsOf(email)
    expect(reads).toBe(1)
    expect(await fieldsOf({ ...email, id: 'em_none', message: null })).toBeNull()
    expect(reads).toBe(1)
    const filter = parseMailQuery('header:x-run=7 is:read', 0)
    expect([filter.messages.length, filter.accepts({ ...email, unread: true })]).toEqual([1, false])
  })
})

describe('the list of tags', () => {
  it('counts each tag in any case, the most frequent first', async () => {
    const post = await start()
    await submit(post, { subject: 'a', to: 'ada+Invoice@example.com' })
    await submit(post, { subject: 'b', headers: { 'X-Tags': 'invoice, due soon' } })
    expect(await post.inbox.tags()).toEqual([
      { tag: 'invoice', count: 2 },
      { tag: 'due soon', count: 1 },
    ])
    const { id } = await post.inbox.waitFor('subject:b')
    await post.inbox.update(id, { tags: [] })
    expect(await post.inbox.tags()).toEqual([{ tag: 'invoice', count: 1 }])
    await post.inbox.removeAll()
    expect(await post.inbox.tags()).toEqual([])
  })

  it('counts as the records say while records change', async () => {
    const store = await openStore([emailCollection])
    const of = (n: number, tags: string[]) => ({ ...anEmail(n), tags })
    await store.commit(
      Array.from({ length: 500 }, (_, n) => insert(emailCollection, of(n, [`t${n % 3}`, 'all']))),
    )
    await store.commit([put(emailCollection, of(0, ['t1', 'T1'])), remove(emailCollection, anEmail(3).id)])
    const counts = await store.tally(emailCollection, 'tag')
    expect(Object.fromEntries(counts)).toEqual({ t0: 165, t1: 168, t2: 166, all: 498 })
    await expect(store.tally(emailCollection, 'nothing')).rejects.toMatchObject({ code: 'internal_error' })
    await store.close()
  })
})

describe('names of recipients', () => {
  it('lists the display names of the first recipients', async () => {
    const post = await start()
    await submit(post, { subject: 'named', to: ['Ada L. <ada@x.test>', 'bob@x.test'] })
    await submit(post, { subject: 'encoded', to: { name: 'Zoë 🪴', address: 'zoe@x.test' } })
    await submit(post, { subject: 'bare', to: 'ada@x.test' })
    await post.emails.send({ from: 'a@acme.test', to: 'Grace <g@x.test>', subject: 'api', text: 'x' })
    const { items } = await post.inbox.list()
    expect(items.map(({ subject, to_names }) => [subject, to_names])).toEqual([
      ['api', ['Grace']],
      ['bare', []],
      ['encoded', ['Zoë 🪴']],
      ['named', ['Ada L.', '']],
    ])
  })
})
