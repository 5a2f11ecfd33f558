import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'vitest'
import type { EmailDetail } from '../../src/index.ts'
import type { Started } from '../cli/command.ts'
import { drained, get, readAll } from './outcome.ts'

/** Removals and events that instances acknowledge, and their results. */
export interface ChangesLoad {
  /** How much was acknowledged so far. */
  counts(): { removed: number; hits: number }
  /** Ends the load. @throws If a request got an answer that is not allowed. */
  stop(): Promise<void>
  /**
   * Expects that mail whose removal was acknowledged is gone, and that each acknowledged hit is one event of its mail
   * and was announced to the webhook once.
   */
  assertKept(command: Started): Promise<void>
}

/**
 * Removes mail and loads the pixels and links of mail until it is stopped. Each request goes to any of the instances,
 * as behind a load balancer. A request without an answer may or may not have been carried out; the client continues in
 * both cases.
 *
 * @param instances  The instances that run now; their API key is the same.
 */
export async function loadChanges(instances: () => readonly Started[]): Promise<ChangesLoad> {
  const removed = new Set<string>()
  /** Of mail with tracking: the user agent of each hit that was answered. */
  const hits = new Map<string, string[]>()
  const tracked: { id: string; paths: string[] }[] = []
  const announced = await receive()
  let isStopped = false

  await track(pick(), announced.url)
  const workers = [
    ...Array.from({ length: 3 }, () => repeat(removeOne)),
    ...Array.from({ length: 2 }, () => repeat(trackOne)),
    ...Array.from({ length: 2 }, () => repeat(hitOne)),
  ]

  function pick(): Started {
    const all = instances()
    const one = all[Math.floor(Math.random() * all.length)]
    if (!one) throw new Error('No instance runs.')
    return one
  }

  async function repeat(once: () => Promise<void>): Promise<void> {
    while (!isStopped) await once()
  }

  /** @returns The answer with its body; null for none, and for one that says that nothing was done. */
  async function ask(
    path: string,
    { method = 'GET', body, agent = '' }: { method?: string; body?: unknown; agent?: string } = {},
  ): Promise<{ status: number; text: string } | null> {
    const { url, apiKey } = pick()
    try {
      const response = await fetch(url + path, {
        method,
        redirect: 'manual',
        headers: {
          authorization: `Bearer ${apiKey}`,
          'user-agent': agent,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      if (response.status === 503) return null
      return { status: response.status, text }
    } catch {
      // The instance was killed.
      await pause(10)
      return null
    }
  }

  async function send(kind: string, more: object): Promise<string | null> {
    const body = {
      from: 'app@tracked.test',
      to: 'ada@example.com',
      subject: `${kind} ${randomUUID()}`,
      ...more,
    }
    const answer = await ask('/v1/emails', { method: 'POST', body })
    if (!answer) return null
    expect(answer.status, answer.text).toBe(200)
    return (JSON.parse(answer.text) as { id: string }).id
  }

  /** Removes a mail at any moment of its delivery, alone or as one of a list. */
  async function removeOne(): Promise<void> {
    const id = await send('removed', { text: 'To be removed' })
    if (id === null) return
    if (Math.random() < 0.7) await pause(Math.random() * 60)
    const answer =
      Math.random() < 0.5
        ? await ask(`/dev/inbox/${id}`, { method: 'DELETE' })
        : await ask('/dev/inbox', { method: 'DELETE', body: { ids: [id] } })
    if (!answer) return
    expect(answer.status, answer.text).toBe(200)
    removed.add(id)
  }

  /** Sends a mail with tracking, which is hit from its delivery on. */
  async function trackOne(): Promise<void> {
    const id = await send('tracked', { html: '<a href="https://acme.test/page">page</a>' })
    const paths = id === null ? null : await pathsOf(id)
    if (id === null || !paths) return
    hits.set(id, [])
    tracked.push({ id, paths })
  }

  /** Loads the pixel and the link of one of the newest mails at the same time. */
  async function hitOne(): Promise<void> {
    const newest = tracked.slice(-10)
    const one = newest[Math.floor(Math.random() * newest.length)]
    // Beyond some hundred hits of one mail, an answer does not wait until its hit is stored.
    if (one && (hits.get(one.id)?.length ?? 0) < 90)
      await Promise.all(one.paths.map((path) => hit(one.id, path)))
    else await pause(20)
  }

  async function pathsOf(id: string): Promise<string[] | null> {
    while (!isStopped) {
      const answer = await ask(`/dev/inbox/${id}/html?recipient=ada@example.com`)
      const [pixel] = /\/t\/o\/[^"]*/.exec(answer?.text ?? '') ?? []
      const [link] = /\/t\/c\/[^"]*/.exec(answer?.text ?? '') ?? []
      if (pixel !== undefined && link !== undefined) return [pixel, link]
      await pause(20)
    }
    return null
  }

  async function hit(id: string, path: string): Promise<void> {
    const agent = `hit ${randomUUID()}`
    const answer = await ask(path, { agent })
    if (!answer) return
    expect([200, 302]).toContain(answer.status)
    hits.get(id)?.push(agent)
  }

  const acknowledged = (): string[] => [...hits.values()].flat()

  return {
    counts: () => ({ removed: removed.size, hits: acknowledged().length }),
    async stop() {
      isStopped = true
      await Promise.all(workers)
    },
    async assertKept(command) {
      await drained(command)
      const there = new Set((await readAll(command)).map(({ id }) => id))
      expect([...removed].filter((id) => there.has(id))).toEqual([])
      for (const [id, agents] of hits) {
        const { recipient_statuses } = await get<EmailDetail>(command, `/v1/emails/${id}`)
        const events = recipient_statuses.flatMap((recipient) => recipient.events)
        const found: string[] = []
        for (const event of events) if ('user_agent' in event) found.push(event.user_agent)
        // A mail can be read before it is delivered.
        const others = events.filter((event) => !('user_agent' in event)).map(({ status }) => status)
        expect(others, id).toEqual(['sent', 'delivered'])
        // Those whose answer was lost may be there too, once.
        expect(new Set(found).size, id).toBe(found.length)
        expect(found, id).toEqual(expect.arrayContaining(agents))
      }
      await expect
        .poll(() => acknowledged().filter((agent) => !announced.ids.has(agent)), { timeout: 60_000 })
        .toEqual([])
      for (const [agent, ids] of announced.ids) expect(ids.size, agent).toBe(1)
      await announced.close()
    },
  }
}

/** Registers the domain with tracking, and a webhook for the events of hits. */
async function track({ url, apiKey }: Started, receiver: string): Promise<void> {
  const call = async (method: string, path: string, body: object): Promise<{ id: string }> => {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect(response.ok, path).toBe(true)
    return (await response.json()) as { id: string }
  }
  const { id } = await call('POST', '/v1/domains', { name: 'tracked.test' })
  await call('POST', `/dev/domains/${id}/verify`, { status: 'SUCCESS' })
  await call('PATCH', `/dev/domains/${id}`, { open_tracking_enabled: true, click_tracking_enabled: true })
  await call('POST', '/dev/webhooks', { url: receiver, events: ['email.opened', 'email.clicked'] })
}

/** A receiver of webhooks. Its `ids` are the webhook-ids under which the hit of each user agent was announced. */
async function receive(): Promise<{ url: string; ids: Map<string, Set<string>>; close(): Promise<void> }> {
  const ids = new Map<string, Set<string>>()
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (piece: Buffer) => (body += piece.toString()))
    request.on('end', () => {
      const { data } = JSON.parse(body) as { data: { user_agent: string } }
      const known = ids.get(data.user_agent) ?? new Set()
      ids.set(data.user_agent, known.add(String(request.headers['webhook-id'])))
      response.writeHead(200).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    ids,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
