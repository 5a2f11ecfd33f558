import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { expect, vi } from 'vitest'
import { createLocalpost } from '../../src/index.ts'
import { domainEventTypes, emailEventTypes } from '../../src/webhooks/event-types.ts'

/** An instance that has something to read for every operation of `/v1`. */
export interface World {
  url: string
  key: string
  /** One body of each type of event that a webhook posts. */
  payloads: { type: string; data: Record<string, unknown> }[]
  /** The answer of a `GET`, as it is. */
  get<T>(path: string): Promise<T>
  close(): Promise<void>
}

const allTypes = [...emailEventTypes, ...domainEventTypes]

/** Opens the instance: 3 pages of emails, one with an event of each status, a verified domain, an audience. */
export async function openWorld(): Promise<World> {
  const payloads = new Map<string, World['payloads'][number]>()
  const receiver = createServer((request, response) => {
    void json(request).then((body) => {
      const payload = body as World['payloads'][number]
      payloads.set(payload.type, payload)
      response.end()
    })
  })
  await new Promise<void>((done) => void receiver.listen(0, '127.0.0.1', done))
  const hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
  const post = await createLocalpost({ webhooks: [{ url: hook }] })
  const { url } = await post.listen()
  const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${post.apiKey}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as T
  }
  await fill(call)
  const arrived = (): void => expect([...payloads.keys()].toSorted()).toEqual(allTypes.toSorted())
  await vi.waitFor(arrived, { timeout: 30_000, interval: 100 })
  return {
    url,
    key: post.apiKey,
    payloads: allTypes.flatMap((type) => payloads.get(type) ?? []),
    get: (path) => call('GET', path),
    async close() {
      await post.close()
      receiver.close()
    },
  }
}

type Call = <T>(method: string, path: string, body?: unknown) => Promise<T>

async function fill(call: Call): Promise<void> {
  const domain = await call<{ id: string }>('POST', '/v1/domains', { name: 'acme.test' })
  await call('PATCH', `/dev/domains/${domain.id}`, { click_tracking_enabled: false })
  await call('POST', `/dev/domains/${domain.id}/verify`, { status: 'SUCCESS' })
  const mail = {
    from: 'hi@acme.test',
    to: 'ada@example.com',
    subject: 'Hi',
    html: '<p><a href="https://acme.test/confirm?token=1">Confirm</a>',
  }
  for (let count = 0; count < 120; count += 1) await call('POST', '/v1/emails', mail)
  for (const name of ['bounce', 'delayed', 'complaint', 'opened', 'clicked'])
    await call('POST', '/v1/emails', { ...mail, to: `${name}@simulator.localpost` })
  // Nothing listens there, so the email fails.
  const attachments = [{ filename: 'a.txt', path: 'http://127.0.0.1:1/a.txt' }]
  await call('POST', '/v1/emails', { ...mail, attachments })
  const audience = await call<{ id: string }>('POST', '/dev/audiences', { name: 'People' })
  for (const email of ['ada@example.com', 'bob@example.com'])
    await call('POST', `/dev/audiences/${audience.id}/contacts`, { email })
}
