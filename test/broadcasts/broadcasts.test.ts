import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Localpost } from '../../src/index.ts'
import { startRetrying } from '../support/instance.ts'

let post: Localpost
let audienceId: string
beforeEach(async () => {
  post = await startRetrying()
  audienceId = (await post.audiences.create({ name: 'Friends' })).id
})

const mail = {
  from: 'Acme <news@acme.test>',
  subject: 'Hi {{first_name}}',
  text: 'Dear {{first_name}} {{last_name}} <{{email}}>',
}
const add = (email: string, first_name: string | null = null, is_subscribed = true) =>
  post.audiences.contacts.add(audienceId, { email, first_name, is_subscribed })

describe('a broadcast', () => {
  it('is one personal email of type broadcast for each subscribed contact', async () => {
    await add('ada@example.com', 'Ada')
    await add('bob@example.com')
    await add('eve@example.com', 'Eve', false)
    const { id, email_ids, count } = await post.broadcasts.send({ ...mail, audience_id: audienceId })
    expect(count).toBe(2)
    expect(id).toMatch(/^bc_/)
    const emails = await Promise.all(email_ids.map((emailId) => post.emails.get(emailId)))
    expect(emails).toMatchObject([
      { type: 'broadcast', to: ['ada@example.com'], subject: 'Hi Ada', text: 'Dear Ada  <ada@example.com>' },
      { type: 'broadcast', to: ['bob@example.com'], subject: 'Hi ', text: 'Dear   <bob@example.com>' },
    ])
    const { items } = await post.emails.list()
    expect(items.map(({ type }) => type)).toEqual(['broadcast', 'broadcast'])
    expect((await post.inbox.get(email_ids[0] ?? '')).tags).toEqual([id])
  })

  it('lists the contacts that it skips, and why', async () => {
    await add('ada@example.com', 'Ada')
    const { id: eve } = await add('eve@example.com', 'Eve', false)
    // The validation of contacts allows more than SMTP does.
    const { id: odd } = await add('odd@-acme.test')
    const { count, left_out } = await post.broadcasts.send({ ...mail, audience_id: audienceId })
    expect(count).toBe(1)
    expect(left_out).toEqual({
      unsubscribed: 1,
      invalid_address: 1,
      contacts: [
        {
          id: odd,
          email: 'odd@-acme.test',
          reason: 'invalid_address',
          message: 'The address has a domain label that is no host name: "-acme"',
        },
        {
          id: eve,
          email: 'eve@example.com',
          reason: 'unsubscribed',
          message: 'The contact is not subscribed',
        },
      ],
    })
  })

  it('lists 100 of the skipped contacts and counts all of them', async () => {
    const rows = Array.from({ length: 150 }, (_, n) => `c${n}@example.com,,,false`)
    await post.audiences.contacts.import(
      audienceId,
      `email,first_name,last_name,is_subscribed\n${rows.join('\n')}`,
    )
    const { count, left_out } = await post.broadcasts.send({ ...mail, audience_id: audienceId })
    expect([count, left_out.unsubscribed, left_out.contacts.length]).toEqual([0, 150, 100])
  })

  it('can be unsubscribed from with one POST, and its signature covers that header', async () => {
    await add('ada@example.com', 'Ada')
    await post.broadcasts.send({ ...mail, audience_id: audienceId })
    const { id, headers } = await post.inbox.waitFor({ to: 'ada@example.com' })
    const header = (name: string) => headers.find(([found]) => found.toLowerCase() === name)?.[1]
    expect(header('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click')
    const url = /^<(.+)>$/.exec(header('list-unsubscribe') ?? '')?.[1] ?? ''
    const raw = Buffer.concat(await (await post.inbox.raw(id)).stream.toArray())
    const key = (await post.domains.list()).items[0]?.public_key
    const verified = await dkimVerify(raw, { resolver: () => Promise.resolve([[`p=${key}`]]) })
    expect(verified.results[0]?.status.result).toBe('pass')
    expect(header('dkim-signature')).toMatch(/h=[^;]*:list-unsubscribe:list-unsubscribe-post/i)

    const body = 'List-Unsubscribe=One-Click'
    const answer = await post.fetch(
      new Request(url, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      }),
    )
    expect(answer.status).toBe(200)
    expect(await post.audiences.get(audienceId)).toMatchObject({ contact_count: 1, unsubscribers: 1 })
    expect((await post.broadcasts.send({ ...mail, audience_id: audienceId })).count).toBe(0)
  })

  it('is refused as a whole where a shared part is invalid', async () => {
    await add('ada@example.com')
    const { send } = post.broadcasts
    await expect(send({ ...mail, audience_id: 'aud_x' })).rejects.toMatchObject({ code: 'not_found' })
    await expect(send({ ...mail, audience_id: audienceId, from: 'x' })).rejects.toMatchObject({
      code: 'validation_error',
      errors: [{ field: 'from' }],
    })
    await expect(send({ audience_id: audienceId, from: mail.from, subject: 'x' })).rejects.toMatchObject({
      errors: [{ field: 'html' }],
    })
    await post.domains.create({ name: 'unverified.test' })
    await expect(send({ ...mail, audience_id: audienceId, from: 'a@unverified.test' })).rejects.toMatchObject(
      {
        code: 'domain_not_verified',
      },
    )
    expect((await post.emails.list()).count).toBe(0)
  })

  it('never lets a name write a header field', async () => {
    const crafted = { email: 'ada@example.com', first_name: 'Ada\r\nBcc: eve@example.com' }
    await post.audiences.contacts.add(audienceId, crafted).catch(() => add('ada@example.com', 'Ada'))
    await post.broadcasts.send({ ...mail, audience_id: audienceId })
    const { headers, subject } = await post.inbox.waitFor({ to: 'ada@example.com' })
    expect(headers.some(([name]) => name.toLowerCase() === 'bcc')).toBe(false)
    expect(subject).not.toMatch(/[\r\n]/)
  })

  it('puts names into its HTML as they are, or escaped with `escapeHtml`', async () => {
    const escaping = await startRetrying({ escapeHtml: true })
    for (const [one, shown] of [
      [post, 'Dear <b>"A&B"</b>'],
      [escaping, 'Dear &lt;b&gt;&quot;A&amp;B&quot;&lt;/b&gt;'],
    ] as const) {
      const { id } = await one.audiences.create({ name: 'All' })
      await one.audiences.contacts.add(id, { email: 'ada@example.com', first_name: '<b>"A&B"</b>' })
      const html = 'Dear {{first_name}}'
      const { email_ids } = await one.broadcasts.send({ ...mail, html, audience_id: id })
      const sent = await one.emails.get(email_ids[0] ?? '')
      expect([sent.html, sent.subject]).toEqual([shown, 'Hi <b>"A&B"</b>'])
    }
  })

  it('to thousands does not delay other mail', async () => {
    const rows = Array.from({ length: 3000 }, (_, i) => ({ email: `contact${i}@example.com` }))
    await post.audiences.contacts.import(audienceId, rows)
    const sending = post.broadcasts.send({ ...mail, audience_id: audienceId })
    const { count } = await sending
    expect(count).toBe(3000)
    await post.emails.send({ from: 'a@acme.test', to: 'urgent@example.com', subject: 'Code', text: '482913' })
    await post.inbox.waitFor({ to: 'urgent@example.com' }, { timeoutMs: 10_000 })
    const { items } = await post.emails.list({ limit: 500 })
    expect(items.some(({ type, last_event }) => type === 'broadcast' && last_event.status === 'sent')).toBe(
      true,
    )
  })
})
