import { buffer } from 'node:stream/consumers'
import MailComposer from 'nodemailer/lib/mail-composer'
import { expect, test } from 'vitest'
import { composeMessage } from '../../../src/mime/compose/compose.ts'
import { composableBody } from '../../../src/mime/compose/body-encoding.ts'
import { sliceBytes } from '../../../src/mime/slices.ts'

const fields = {
  from: 'a@b.test',
  to: 'c@d.test',
  subject: 'x',
  message_id: '<x@b.test>',
  date: new Date('2026-01-02T03:04:05Z'),
}

async function composed(body: { html: string; text: string }): Promise<string> {
  const { parts } = await composeMessage({ ...fields, ...body })
  return Buffer.concat(parts).toString('latin1')
}

/** What nodemailer makes of the body as one text. */
async function asOneText(body: { html: string } | { text: string }): Promise<string> {
  const { message_id, ...rest } = fields
  const mail = new MailComposer({ ...rest, messageId: message_id, ...body })
  return (await buffer(mail.compile().createReadStream())).toString('latin1')
}

/** The header's fields, in order of name, and the body. */
function parted(message: string): [string[], string] {
  const end = message.indexOf('\r\n\r\n')
  return [message.slice(0, end).replaceAll('\r\n ', ' ').split('\r\n').sort(), message.slice(end)]
}

// Of each, surrogate pairs and line ends meet the ends of slices.
test.each([
  ['lines', 'a line of text\n'],
  ['lines with CRLF', 'a line\r\n'],
  ['line ends', 'x\r\n'],
  ['half line ends', 'x\r\r\n\n'],
  ['one line', 'words and '],
  ['one word', 'abcdefg'],
  ['trailing spaces', 'a \t\n'],
  ['few letters of other scripts', 'Grüße aus Köln\n'],
  ['other scripts', 'あいう\n'],
  ['surrogate pairs', 'x😀'],
  ['surrogate pairs and letters', 'abc😀\r\n'],
])('a long body is composed as nodemailer composes it whole: %s', async (_, piece) => {
  for (const shift of ['', 'y']) {
    const text = shift + piece.repeat(Math.ceil((sliceBytes * 2.5) / piece.length))
    const canonical = text.replace(/\r?\n/g, '\r\n')
    expect(parted(await composed({ html: '', text }))).toEqual(parted(await asOneText({ text: canonical })))
    expect(parted(await composed({ html: text, text: '' }))).toEqual(
      parted(await asOneText({ html: canonical })),
    )
  }
})

test('a long body is encoded in short pieces, so that memory holds no second copy of it', async () => {
  const body = composableBody('x'.repeat(sliceBytes * 20))
  if (typeof body === 'string') return expect.unreachable()
  const pieces: Buffer[] = await body.content.toArray()
  expect(pieces).toHaveLength(20)
  expect(Buffer.concat(pieces)).toHaveLength(sliceBytes * 20)
})
