import { describe, expect, it } from 'vitest'
import type { Localpost } from '../../src/instance/instance.ts'
import { start } from '../support/instance.ts'
import { submit } from '../support/submit.ts'

/** A header field of about this many bytes, folded according to RFC 5322 section 2.1.1. */
const filler = (bytes: number): string =>
  `X-Filler:${`\r\n ${'f'.repeat(75)}`.repeat(Math.ceil(bytes / 78))}\r\n`
const names = Array.from({ length: 8 }, (_, i) => `p${i}@x.test`)

/** Sizes around the limit for short headers, around a chunk of a socket, and near the limit of what is read. */
const sizes = [1_000, 64_000, 127_000, 131_072, 132_000, 200_000, 500_000, 1_000_000]

function messageOf(bytes: number): Buffer {
  const last = `Subject: =?utf-8?Q?Gr=C3=BC=C3=9Fe?=\r\nFrom: Acme <hi@acme.test>\r\nTo: ${names.join(', ')}\r\nCc: c@x.test\r\n`
  return Buffer.from(`${filler(bytes)}${last}\r\nHello\r\n`)
}

const overSmtp = (post: Localpost, message: Buffer): Promise<string> =>
  submit(post, { envelope: { from: 'hi@acme.test', to: [...names, 'c@x.test'] }, raw: message })

const ways: Record<string, (post: Localpost, message: Buffer) => Promise<string>> = {
  SMTP: overSmtp,
  async 'an import over HTTP'(post, message) {
    const answer = await post.fetch(
      new Request('http://localhost/dev/inbox/import', {
        method: 'POST',
        headers: { 'content-type': 'message/rfc822' },
        body: new Uint8Array(message),
      }),
    )
    return ((await answer.json()) as { id: string }).id
  },
  async 'the library'(post, message) {
    return (await post.inbox.import(message)).id
  },
}

describe.each(Object.entries(ways))('over %s', (_, submit) => {
  it.each(sizes)('a header of %i bytes has its subject and recipients', async (bytes) => {
    const post = await start()
    const id = await submit(post, messageOf(bytes))
    expect(await post.inbox.get(id)).toMatchObject({
      subject: 'Grüße',
      from: 'Acme <hi@acme.test>',
      to: names,
      cc: ['c@x.test'],
      bcc: [],
      envelope: { rcpt_to: [...names, 'c@x.test'] },
      text: expect.stringMatching(/^Hello\n?$/) as string,
    })
    expect(await post.emails.get(id)).toMatchObject({ subject: 'Grüße', to: names })
    expect((await post.inbox.list({ query: 'subject:grüße to:p7@x.test' })).count).toBe(1)
  })
})

it('many long headers at once are accepted or refused with a temporary error, never shown without their subject', async () => {
  const post = await start()
  for (let round = 0; round < 2; round++) {
    const message = messageOf(900_000)
    const outcomes = await Promise.allSettled(Array.from({ length: 25 }, () => overSmtp(post, message)))
    for (const outcome of outcomes)
      if (outcome.status === 'rejected')
        expect(outcome.reason).toMatchObject({ responseCode: 452, response: /4\.3\.1/ })
    for (const { subject } of (await post.inbox.list({ limit: 50 })).items) expect(subject).toBe('Grüße')
  }
  // A refused message can be sent again.
  await overSmtp(post, messageOf(1_000_000))
})
