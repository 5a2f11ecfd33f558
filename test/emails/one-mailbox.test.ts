import { beforeAll, describe, expect, it } from 'vitest'
import type { Localpost } from '../../src/instance/instance.ts'
import { start, startShared } from '../support/instance.ts'
import { submit } from '../support/submit.ts'

const unicode = 'ada@bücher.example'
const ascii = 'ada@xn--bcher-kva.example'
const spellings = [unicode, ascii, 'ADA@BÜCHER.example', 'ada@XN--bcher-kva.Example']

let post: Localpost
beforeAll(async () => {
  const shared = await startShared()
  post = shared.post
  return shared.end
})

/** Submits a message unchanged. */
function submitTo(to: readonly string[], header: string): Promise<string> {
  return submit(post, {
    envelope: { from: 'hi@acme.test', to: [...to] },
    raw: `From: hi@acme.test\r\n${header}\r\n\r\nHello\r\n`,
  })
}

describe('a recipient in U-labels and in A-labels', () => {
  it.each(['To', 'Cc', 'Resent-To', 'Resent-Cc'])('is not a Bcc where %s names it', async (field) => {
    for (const written of spellings) {
      const id = await submitTo([ascii, 'bob@x.test'], `${field}: Ada <${written}>`)
      const mail = await post.inbox.get(id)
      expect(mail.bcc).toEqual(['bob@x.test'])
      expect([...mail.to, ...mail.cc]).toEqual(field.startsWith('Resent') ? [] : [written])
    }
  })

  it('is one recipient of an API send and of an import', async () => {
    const { id } = await post.emails.send({ from: 'hi@acme.test', to: spellings, subject: 'x', text: 'x' })
    expect((await post.inbox.get(id)).envelope.rcpt_to).toEqual([ascii])
    const message = Buffer.from(`From: hi@acme.test\nTo: ${spellings.join(', ')}\n\nHello\n`)
    const imported = await post.inbox.get((await post.inbox.import(message)).id)
    expect(imported.envelope.rcpt_to).toHaveLength(1)
    expect(imported.bcc).toEqual([])
  })

  it.each(spellings)('is found by %s: in queries, waits, copies and added events', async (spelling) => {
    const own = await start()
    await submit(own, {
      envelope: { from: 'hi@acme.test', to: [unicode] },
      raw: `From: hi@acme.test\r\nTo: ${unicode}\r\n\r\nHello\r\n`,
    })
    const sent = await own.emails.send({
      from: 'hi@acme.test',
      to: ['bob@x.test', unicode],
      subject: 'x',
      html: '<p>x</p>',
    })
    await own.inbox.waitForCount({ to: spelling }, 2)
    expect((await own.inbox.list({ query: `to:${spelling}` })).count).toBe(2)
    expect(await own.inbox.html(sent.id, { recipient: spelling })).toContain('<p>x</p>')
    const event = { recipient: spelling, status: 'complained' } as const
    expect(await own.emails.addEvent(sent.id, event)).toMatchObject({ status: 'complained' })
  })

  it.each(spellings)('matches the rule for %s', async (match) => {
    const own = await start({ rules: [{ match, action: 'reject', code: 550 }] })
    const { id } = await own.emails.send({ from: 'hi@acme.test', to: unicode, subject: 'x', text: 'x' })
    const { recipients } = await own.inbox.waitFor({ to: ascii })
    expect(id).toBeTruthy()
    expect(recipients[0]?.events.at(-1)?.status).toBe('bounced')
  })
})

describe('Bcc', () => {
  it('is a recipient of the envelope that is in no address field', async () => {
    const id = await submitTo(
      ['ada@x.test', 'bob@x.test', 'carl@x.test', 'dora@x.test'],
      'To: ada@x.test, else@x.test\r\nCc: bob@x.test\r\nBcc: carl@x.test, other@x.test',
    )
    expect(await post.inbox.get(id)).toMatchObject({
      to: ['ada@x.test', 'else@x.test'],
      cc: ['bob@x.test'],
      bcc: ['carl@x.test', 'dora@x.test'],
    })
  })

  it('is every recipient where there is no To, except those in Cc', async () => {
    expect(await post.inbox.get(await submitTo(['ada@x.test', 'bob@x.test'], 'Subject: x'))).toMatchObject({
      to: [],
      cc: [],
      bcc: ['ada@x.test', 'bob@x.test'],
    })
    const copied = await submitTo(['ada@x.test', 'bob@x.test'], 'Cc: bob@x.test')
    expect(await post.inbox.get(copied)).toMatchObject({
      to: [],
      cc: ['bob@x.test'],
      bcc: ['ada@x.test'],
    })
  })
})
