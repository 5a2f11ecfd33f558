import { describe, expect, it } from 'vitest'
import { start } from '../support/instance.ts'
import { common, messageOf, openRelay, utf8 } from './_relay.ts'

/** The extensions that a message needs: by its header, its body and its recipient. */
const needy: [title: string, message: string, to: string, needs: { utf8: boolean; eightBit: boolean }][] = [
  ['plain ASCII', messageOf(...common), 'real@person.test', { utf8: false, eightBit: false }],
  [
    'a body in 8bit',
    `${messageOf(...common)}${utf8('Grüße')}\r\n`,
    'real@person.test',
    { utf8: false, eightBit: true },
  ],
  [
    'a body in Latin-1',
    `${messageOf(...common)}Gr\xfc\xdfe\r\n`,
    'real@person.test',
    { utf8: false, eightBit: true },
  ],
  [
    'a subject in UTF-8',
    messageOf(...common, utf8('X-Note: Grüße')),
    'real@person.test',
    { utf8: true, eightBit: true },
  ],
  [
    'a subject in Latin-1',
    messageOf(...common, 'X-Note: Gr\xfc\xdfe'),
    'real@person.test',
    { utf8: false, eightBit: true },
  ],
  ['an address beyond ASCII', messageOf(...common), 'jörg@person.test', { utf8: true, eightBit: true }],
  [
    'a domain beyond ASCII, which becomes A-labels',
    messageOf(...common),
    'real@bücher.example',
    { utf8: false, eightBit: false },
  ],
  [
    'UTF-8 in the Bcc alone, which goes',
    messageOf(...common, utf8('Bcc: Jörg <j@x.test>')),
    'real@person.test',
    { utf8: false, eightBit: false },
  ],
  [
    'a body in 8bit without an empty line before it',
    `${common.join('\r\n')}\r\n${utf8('Grüße')}\r\n`,
    'real@person.test',
    { utf8: false, eightBit: true },
  ],
  [
    'UTF-8 far behind',
    `${messageOf(...common)}${'x'.repeat(70)}\r\n`.concat('x\r\n'.repeat(100_000), utf8('ü'), '\r\n'),
    'real@person.test',
    { utf8: false, eightBit: true },
  ],
]

describe('a release', () => {
  it.each(needy)('announces the required extensions: %s', async (_, message, to, needs) => {
    const relay = await openRelay()
    const post = await start({ relay: relay.url })
    const { id } = await post.inbox.import(Buffer.from(message, 'latin1'))
    const { smtp_response } = await post.inbox.release(id, { to })
    expect(smtp_response).toContain('Taken')
    expect(relay.taken).toMatchObject([needs])
    const bare = message.replace(/Bcc:.*\r\n/, '')
    expect(relay.taken[0]?.message).toBe(bare)
  })

  it.each(needy.filter(([, , , { utf8: isUtf8 }]) => isUtf8))(
    'says what a relay without SMTPUTF8 lacks: %s',
    async (_, message, to) => {
      const relay = await openRelay({ hideSMTPUTF8: true })
      const post = await start({ relay: relay.url })
      const { id } = await post.inbox.import(Buffer.from(message, 'latin1'))
      await expect(post.inbox.release(id, { to })).rejects.toMatchObject({
        code: 'relay_failed',
        message: expect.stringContaining('does not offer SMTPUTF8') as string,
      })
      expect(relay.taken).toEqual([])
      const plain = await post.inbox.import(Buffer.from(messageOf(...common)))
      await post.inbox.release(plain.id, { to: 'real@person.test' })
      expect(relay.taken).toHaveLength(1)
    },
  )

  it('reports what a relay without 8BITMIME lacks', async () => {
    const relay = await openRelay({ hide8BITMIME: true })
    const post = await start({ relay: relay.url })
    for (const [, message, to] of needy.filter(([, , , needs]) => needs.eightBit && !needs.utf8)) {
      const { id } = await post.inbox.import(Buffer.from(message, 'latin1'))
      await expect(post.inbox.release(id, { to })).rejects.toMatchObject({
        code: 'relay_failed',
        message: expect.stringContaining('does not offer 8BITMIME') as string,
      })
    }
    expect(relay.taken).toEqual([])
  })

  it('passes the relay’s reply on for a message that needs an extension', async () => {
    const relay = await openRelay({
      onRcptTo: (_address, _session, callback) =>
        callback(Object.assign(new Error('5.1.1 No such mailbox'), { responseCode: 550 })),
    })
    const post = await start({ relay: relay.url })
    const { id } = await post.inbox.import(Buffer.from(messageOf(...common, utf8('X: ü'))))
    await expect(post.inbox.release(id, { to: 'jörg@person.test' })).rejects.toMatchObject({
      message: expect.stringContaining('No such mailbox') as string,
    })
  })

  it('authenticates for a message that needs an extension', async () => {
    const seen: string[] = []
    const relay = await openRelay({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth(auth, _, callback) {
        seen.push(`${auth.username}:${auth.password}`)
        callback(null, { user: auth.username })
      },
    })
    const post = await start({
      relay: relay.url.replace('smtp://', 'smtp://ada:s3cret@'),
    })
    const { id } = await post.inbox.import(Buffer.from(messageOf(...common, utf8('X: ü'))))
    await post.inbox.release(id, { to: 'real@person.test' })
    expect([seen, relay.taken.length]).toEqual([['ada:s3cret'], 1])
  })
})

describe('API sends that are relayed', () => {
  const send = {
    from: 'hi@acme.test',
    subject: 'Grüße',
    text: 'Grüße 🎉',
    html: '<p>Grüße',
  }

  it('announce SMTPUTF8 for an address beyond ASCII, and no extension where none is needed', async () => {
    const relay = await openRelay()
    const post = await start({ relay: relay.url, relayAll: true })
    await post.emails.send({ ...send, to: 'ada@x.test', bcc: 'eve@x.test' })
    await post.emails.send({ ...send, to: 'jörg@x.test' })
    await expect.poll(() => relay.taken.length).toBe(2)
    const byTo = [...relay.taken].sort((a, b) => (a.to[0] ?? '').localeCompare(b.to[0] ?? ''))
    expect(byTo).toMatchObject([
      { to: ['ada@x.test', 'eve@x.test'], utf8: false, eightBit: false },
      { to: ['jörg@x.test'], utf8: true },
    ])
    for (const { message } of relay.taken) expect(message).not.toMatch(/^bcc/im)
  })

  it('bounce with the reason where the relay does not offer it', async () => {
    const relay = await openRelay({ hideSMTPUTF8: true })
    const post = await start({ relay: relay.url, relayAll: true })
    const { id } = await post.emails.send({ ...send, to: 'jörg@x.test' })
    const { recipients } = await post.inbox.waitFor({ subject: 'Grüße' })
    expect((await post.inbox.get(id)).recipients).toEqual(recipients)
    expect(recipients[0]?.events.at(-1)).toMatchObject({
      status: 'bounced',
      type: 'Permanent',
      smtp_response: expect.stringContaining('does not offer SMTPUTF8') as string,
    })
    expect(relay.taken).toEqual([])
  })
})
