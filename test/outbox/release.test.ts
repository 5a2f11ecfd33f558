import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { withoutBcc } from '../../src/mime/compose/without-bcc.ts'
import { start } from '../support/instance.ts'
import { common, messageOf, openRelay } from './_relay.ts'

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
    // Longer than a buffer of a stream, except where that takes as many steps.
    const long = `Bcc: ${'e'.repeat(size < 7 ? 100 : 70_000)}`
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
        if (size < 7 && header.length > 1000) continue
        const message = Buffer.from(`A: 1${line}${header}${line}Hello${line}`)
        const pieces: Buffer[] = []
        for (let at = 0; at < message.length; at += size) pieces.push(message.subarray(at, at + size))
        const left = Buffer.concat(await withoutBcc(Readable.from(pieces)).toArray())
        expect(left.toString().replace(/\r?\n/g, '\r\n'), title).toBe(`A: 1\r\n${sent}\r\nHello\r\n`)
      }
    },
  )
})
