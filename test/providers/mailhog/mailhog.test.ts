import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { mailhogFace } from '../../../src/providers/mailhog/face.ts'
import { hollowApp } from '../../server/validate-response.ts'
import { submitAll, whole } from '../mailpit/_mails.ts'
import { openMailpit, type MailpitServer } from '../mailpit/_server.ts'

// The types of MailHog's source, `data/message.go`, as Go writes them in JSON.
const text = z.string()
const path = z.strictObject({ Relays: z.null(), Mailbox: text, Domain: text, Params: text })
const content = z.strictObject({
  Headers: z.record(text, z.array(text)),
  Body: text,
  Size: z.number(),
  get MIME() {
    return z.strictObject({ Parts: z.array(content) }).nullable()
  },
})
const message = z.strictObject({
  ID: text,
  From: path,
  To: z.array(path),
  Content: content,
  Created: z.iso.datetime(),
  MIME: z.strictObject({ Parts: z.array(content) }).nullable(),
  Raw: z.strictObject({ From: text, To: z.array(text), Data: text, Helo: text }),
})
const page = z.strictObject({
  total: z.number(),
  count: z.number(),
  start: z.number(),
  items: z.array(message),
})
type Page = z.infer<typeof page>

let server: MailpitServer
beforeAll(async () => {
  server = await openMailpit()
  return server.end
})
beforeEach(async () => void (await server.post.inbox.removeAll()))

async function read(query: string): Promise<Page> {
  const answer = await server.call('GET', `/api/v2/${query}`)
  expect(answer.status, answer.text).toBe(200)
  return page.parse(answer.json())
}
const one = async (id: string): Promise<z.infer<typeof message>> =>
  message.parse((await server.call('GET', `/api/v1/messages/${id}`)).json())

describe('a message of MailHog', () => {
  it('has the envelope, the header fields and the parts as they are written', async () => {
    const id = await server.submit(whole)
    const found = await one(id)
    expect(found).toMatchObject({
      ID: id,
      From: { Mailbox: 'john', Domain: 'example.com' },
      Content: {
        Headers: {
          Subject: ['=?UTF-8?Q?Gr=C3=BC=C3=9Fe?='],
          'Message-ID': ['<one@example.com>'],
          'Return-Path': ['<john@example.com>'],
        },
      },
    })
    expect(found.To.map(({ Mailbox }) => Mailbox)).toEqual(['jane', 'bob', 'm', 'hidden'])
    expect(found.Raw.To).toContain('hidden@example.com')
    const typesOf = (parts: z.infer<typeof content>[] = []): string[] =>
      parts.flatMap((part) => [part.Headers['Content-Type']?.[0] ?? part.Body, ...typesOf(part.MIME?.Parts)])
    expect(typesOf(found.MIME?.Parts).map((type) => type.split(';')[0])).toEqual([
      'multipart/alternative',
      'text/plain',
      'multipart/related',
      'text/html',
      'image/png',
      '--',
      '--',
      'text/plain',
      '--',
    ])
    const raw = await server.call('GET', `/api/v1/messages/${id}/download`)
    expect(raw.text).toBe(found.Raw.Data)
    expect(raw.headers.get('content-disposition')).toContain(`${id}.eml`)
    expect(found.Raw.Data.endsWith(found.Content.Body)).toBe(true)
  })

  it('does not repeat what is in a multipart at every depth', async () => {
    const depths = [0, 1, 2, 3, 4, 5]
    const open = depths.map((at) => `Content-Type: multipart/mixed; boundary=b${at}\r\n\r\n--b${at}\r\n`)
    const close = depths.map((at) => `\r\n--b${at}--`).reverse()
    const source = `${open.join('')}\r\n${'x'.repeat(1000)}${close.join('')}\r\n`
    const { id } = await server.post.inbox.import(Buffer.from(source))
    const answer = JSON.stringify(await one(id))
    expect(answer.split('x'.repeat(1000))).toHaveLength(4)
  })

  it('without parts has a body and no MIME', async () => {
    const id = await server.submit({ from: 'a@example.com', to: 'b@example.com', text: 'Hello' })
    expect(await one(id)).toMatchObject({ Content: { Body: 'Hello\r\n' }, MIME: null })
  })

  it('is deleted, once; what is unknown is said', async () => {
    const [first, second] = await submitAll(server, 2)
    expect((await server.call('DELETE', `/api/v1/messages/${first}`)).status).toBe(200)
    expect((await server.call('DELETE', `/api/v1/messages/${first}`)).status).toBe(404)
    expect((await server.call('GET', `/api/v1/messages/${first}`)).status).toBe(404)
    expect((await read('messages')).items.map(({ ID }) => ID)).toEqual([second])
    expect((await server.call('DELETE', '/api/v1/messages')).status).toBe(200)
    expect(await read('messages')).toEqual({ total: 0, count: 0, start: 0, items: [] })
  })
})

describe('a list of MailHog', () => {
  it('has the newest first, from start, at most limit', async () => {
    const ids = (await submitAll(server, 5)).toReversed()
    expect((await read('messages')).items.map(({ ID }) => ID)).toEqual(ids)
    const part = await read('messages?start=1&limit=2')
    expect(part).toMatchObject({ total: 5, count: 2, start: 1 })
    expect(part.items.map(({ ID }) => ID)).toEqual(ids.slice(1, 3))
    expect(await read('messages?limit=0')).toMatchObject({ count: 5 })
    expect(await read('messages?limit=1000')).toMatchObject({ count: 5 })
    expect(await read('messages?start=9')).toMatchObject({ total: 5, count: 0, start: 9 })
  })

  it.each([
    ['kind=from&query=from-1@example.com', 1],
    ['kind=from&query=FROM-', 5],
    ['kind=to&query=to-3%40example', 1],
    ['kind=to&query=from-3', 0],
    ['kind=containing&query=body%204', 1],
    ['kind=containing&query=subject%20line', 5],
    ['kind=containing&query=body&limit=2', 5],
    ['kind=containing&query=%22body%22', 0],
    ['kind=containing&query=nothing', 0],
  ])('of %s has %i matches', async (query, total) => {
    await submitAll(server, 5)
    expect(await read(`search?${query}`)).toMatchObject({ total })
  })

  it('is searched for quotation marks and backslashes', async () => {
    const mail = { from: 'a@example.com', to: 'b@example.com' }
    await server.submit({ ...mail, text: 'Say body, not C: end' })
    const id = await server.submit({ ...mail, text: 'Say "body", not C:\\ end' })
    for (const text of ['"', '"body"', 'say "bo', 'C:\\']) {
      const { items } = await read(`search?kind=containing&query=${encodeURIComponent(text)}`)
      expect([text, items.map(({ ID }) => ID)]).toEqual([text, [id]])
    }
  })

  it('is refused with a reason for a wrong query, and where it would be too long', async () => {
    const refused = [
      ['search?kind=subject&query=x', 'kind'],
      ['search?kind=to', 'query'],
      ['search?kind=to&query=', 'query'],
      ['messages?start=-1', 'start'],
      ['messages?page=2', 'page'],
    ]
    for (const [query = '', reason] of refused) {
      const answer = await server.call('GET', `/api/v2/${query}`)
      expect([answer.status, answer.text], query).toEqual([400, expect.stringContaining(reason ?? '')])
    }
    const mail = { from: 'a@example.com', to: 'b@example.com', text: 'x'.repeat(3_000_000) }
    for (let i = 0; i < 3; i++) await server.submit(mail)
    expect((await server.call('GET', '/api/v2/messages')).text).toContain('with limit')
    expect(await read('messages?limit=2')).toMatchObject({ total: 3, count: 2 })
  })
})

it('hostile messages are split into a bounded number of parts', async () => {
  const boundaries = Array.from(
    { length: 30 },
    (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\r\n\r\n--b${n}\r\n`,
  )
  const deep = await server.post.inbox.import(Buffer.from(`${boundaries.join('')}\r\nend\r\n`))
  const wide = await server.post.inbox.import(
    Buffer.from(
      `Content-Type: multipart/mixed; boundary=b\r\n__proto__: x\r\n\r\n${'--b\r\n\r\nx\r\n'.repeat(5000)}`,
    ),
  )
  const [one_, other] = [await one(deep.id), await one(wide.id)]
  const depthOf = (parts: z.infer<typeof content>[] = []): number =>
    Math.max(0, ...parts.map(({ MIME }) => 1 + depthOf(MIME?.Parts)))
  expect(depthOf(one_.MIME?.Parts)).toBeLessThanOrEqual(10)
  expect(other.MIME?.Parts.length).toBeLessThanOrEqual(1000)
})

it('every operation refuses other origins', async () => {
  const [id = ''] = await submitAll(server, 1)
  const routes = hollowApp().routes.filter(({ face, access }) => face === mailhogFace && access === 'local')
  expect(routes.length).toBeGreaterThan(3)
  for (const { method, path } of routes) {
    const headers = { origin: 'https://evil.example' }
    const answer = await server.call(method, path.replace('{id}', id), undefined, headers)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([403, 'text/plain; charset=utf-8'])
  }
  expect(await read('messages')).toMatchObject({ total: 1 })
})
