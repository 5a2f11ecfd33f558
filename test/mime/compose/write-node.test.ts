import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import * as base64 from 'nodemailer/lib/base64'
import MailComposer from 'nodemailer/lib/mail-composer'
import * as qp from 'nodemailer/lib/qp'
import { describe, expect, it } from 'vitest'
import { writeNode, writtenAtOnceBytes } from '../../../src/mime/compose/write-node.ts'

type Mail = NonNullable<ConstructorParameters<typeof MailComposer>[0]>

const encoders = { base64, qp }

function compile(mail: Mail): ReturnType<MailComposer['compile']> {
  return new MailComposer({
    from: 'Ådne <hi@acme.com>',
    to: 'ada@example.com',
    subject: 'Grüße '.repeat(30),
    messageId: '<1@acme.com>',
    date: new Date('2026-01-02T03:04:05Z'),
    baseBoundary: 'x',
    headers: [{ key: 'X-One', value: 'ü'.repeat(200) }],
    ...mail,
  }).compile()
}

describe('a message that is written synchronously', () => {
  const file = { filename: 'a.pdf', content: Buffer.from(Array.from({ length: 5000 }, (_, i) => i % 256)) }
  const mails: Record<string, Mail> = {
    'no body': {},
    'plain text': { text: 'Hello\r\nAda' },
    'text with a line end': { text: 'Hello\r\n' },
    'text with half a line end': { text: 'Hello\r' },
    'blank lines': { text: '\r\n\r\nHello\r\n\r\n' },
    'trailing spaces': { text: 'a \t', html: '<p>a  \r\n\tb </p> \t ' },
    'long lines': { html: `<p>${'x'.repeat(5000)}</p>`, text: 'word '.repeat(1000).trim() },
    'long lines without spaces of other scripts': { html: 'é'.repeat(400), text: `a${'é'.repeat(4000)}` },
    'other scripts': { html: `<p>${'こんにちは、世界'.repeat(99)}</p>`, text: 'Привет, мир\r\n=' },
    'few letters of other scripts': { html: `<p>${'The quick brown föx, ='.repeat(99)}</p>\r\n.\r\n` },
    'surrogate pairs': { text: '🎉'.repeat(300), html: `${'plain '.repeat(200)}👩‍👩‍👧‍👦` },
    'an attachment': { text: 'See', attachments: [file] },
    'an attachment alone': { attachments: [file] },
    'an empty attachment alone': { attachments: [{ filename: 'a', content: Buffer.alloc(0) }] },
    'all of it': { text: 'Sée', html: '<p>Sée</p>', attachments: [file, { ...file, filename: 'чек.png' }] },
  }
  it.each(Object.entries(mails))('equals the output of the stream, of %s', async (_, mail) => {
    const expected = await buffer(compile(mail).createReadStream())
    expect(writeNode(compile(mail), encoders)?.toString()).toBe(expected.toString())
  })

  it('is left to the stream where content is large, arrives later or must stay unchanged', () => {
    const content = Buffer.from('Subject: Äpfel\r\n\r\nx', 'latin1')
    for (const mail of [
      { text: 'x'.repeat(writtenAtOnceBytes + 1) },
      { attachments: [{ filename: 'a', content: Buffer.alloc(writtenAtOnceBytes + 1) }] },
      { attachments: [{ filename: 'a', content: Readable.from(['x']) }] },
      { attachments: [{ filename: 'a.eml', contentType: 'message/rfc822', content }] },
    ]) {
      expect(writeNode(compile({ text: 'x', ...mail }), encoders)).toBeNull()
    }
  })
})
