import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createLocalpost, type WebhookPayload } from '../../src/index.ts'
import { domainEventTypes, emailEventTypes } from '../../src/webhooks/event-types.ts'
import { findOnPath } from '../support/programs.ts'
import { blocksFor, root } from './blocks.ts'
import { expectReceives } from './receivers.ts'

const allTypes = [...emailEventTypes, ...domainEventTypes]

/** One real body of each event. */
async function realPayloads(): Promise<ReadonlyMap<string, WebhookPayload>> {
  const bodies = new Map<string, WebhookPayload>()
  const server = createServer(async (request, response) => {
    const payload = JSON.parse(await text(request)) as WebhookPayload
    bodies.set(payload.type, payload)
    response.end()
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const post = await createLocalpost({
    retryDelaysMs: [10],
    webhooks: [{ url: `http://127.0.0.1:${port}/hooks` }],
  })
  onTestFinished(() => post.close())
  const content = {
    from: 'hi@acme.test',
    subject: 'Hello',
    html: '<a href="https://acme.test/login">Sign in</a>',
  }
  for (const name of ['clicked', 'bounce', 'delayed', 'complaint'])
    await post.emails.send({ ...content, to: `${name}@simulator.localpost` })
  // Nothing listens at port 1.
  const path = 'http://127.0.0.1:1/a.pdf'
  await post.emails.send({ ...content, to: 'ada@example.com', attachments: [{ filename: 'a.pdf', path }] })
  const { id } = await post.domains.create({ name: 'acme.example' })
  await post.domains.verify(id, { status: 'SUCCESS' })
  await vi.waitFor(() => expect([...bodies.keys()].toSorted()).toEqual(allTypes.toSorted()), {
    timeout: 30_000,
  })
  return bodies
}

/** Each member with the type of its value; of `type` and `status`, which tell bodies apart, the value itself. */
function shapeOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      name === 'type' || name === 'status' ? inner : shapeOf(inner),
    ]),
  )
}

describe('the guide to webhooks', () => {
  it('shows bodies with the members of real ones, for each kind of event', async () => {
    const shown = blocksFor('payload').map(({ code }) => JSON.parse(code) as WebhookPayload)
    const real = await realPayloads()
    for (const payload of shown) expect(shapeOf(payload)).toEqual(shapeOf(real.get(payload.type)))
    expect(shown.map(({ type }) => type).toSorted()).toEqual(
      [...emailEventTypes, 'domain.verified'].toSorted(),
    )
    const sameMembers = ['domain.created', 'domain.updated'].map((type) =>
      Object.keys(real.get(type)?.data ?? {}),
    )
    for (const members of sameMembers)
      expect(members).toEqual(Object.keys(real.get('domain.verified')?.data ?? {}))
  })

  it('names every event in its table', () => {
    const guide = readFileSync(join(root, 'docs/guides/webhooks.md'), 'utf8')
    const table = guide.split('\n').filter((line) => line.startsWith('| `'))
    expect(allTypes.filter((type) => !table.some((row) => row.includes(`\`${type}\``)))).toEqual([])
  })

  it('shows a receiver for Node that takes genuine events only', () => expectReceives('js'), 90_000)

  it('shows a receiver for Python that takes genuine events only', async ({ skip }) => {
    skip(findOnPath('python3') === undefined, 'python3 is not installed')
    await expectReceives('python')
  }, 90_000)
})
