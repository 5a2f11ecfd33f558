import { describe, expect, it } from 'vitest'
import type { SendRequest } from '../../src/emails/send-types.ts'
import { goodMail } from '../support/mail.ts'
import { start } from '../support/instance.ts'

/** Longer than what is worked on in one piece, with what must not be cut: line ends, escapes, surrogate pairs. */
const long = '<p>"Grüße", \\ {{name}}\n😀 and many more words</p>\r\n'.repeat(45_000)
const filled = long.replaceAll('{{name}}', 'Ada')
const withCrlf = (text: string): string => text.replaceAll(/\r?\n/g, '\r\n').trimEnd()
const file = Buffer.from(Array.from({ length: 2_000_000 }, (_, i) => (i * 7) % 256))

const bodies: Record<string, Partial<SendRequest>> = {
  html: { html: long, text: '' },
  text: { text: long },
  'html and text': { html: long, text: long },
}

describe('a large send arrives whole', () => {
  for (const [shape, body] of Object.entries(bodies)) {
    it.each(['over HTTP', 'from the library'])(`with its ${shape}, %s`, async (way) => {
      const post = await start()
      const request = { ...goodMail, ...body, variables: { name: 'Ada' } }
      if (way === 'over HTTP') await overHttp(post, request)
      else await post.emails.send(request, { idempotencyKey: 'k' })
      const { id } = await post.inbox.waitFor({}, { timeoutMs: 30_000 })
      const mail = await post.inbox.get(id)
      for (const name of ['html', 'text'] as const)
        if (body[name]) expect(withCrlf(mail[name]) === withCrlf(filled), name).toBe(true)
    })
  }

  it('with its attachments as data: URIs', async () => {
    const post = await start()
    const path = `data:application/octet-stream;base64,${file.toString('base64')}`
    const attachments = ['a.bin', 'b.bin'].map((filename) => ({ filename, path }))
    await overHttp(post, { ...goodMail, attachments })
    const { id } = await post.inbox.waitFor({}, { timeoutMs: 30_000 })
    for (const i of [0, 1]) {
      const { content } = await post.inbox.attachment(id, i)
      expect(file.equals(content)).toBe(true)
    }
  })

  it('by a broadcast, as the mail of each contact', async () => {
    const post = await start()
    const { id: audience_id } = await post.audiences.create({ name: 'All' })
    for (const name of ['ada', 'eve'])
      await post.audiences.contacts.add(audience_id, { email: `${name}@example.com`, first_name: name })
    const html = long.replaceAll('{{name}}', '{{first_name}}')
    const { subject, from } = goodMail
    await post.broadcasts.send({ subject, from, audience_id, html, text: '' })
    for (const name of ['ada', 'eve']) {
      const { id } = await post.inbox.waitFor({ to: `${name}@example.com` }, { timeoutMs: 30_000 })
      const mail = await post.inbox.get(id)
      expect(withCrlf(mail.html) === withCrlf(long.replaceAll('{{name}}', name)), name).toBe(true)
    }
  })

  it('with the same id for the same idempotency key, and a conflict for another end of the body', async () => {
    const post = await start()
    const request = { ...goodMail, text: long }
    const first = await post.emails.send(request, { idempotencyKey: 'k' })
    expect(await post.emails.send(request, { idempotencyKey: 'k' })).toEqual(first)
    await expect(
      post.emails.send({ ...request, text: `${long}x` }, { idempotencyKey: 'k' }),
    ).rejects.toMatchObject({ code: 'idempotency_conflict' })
  })
})

describe('a large body that is not taken', () => {
  const refusal = async (body: string): Promise<unknown> => {
    const post = await start()
    const response = await post.fetch(sendRequest(post, body))
    return { status: response.status, ...((await response.json()) as object) }
  }

  it('is 400 with the place of the fault', async () => {
    const body = `{"text":${JSON.stringify(long)},\n oops}`
    expect(await refusal(body)).toMatchObject({
      status: 400,
      name: 'invalid_json',
      message: expect.stringMatching(/^The body is not JSON: .* at line 2, column 2\.$/),
    })
    expect(await refusal(' '.repeat(2_000_000))).toMatchObject({
      message: 'The body is empty. Send one JSON object.',
    })
  })

  it('is 413 where it has more than 1,000,000 values', async () => {
    expect(await refusal(`{"x":[${'1,'.repeat(1_000_000)}1]}`)).toMatchObject({
      status: 413,
      message: 'The body has more than 1000000 values. Send less in one request.',
    })
  })

  it('is 400 where it is nested too deep', async () => {
    const body = `{"text":${JSON.stringify(long)},"a":${'['.repeat(101)}${']'.repeat(101)}}`
    expect(await refusal(body)).toMatchObject({
      message: 'The body is nested deeper than 100 levels. Send it flatter.',
    })
  })
})

type Post = Awaited<ReturnType<typeof start>>

function sendRequest({ apiKey }: Post, body: string): Request {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  return new Request('http://localhost/v1/emails', { method: 'POST', headers, body })
}

async function overHttp(post: Post, body: object): Promise<void> {
  expect((await post.fetch(sendRequest(post, JSON.stringify(body)))).status).toBe(200)
}
