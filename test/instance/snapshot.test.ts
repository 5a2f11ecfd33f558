import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Localpost } from '../../src/index.ts'
import { temporaryFolder } from '../support/folder.ts'
import { start } from '../support/instance.ts'
import { goodMail } from '../support/mail.ts'

const hello = { ...goodMail, subject: 'Hi', text: 'Hello' }

/** The whole visible state of an instance, except for times. */
async function seen(post: Localpost): Promise<unknown> {
  const { items } = await post.inbox.list()
  const templates = await post.templates.list()
  return {
    mails: await Promise.all(items.map(({ id }) => post.inbox.get(id))),
    raw: await Promise.all(items.map(async ({ id }) => text((await post.inbox.raw(id)).stream))),
    domains: await post.domains.list(),
    audiences: await post.audiences.list(),
    broadcasts: await post.broadcasts.list(),
    templates,
    versions: await Promise.all(templates.items.map((one) => post.templates.versions(one.id))),
    rules: await post.rules.get(),
    faults: await post.faults.get(),
    webhooks: await post.webhooks.list(),
    tags: await post.inbox.tags(),
    key: post.apiKey,
  }
}

describe('a snapshot', () => {
  it('restores everything, any number of times', async () => {
    const post = await start()
    const { id } = await post.emails.send({ ...hello, html: '<p>Hello</p>' })
    await post.inbox.waitFor(`id:${id}`)
    const domain = await post.domains.create({ name: 'acme.example' })
    const { id: audience } = await post.audiences.create({ name: 'Friends' })
    await post.broadcasts.send({ from: hello.from, subject: 'Hi', text: 'Hello', audience_id: audience })
    for (const text of ['Hello', 'Hi']) await post.templates.put('welcome', { subject: 'Welcome', text })
    await post.rules.set([{ match: '*@slow.test', action: 'delay', delay_ms: 1 }])
    await post.faults.set({ http: [{ path: '/v1/none', status: 500, count: 3 }] })
    await post.inbox.updateTag('read', { color: 'teal' })
    const before = await seen(post)
    const prepared = await post.snapshot()

    for (let round = 0; round < 2; round++) {
      await post.inbox.update(id, { unread: false, tags: ['read'] })
      await post.inbox.remove(id)
      await post.inbox.updateTag('read', { color: null })
      await post.domains.remove(domain.id)
      await post.domains.create({ name: 'acme.example' })
      await post.audiences.update(audience, { name: 'Foes' })
      const sent = await post.emails.send(hello)
      await post.inbox.waitFor(`id:${sent.id}`)
      await post.templates.remove('welcome')
      await post.rules.set([])
      await post.faults.clear()
      await post.webhooks.create({ url: 'http://127.0.0.1:9' })
      expect(await seen(post)).not.toEqual(before)
      await post.restore(prepared)
      expect(await seen(post)).toEqual(before)
    }
    await post.reset()
    await post.restore(prepared)
    expect(await seen(post)).toEqual(before)
  })

  it('leaves the other accounts as they are', async () => {
    const post = await start()
    const namesOf = async () => (await post.accounts.list()).map(({ name }) => name)
    await post.accounts.create({ name: 'removed' })
    const prepared = await post.snapshot()
    await post.accounts.create({ name: 'added' })
    await post.accounts.remove('removed')
    await post.restore(prepared)
    expect(await namesOf()).toEqual(['default', 'added'])
    await post.accounts.update('added', { max_emails: 7 })
    await post.accounts.create({ name: 'removed' })
    await post.accounts.remove('added')
    expect(await namesOf()).toEqual(['default', 'removed'])
  })

  it('never uses an id twice', async () => {
    const post = await start()
    const empty = await post.snapshot()
    const ids = new Set<string>()
    for (let i = 0; i < 5; i++) {
      ids.add((await post.emails.send(hello)).id)
      ids.add((await post.domains.create({ name: 'acme.example' })).id)
      await post.restore(empty)
    }
    expect(ids.size).toBe(10)
    expect((await post.emails.list()).count).toBe(0)
  })

  it('waits for work in progress, and resumes pending deliveries', async () => {
    const post = await start({ retryDelaysMs: [60_000] })
    const { id } = await post.emails.send({ ...hello, to: 'softbounce@simulator.localpost' })
    const prepared = await post.snapshot()
    expect((await post.emails.get(id)).last_event.status).not.toBe('bounced')
    const other = await post.emails.send(hello)
    await post.restore(prepared)
    await expect(post.emails.get(other.id)).rejects.toMatchObject({ code: 'not_found' })
    expect((await post.inbox.get(id)).recipients).toHaveLength(1)
  })

  it('lets waits for mail continue', async () => {
    const post = await start()
    const empty = await post.snapshot()
    const waiting = post.inbox.waitFor({ subject: 'Later' })
    await post.emails.send(hello)
    await post.restore(empty)
    await post.emails.send({ ...hello, subject: 'Later' })
    expect(await waiting).toMatchObject({ subject: 'Later' })
  })

  it('restores removed webhooks and their deliveries', async () => {
    const types: unknown[] = []
    const server = createServer((request, response) => {
      void text(request).then((body) => {
        types.push(JSON.parse(body).type)
        response.end()
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())))
    const post = await start()
    const { port } = server.address() as AddressInfo
    await post.webhooks.create({ url: `http://127.0.0.1:${port}`, events: ['email.delivered'] })
    const prepared = await post.snapshot()
    await post.reset()
    await post.restore(prepared)
    await post.emails.send(hello)
    await expect.poll(() => types).toEqual(['email.delivered'])
  })

  it('undoes a removal of mails that it has', async () => {
    const post = await start()
    const { url } = await post.listen()
    const { id } = await post.emails.send(hello)
    await post.inbox.waitFor(`id:${id}`)
    const snapshot = await post.snapshot()
    const removals = `${url}/dev/inbox/removals`
    const headers = { 'content-type': 'application/json' }
    const begun = await fetch(removals, { method: 'POST', headers, body: JSON.stringify({ ids: [id] }) })
    expect((await post.inbox.list()).count).toBe(0)
    await post.restore(snapshot)
    expect((await post.inbox.list()).count).toBe(1)
    const removal = (await begun.json()) as { id: string }
    expect((await fetch(`${removals}/${removal.id}`, { method: 'DELETE' })).status).toBe(404)
  })

  it('takes little memory next to the data', async () => {
    const post = await start()
    await Promise.all(
      Array.from({ length: 200 }, () => post.emails.send({ ...hello, text: 'x'.repeat(20_000) })),
    )
    await post.snapshot()
    const before = process.memoryUsage().external + process.memoryUsage().arrayBuffers
    const snapshots = []
    for (let i = 0; i < 20; i++) snapshots.push(await post.snapshot())
    const after = process.memoryUsage().external + process.memoryUsage().arrayBuffers
    // The bytes of one are 4 MB: twenty copies would be 80.
    expect(after - before).toBeLessThan(20_000_000)
    expect(snapshots).toHaveLength(20)
  })

  it('is refused where the data are in a folder, and from another instance', async () => {
    const dir = temporaryFolder()
    const stored = await start({ dir })
    await expect(stored.snapshot()).rejects.toMatchObject({
      code: 'snapshot_not_possible',
      message: expect.stringContaining('data folder'),
    })
    const [one, other] = [await start(), await start()]
    const snapshot = await one.snapshot()
    await expect(other.restore(snapshot)).rejects.toMatchObject({ code: 'snapshot_not_possible' })
    await one.close()
    await expect(one.restore(snapshot)).rejects.toMatchObject({ code: 'closed' })
    await expect(one.snapshot()).rejects.toMatchObject({ code: 'closed' })
  })
})
