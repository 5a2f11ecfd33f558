import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { describe, expect, it, onTestFinished } from 'vitest'
import { withoutBcc } from '../../src/mime/without-bcc.ts'
import { start } from '../support/instance.ts'

interface Taken {
  utf8: boolean
  eightBit: boolean
  to: string[]
  message: string
}

/** A mail server that records the messages and their SMTP extensions. */
async function openRelay(options: SMTPServerOptions = {}): Promise<{ url: string; taken: Taken[] }> {
  const taken: Taken[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, session, callback) {
      const pieces: Buffer[] = []
      stream
        .on('data', (piece: Buffer) => pieces.push(piece))
        .once('end', () => {
          const { mailFrom, rcptTo } = session.envelope
          const args = (mailFrom && mailFrom.args) || {}
          taken.push({
            utf8: 'SMTPUTF8' in args,
            eightBit: 'BODY' in args && args.BODY === '8BITMIME',
            to: rcptTo.map(({ address }) => address),
            message: Buffer.concat(pieces).toString('latin1'),
          })
          callback(null, '2.0.0 Taken')
        })
    },
    ...options,
  })
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())))
  return {
    url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    taken,
  }
}

const utf8 = (text: string): string => Buffer.from(text).toString('latin1')
const messageOf = (...header: string[]): string => [...header, '', 'Hello', ''].join('\r\n')
const common = ['From: hi@acme.test', 'To: ada@x.test', 'Subject: s']

describe('the Bcc field of a captured mail', () => {
  it.each([
    ['once', ['Bcc: eve@x.test']],
    ['in capitals', ['BCC: eve@x.test']],
    ['in any case', ['bCc:eve@x.test']],
    ['with a space before the colon', ['Bcc : eve@x.test']],
    ['folded', ['Bcc: eve@x.test,', ' mallory@x.test,', '\ttrent@x.test']],
    ['folded at once', ['Bcc:', ' eve@x.test']],
    ['several times', ['Bcc: eve@x.test', 'X-Other: 1', 'Bcc: mallory@x.test']],
    ['resent', ['Resent-Bcc: eve@x.test', ' , mallory@x.test']],
    ['empty', ['Bcc:']],
    ['of 200 KB on one line', [`Bcc: ${'eve@x.test, '.repeat(18_000)}e@x.test`]],
    ['of 200 KB in many lines', [`Bcc: ${'eve@x.test,\r\n '.repeat(16_000)}e@x.test`]],
  ])('is left out of a release: %s', async (_, fields) => {
    const relay = await openRelay()
    const post = await start({ relay: relay.url })
    const kept = [...common, 'X-Bcc: stays', 'X-Long: Bcc: stays']
    const { id } = await post.inbox.import(
      Buffer.from(messageOf(...common, ...fields, 'X-Bcc: stays', 'X-Long: Bcc: stays')),
    )
    await post.inbox.release(id, { to: 'real@person.test' })
    const other = fields.filter((field) => field.startsWith('X-Other'))
    expect(relay.taken).toMatchObject([
      {
        to: ['real@person.test'],
        message: messageOf(...common, ...other, ...kept.slice(3)),
      },
    ])
    // The captured message is unchanged.
    const { stream } = await post.inbox.raw(id)
    expect(Buffer.concat(await stream.toArray()).toString()).toContain(fields[0])
  })

  it.each([1, 2, 3, 7, 100_000])('is found however the bytes are split: in chunks of %i', async (size) => {
    const long = `Bcc: ${'e'.repeat(70_000)}`
    const message = Buffer.from(
      messageOf('A: 1', 'Bcc: a', ' b', 'B: 2', 'bcc:c', long, 'C: 3') + 'Bcc: body\r\n',
    )
    const pieces: Buffer[] = []
    for (let at = 0; at < message.length; at += size) pieces.push(message.subarray(at, at + size))
    const left = Buffer.concat(await withoutBcc(Readable.from(pieces)).toArray())
    expect(left.toString()).toBe(`${messageOf('A: 1', 'B: 2', 'C: 3')}Bcc: body\r\n`)
  })

  it.each([
    ['LF alone', 'A: 1\nBcc: b\n c\nB: 2\n\nBcc: body\n', 'A: 1\nB: 2\n\nBcc: body\n'],
    ['a header alone', 'A: 1\r\nBcc: b', 'A: 1\r\n'],
    ['nothing', '', ''],
    ['a body alone', '\r\nBcc: body\r\n', '\r\nBcc: body\r\n'],
  ])('is left out of %s', async (_, message, left) => {
    const rest = await withoutBcc(Readable.from([Buffer.from(message)])).toArray()
    expect(Buffer.concat(rest).toString()).toBe(left)
  })

  // A mail server may take a bare CR for a line end, and leave a NUL out.
  const hidden: [title: string, header: string, sent: string][] = [
    ['a CR in a field', 'Subject: a\rBcc: h@x.test\r\n', 'Subject: a Bcc: h@x.test\r\n'],
    ['a CR in To', 'To: a@x.test,\rBcc: h@x.test\r\n', 'To: a@x.test, Bcc: h@x.test\r\n'],
    ['a CR in Cc', 'Cc: a@x.test\rX: 1\r\n', 'Cc: a@x.test X: 1\r\n'],
    ['a CR in a folded line', 'Subject: a\r\n b\rBcc: h\r\n', 'Subject: a\r\n b Bcc: h\r\n'],
    ['a CR before CRLF', 'Subject: a\r\r\nX: 1\r\n', 'Subject: a \r\nX: 1\r\n'],
    ['a CR at the beginning of a line', '\rBcc: h\r\n more\r\nX: 1\r\n', 'X: 1\r\n'],
    ['a line of CR alone', 'X: 1\r\n\r\r\nY: 2\r\n', 'X: 1\r\nY: 2\r\n'],
    ['a CR in a name', 'B\rcc: h\r\nX: 1\r\n', 'X: 1\r\n'],
    ['a CR behind a name', 'Bcc\r: h\r\nX\r: 1\r\n', 'X : 1\r\n'],
    ['a CR with LF as the line end', 'Subject: a\rBcc: h\nX: 1\n', 'Subject: a Bcc: h\r\nX: 1\r\n'],
    ['a bare LF', 'Subject: a\nBcc: h\nX: 1\r\n', 'Subject: a\r\nX: 1\r\n'],
    ['a NUL in a name', 'Bcc\0: h\r\nB\0cc: h\r\n\0Bcc: h\r\nX: 1\r\n', 'X: 1\r\n'],
    ['a NUL in a field', 'Subject: a\0b\r\n\0c\r\n', 'Subject: a b\r\n'],
    ['other space behind a name', 'Bcc\u00a0: h\r\nBcc\v: h\r\nX: 1\r\n', 'X: 1\r\n'],
    ['much space behind a name', `Bcc${' '.repeat(70_000)}: h\r\nX: 1\r\n`, 'X: 1\r\n'],
    ['CR as every line end', 'Bcc: h\r h2\rX: 1\r', 'X: 1\r\n'],
  ]
  it.each(hidden)('is not made by a release: %s', async (title, header, sent) => {
    const relay = await openRelay()
    const post = await start({ relay: relay.url })
    const isReturns = title.startsWith('CR as')
    const line = isReturns ? '\r' : header.endsWith('\r\n') ? '\r\n' : '\n'
    const message = `From: hi@acme.test${line}${header}${line}Hello${line}Bcc: body${line}`
    const { id } = await post.inbox.import(Buffer.from(message))
    await post.inbox.release(id, { to: 'real@person.test' })
    expect(relay.taken[0]?.message).toBe(`From: hi@acme.test\r\n${sent}\r\nHello\r\nBcc: body\r\n`)
    // What arrives has the fields that the inbox shows, without the Bcc.
    const shown = (await post.inbox.get(id)).headers.filter(([name]) => name !== 'Bcc')
    const arrived = await post.inbox.get(
      (await post.inbox.import(Buffer.from(relay.taken[0]?.message ?? ''))).id,
    )
    const plain = (headers: typeof shown): string[] =>
      headers.map(([name, value]) => `${name}: ${value.replace(/[\s\0]+/g, ' ')}`)
    expect(plain(arrived.headers)).toEqual(plain(shown))
    // The captured message is unchanged.
    const { stream } = await post.inbox.raw(id)
    expect(Buffer.concat(await stream.toArray()).toString()).toBe(message)
  })

  it.each([1, 2, 3, 7])(
    'is not made by a bare CR however the bytes are split: in chunks of %i',
    async (size) => {
      for (const [title, header, sent] of hidden) {
        const line = title.startsWith('CR as') ? '\r' : '\r\n'
        const message = Buffer.from(`A: 1${line}${header}${line}Hello${line}`)
        const pieces: Buffer[] = []
        for (let at = 0; at < message.length; at += size) pieces.push(message.subarray(at, at + size))
        const left = Buffer.concat(await withoutBcc(Readable.from(pieces)).toArray())
        expect(left.toString().replace(/\r?\n/g, '\r\n'), title).toBe(`A: 1\r\n${sent}\r\nHello\r\n`)
      }
    },
  )
})

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
        callback(Object.assign(new Error('5.1.1 Nobody here'), { responseCode: 550 })),
    })
    const post = await start({ relay: relay.url })
    const { id } = await post.inbox.import(Buffer.from(messageOf(...common, utf8('X: ü'))))
    await expect(post.inbox.release(id, { to: 'jörg@person.test' })).rejects.toMatchObject({
      message: expect.stringContaining('Nobody here') as string,
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
