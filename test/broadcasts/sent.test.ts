import { beforeEach, describe, expect, it } from 'vitest'
import { broadcastDetailSchema } from '../../src/broadcasts/schema.ts'
import type { BroadcastListQuery, Localpost } from '../../src/index.ts'
import { start } from '../support/instance.ts'

let post: Localpost
let audienceId: string
beforeEach(async () => {
  post = await start()
  audienceId = (await post.audiences.create({ name: 'Friends' })).id
})

const mail = { from: 'Acme <news@acme.test>', subject: 'Hi {{first_name}}', html: '<p>Hello</p>' }
const names = ['ada', 'bob', 'cy', 'dan', 'eve']

async function sendToAll(): Promise<{ id: string; email_ids: string[] }> {
  for (const name of names) await post.audiences.contacts.add(audienceId, { email: `${name}@example.com` })
  const sent = await post.broadcasts.send({ ...mail, audience_id: audienceId })
  for (const id of sent.email_ids) await post.inbox.waitFor(`id:${id}`)
  return sent
}

async function unsubscribe(emailId: string): Promise<void> {
  const { headers } = await post.inbox.get(emailId)
  const link = headers.find(([name]) => name.toLowerCase() === 'list-unsubscribe')?.[1] ?? ''
  const url = /<(.+)>/.exec(link)?.[1] ?? ''
  expect((await post.fetch(new Request(url, { method: 'POST' }))).status).toBe(200)
}

describe('a broadcast that was sent', () => {
  it('shows the results of its emails, in numbers and over time', async () => {
    await post.rules.set([{ match: 'cy@example.com', action: 'reject' }])
    const { id, email_ids } = await sendToAll()
    const [ada = '', bob = '', , dan = ''] = email_ids
    await expect.poll(async () => (await post.broadcasts.get(id)).totals.bounced).toBe(1)
    const to = (name: string): { recipient: string } => ({ recipient: `${name}@example.com` })
    await post.emails.addEvent(bob, { ...to('bob'), status: 'opened' })
    for (let n = 0; n < 2; n++) await post.emails.addEvent(ada, { ...to('ada'), status: 'opened' })
    await post.emails.addEvent(ada, { ...to('ada'), status: 'clicked', link: 'https://acme.test/' })
    await post.emails.addEvent(dan, { ...to('dan'), status: 'complained' })
    await unsubscribe(bob)
    // The link is followed twice, as mail programs do.
    await unsubscribe(bob)

    const detail = await post.broadcasts.get(id)
    expect(broadcastDetailSchema.parse(detail)).toEqual(detail)
    expect(detail).toMatchObject({
      id,
      audience_id: audienceId,
      from: mail.from,
      subject: mail.subject,
    })
    expect(detail.count).toBe(5)
    expect(detail.totals).toEqual({
      emails: 5,
      delivered: 4,
      opened: 2,
      clicked: 1,
      bounced: 1,
      delivery_delayed: 0,
      complained: 1,
      failed: 0,
      unsubscribed: 1,
    })
    const sum = (kind: 'delivered' | 'opened' | 'clicked' | 'bounced'): number =>
      detail.timeline.moments.reduce((all, moment) => all + moment[kind], 0)
    expect([sum('delivered'), sum('opened'), sum('clicked'), sum('bounced')]).toEqual([4, 2, 1, 1])
    expect(detail.timeline.moments[0]?.at).toBe(detail.created)
  })

  it('counts the emails that are still there', async () => {
    const { id, email_ids } = await sendToAll()
    await post.inbox.remove(email_ids[0] ?? '')
    expect((await post.broadcasts.get(id)).totals).toMatchObject({ emails: 4, delivered: 4 })
  })

  it('is counted once for all who ask at the same time', async () => {
    const { id } = await sendToAll()
    const [first, ...others] = await Promise.all([1, 2, 3].map(() => post.broadcasts.get(id)))
    expect(others).toEqual([first, first])
  })

  it('counts many emails, and lets others run meanwhile', async () => {
    const rows = Array.from({ length: 2500 }, (_, n) => `c${n}@example.com`)
    await post.audiences.contacts.import(audienceId, `email\n${rows.join('\n')}`)
    const { id } = await post.broadcasts.send({ ...mail, audience_id: audienceId })
    let turns = 0
    const timer = setInterval(() => turns++, 0)
    const { totals } = await post.broadcasts.get(id)
    clearInterval(timer)
    expect(totals.emails).toBe(2500)
    expect(turns).toBeGreaterThan(2)
  })
})

describe('the list of broadcasts', () => {
  it('has the newest first, page by page, of one audience or of all', async () => {
    const other = (await post.audiences.create({ name: 'Others' })).id
    const ids: string[] = []
    for (const audience_id of [audienceId, other, audienceId])
      ids.unshift((await post.broadcasts.send({ ...mail, audience_id })).id)
    const all = await post.broadcasts.list()
    expect(all).toMatchObject({ count: 3, cursor: null })
    expect(all.items.map(({ id }) => id)).toEqual(ids)
    expect(all.items[0]).toEqual({
      id: ids[0],
      audience_id: audienceId,
      from: mail.from,
      subject: mail.subject,
      created: expect.any(Number),
      count: 0,
    })
    const own = await post.broadcasts.list({ audience_id: audienceId, limit: 1 })
    expect(own).toMatchObject({ count: 2, cursor: ids[0], items: [{ id: ids[0] }] })
    const next = await post.broadcasts.list({ audience_id: audienceId, limit: 1, cursor: own.cursor })
    expect(next).toMatchObject({ count: 2, cursor: null, items: [{ id: ids[2] }] })
  })

  it('keeps the last 1,000', { timeout: 120_000 }, async () => {
    let first = ''
    for (let n = 0; n < 1002; n++) {
      const { id } = await post.broadcasts.send({ ...mail, audience_id: audienceId })
      if (n === 1) first = id
    }
    await Promise.all([1, 2, 3].map(() => post.broadcasts.send({ ...mail, audience_id: audienceId })))
    const { count } = await post.broadcasts.list()
    expect(count).toBe(1000)
    await expect(post.broadcasts.get(first)).rejects.toMatchObject({ code: 'not_found' })
  })

  it.each([
    ['an unknown member', { audience: 'x' }, 'invalid_option'],
    ['a cursor of another list', { cursor: 'em_1' }, 'invalid_cursor'],
    ['a wrong limit', { limit: 0 }, 'validation_error'],
  ])('refuses %s', async (_, query, code) => {
    await expect(post.broadcasts.list(query as BroadcastListQuery)).rejects.toMatchObject({ code })
  })

  it('is emptied with the emails', async () => {
    const { id } = await sendToAll()
    await post.reset({ keep: ['emails'] })
    expect((await post.broadcasts.list()).count).toBe(1)
    await post.reset()
    await expect(post.broadcasts.get(id)).rejects.toMatchObject({ code: 'not_found' })
  })
})
