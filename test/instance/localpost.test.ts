import { readdirSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createLocalpost, type Localpost, type OpenListener } from '../../src/index.ts'
import { openHttpListener } from '../../src/server/listener.ts'
import { temporaryFolder } from '../support/folder.ts'
import { start } from '../support/instance.ts'
import { goodMail } from '../support/mail.ts'

const hello = { ...goodMail, subject: 'Hi', text: 'Hello' }

describe('an instance', () => {
  it('serves the same in process and over a socket', async () => {
    const post = await start()
    const { id } = await post.emails.send(hello)
    const { url } = await post.listen()
    expect(post.url).toBe(url)
    const headers = { authorization: `Bearer ${post.apiKey}` }
    const inProcess = await post.fetch(new Request(`http://localpost/v1/emails/${id}`, { headers }))
    const overSocket = await fetch(`${url}/v1/emails/${id}`, { headers })
    expect(await overSocket.json()).toMatchObject({ id })
    expect(await inProcess.json()).toMatchObject({ id })
  })

  it('is isolated from other instances', async () => {
    const [one, two] = [await start(), await start()]
    await one.emails.send(hello)
    expect((await two.emails.list()).count).toBe(0)
    expect(one.apiKey).not.toBe(two.apiKey)
    expect(one.smtp.port).not.toBe(two.smtp.port)
  })

  it('listens once', async () => {
    const post = await start()
    const { url } = await post.listen()
    await expect(post.listen()).rejects.toMatchObject({
      code: 'already_listening',
      message: expect.stringContaining(url),
    })
  })

  it('names the port in use, and can then listen on another', async () => {
    const first = await start()
    const { port } = await first.listen()
    const second = await start()
    await expect(second.listen({ port })).rejects.toMatchObject({
      code: 'port_in_use',
      message: expect.stringContaining(String(port)),
    })
    expect((await second.listen()).port).toBeGreaterThan(0)
    await expect(createLocalpost({ smtpPort: first.smtp.port })).rejects.toMatchObject({
      code: 'port_in_use',
    })
  })

  it('closes once, ends its listeners, and refuses later calls', async () => {
    const post = await start()
    const { url } = await post.listen()
    const closing = post.close()
    expect(post.close()).toBe(closing)
    await closing
    await expect(fetch(url)).rejects.toThrow()
    await expect(
      new Promise((resolve, reject) =>
        connect(post.smtp.port, post.smtp.host).on('connect', resolve).on('error', reject),
      ),
    ).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    await expect(post.emails.send(hello)).rejects.toMatchObject({ code: 'closed' })
    await expect(post.listen()).rejects.toMatchObject({ code: 'closed' })
    await expect(post.reset()).rejects.toMatchObject({ code: 'closed' })
    const headers = { authorization: `Bearer ${post.apiKey}`, 'content-type': 'application/json' }
    const request = new Request('http://localpost/v1/emails', {
      method: 'POST',
      headers,
      body: JSON.stringify(hello),
    })
    await expect(post.fetch(request)).rejects.toMatchObject({ code: 'closed' })
  })

  it('releases its folder and its ports even if a part of it fails to close', async () => {
    const dir = temporaryFolder()
    const post = await createLocalpost({ dir })
    onTestFinished(() => post.close().catch(() => undefined))
    const listener: OpenListener = async (handler, address) => ({
      ...(await openHttpListener(handler, address)),
      closeSilent() {
        throw new Error('The listener cannot be closed')
      },
    })
    await post.listen({ listener })
    const waiting = expect(post.inbox.waitFor('x')).rejects.toMatchObject({ code: 'closed' })
    await expect(post.close()).rejects.toThrow('The listener cannot be closed')
    await waiting
    await start({ dir, smtpPort: post.smtp.port })
  })

  it('that cannot start reports why, and releases its folder', async () => {
    const dir = temporaryFolder()
    const { smtp } = await start()
    await expect(createLocalpost({ dir, smtpPort: smtp.port })).rejects.toMatchObject({ code: 'port_in_use' })
    await expect(createLocalpost({ smtpPort: 2525, smtpsPort: 2525 })).rejects.toThrow(/are both 2525/)
    await start({ dir })
  })

  it('allows a wait without a time limit', async () => {
    const post = await start()
    const waiting = post.inbox.waitFor({ to: 'ada@example.com' }, { timeoutMs: Number.POSITIVE_INFINITY })
    await new Promise((resolve) => setTimeout(resolve, 50))
    await post.emails.send(hello)
    expect(await waiting).toMatchObject({ subject: 'Hi' })
  })

  it('can be disposed of', async () => {
    let kept: Localpost
    {
      await using post = await createLocalpost()
      kept = post
      await post.emails.send(hello)
    }
    await expect(kept.emails.send(hello)).rejects.toMatchObject({ code: 'closed' })
  })
})

describe('reset', () => {
  it('empties everything except the keys and the kept parts', async () => {
    const post = await start()
    const fill = async (): Promise<void> => {
      await post.emails.send(hello)
      await post.audiences.create({ name: 'Friends' })
      await post.templates.put('welcome', { subject: 'Welcome', text: 'Hi' })
    }
    const counts = async (): Promise<number[]> =>
      Promise.all(
        [post.emails.list(), post.domains.list(), post.audiences.list(), post.templates.list()].map(
          async (list) => (await list).count,
        ),
      )
    await fill()
    expect(await counts()).toEqual([1, 1, 1, 1])
    await post.reset({ keep: ['domains', 'templates'] })
    expect(await counts()).toEqual([0, 1, 0, 1])
    const key = post.apiKey
    await post.reset()
    expect(await counts()).toEqual([0, 0, 0, 0])
    const answer = await post.fetch(
      new Request('http://localpost/v1/emails', { headers: { authorization: `Bearer ${key}` } }),
    )
    expect(answer.status).toBe(200)
    await fill()
    expect(await counts()).toEqual([1, 1, 1, 1])
  })
})

describe('a data folder', () => {
  it('keeps everything over a restart, with private permissions', async () => {
    const dir = join(temporaryFolder(), 'data')
    const first = await createLocalpost({ dir })
    const { id } = await first.emails.send({ ...hello, html: '<p>x</p>' })
    const domain = await first.domains.create({ name: 'acme.example' })
    const audience = await first.audiences.create({ name: 'Friends' })
    await first.audiences.contacts.import(
      audience.id,
      'email,first_name\nada@example.com,Ada\nbob@example.com,Bob',
    )
    const other = await first.audiences.create({ name: 'Nobody' })
    await first.broadcasts.send({ from: hello.from, subject: 'Hi', text: 'Hello', audience_id: other.id })
    await first.templates.put('welcome', { subject: 'Welcome', text: 'Hello' })
    await first.templates.put('welcome', { subject: 'Welcome', text: 'Hi' })
    await first.inbox.waitFor({ subject: 'Hi' })
    const seen = async (post: Localpost): Promise<unknown> => ({
      emails: await post.emails.list(),
      email: await post.emails.get(id),
      domains: await post.domains.list(),
      domain: await post.domains.get(domain.id),
      audiences: await post.audiences.list(),
      contacts: await post.audiences.contacts.list(audience.id),
      broadcasts: await post.broadcasts.list(),
      templates: await post.templates.list(),
      versions: await post.templates.versions('welcome'),
      mail: await post.inbox.get(id),
      key: post.apiKey,
    })
    const before = await seen(first)
    await first.close()
    const second = await start({ dir })
    expect(await seen(second)).toEqual(before)
    expect(statSync(dir).mode & 0o777).toBe(0o700)
    expect(readdirSync(dir)).toContain('.gitignore')
  })

  it('belongs to one instance at a time', async () => {
    const dir = temporaryFolder()
    await start({ dir })
    await expect(createLocalpost({ dir })).rejects.toMatchObject({
      code: 'store_in_use',
      message: expect.stringContaining(String(process.pid)),
    })
  })

  it('continues undelivered mail after a restart, and delivers nothing twice', async () => {
    const dir = temporaryFolder()
    const first = await createLocalpost({ dir, retryDelaysMs: [60_000] })
    const { id } = await first.emails.send({
      ...hello,
      to: 'softbounce@simulator.localpost, ada@example.com',
    })
    await first.inbox.waitFor(`id:${id}`)
    await first.close()
    const second = await start({
      dir,
      retryDelaysMs: [],
      clock: {
        now: () => Date.now() + 120_000,
        after: (ms, run) => {
          const timer = setTimeout(run, ms)
          return () => clearTimeout(timer)
        },
      },
    })
    for (let i = 0; i < 200 && (await second.emails.get(id)).last_event.status !== 'bounced'; i++) {
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    const { recipient_statuses } = await second.emails.get(id)
    expect(recipient_statuses.map(({ events }) => events.map(({ status }) => status))).toEqual([
      ['sent', 'bounced'],
      ['sent', 'delivered'],
    ])
  })
})
