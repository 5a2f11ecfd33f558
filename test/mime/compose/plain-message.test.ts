import * as base64 from 'nodemailer/lib/base64'
import { foldLines } from 'nodemailer/lib/mime-funcs'
import * as qp from 'nodemailer/lib/qp'
import { describe, expect, it } from 'vitest'
import { composeByNodemailer } from '../../../src/mime/compose/compose.ts'
import type { MessageInput } from '../../../src/mime/compose/message-input.ts'
import { writePlainMessage } from '../../../src/mime/compose/plain-message.ts'
import { writtenAtOnceBytes } from '../../../src/mime/compose/write-node.ts'
import { foldField } from '../../../src/mime/headers/fold.ts'

const base = '0123456789abcdef0123456789abcdef'

const usual: MessageInput = {
  from: 'Acme Support <hi@acme.test>',
  to: 'ada@example.com',
  subject: 'Your receipt #42 for {{name}}',
  html: '<p>Hello</p>',
  text: 'Hello',
  message_id: '<em_1@acme.test>',
  date: new Date('2026-01-02T03:04:05Z'),
}

const writePlain = (input: MessageInput): Promise<Buffer> | null =>
  writePlainMessage(input, base, () => Promise.resolve({ base64, qp }))

describe('a plain message', () => {
  const inputs: Record<string, Partial<MessageInput>> = {
    usual: {},
    'text alone': { html: '' },
    'HTML alone': { text: '' },
    'no subject': { subject: '' },
    'a long subject': { subject: 'word  and more '.repeat(20).trim() },
    'a subject of one long word': { subject: `a ${'x'.repeat(150)} b` },
    'all address fields': {
      to: 'Ada Lovelace <ada@example.com>, bob@example.com, Carol 3 <carol.x+y@sub-domain.example.org>',
      cc: 'dan_d@example.com',
      reply_to: 'Help <help@acme.test>',
    },
    'many recipients': {
      to: Array.from({ length: 60 }, (_, n) => `Someone ${n} <someone.${n}@example.com>`).join(', '),
    },
    'long lines': { html: `<p>${'x'.repeat(5000)}</p>`, text: 'word '.repeat(1000).trim() },
    'a line of 76 and one of 77': { text: 'x'.repeat(76), html: 'x'.repeat(77) },
    'line ends of every kind': { text: 'a\nb\r\nc\rd\r\n\r\n', html: '\n<p>\r' },
    'trailing spaces': { text: 'a \t', html: '<p>a  \r\n\tb </p> \t ' },
    'other scripts': { html: `<p>${'こんにちは、世界'.repeat(99)}</p>`, text: 'Привет, мир\r\n=' },
    'few letters of other scripts': { html: `<p>${'The quick brown föx, ='.repeat(99)}</p>\r\n.\r\n` },
    'surrogate pairs': { text: '🎉'.repeat(300), html: `${'plain '.repeat(200)}👩‍👩‍👧‍👦` },
    'control characters': { text: 'a\u0000b\u007f\u0001', html: '\u0000' },
    'a large body': { html: `<p>${'The quick brown fox. '.repeat(3000)}</p>` },
  }
  it.each(Object.entries(inputs))('has the bytes that the library gives: %s', async (_, more) => {
    const input = { ...usual, ...more }
    const expected = await composeByNodemailer(input, base)
    expect((await writePlain(input))?.toString('latin1')).toBe(
      Buffer.concat(expected.parts).toString('latin1'),
    )
  })

  const others: Record<string, Partial<MessageInput>> = {
    'a further header field': { headers: { 'X-One': '1' } },
    'an attachment': { attachments: [{ filename: 'a', content: Buffer.from('a') }] },
    'a quoted name': { from: '"Acme, Inc." <hi@acme.test>' },
    'a name in another script': { to: 'Ådne <ada@example.com>' },
    'a domain in upper case': { to: 'ada@EXAMPLE.com' },
    'an internationalised domain': { to: 'ada@xn--jgeva-dua.example' },
    'an IP address': { to: 'ada@[127.0.0.1]' },
    'a name of two addresses': { to: 'ada@example.com <bob@example.com>' },
    'white space at the end': { to: 'ada@example.com ' },
    'a subject in another script': { subject: 'Grüße' },
    'a subject with quotes': { subject: 'A "word"' },
    'a subject like an encoded word': { subject: '=?utf-8?q?a?=' },
    'a subject with a tab': { subject: 'a\tb' },
    'a subject without spaces': { subject: 'x'.repeat(200) },
    'a message id with spaces': { message_id: '<a b@acme.test>' },
    'no body': { html: '', text: '' },
    'a body that is written as a stream': { html: 'x'.repeat(writtenAtOnceBytes + 1) },
  }
  it.each(Object.entries(others))('is left to the library with %s', (_, more) => {
    expect(writePlain({ ...usual, ...more })).toBeNull()
  })
})

it('fields are folded where the library folds them', () => {
  let seed = 7
  const random = (below: number): number => {
    seed = (seed * 1103515245 + 12345) % 2 ** 31
    return seed % below
  }
  for (let n = 0; n < 2000; n++) {
    const words = Array.from({ length: random(30) }, () => 'x'.repeat(random(n % 10 === 0 ? 100 : 12)))
    const spaced = words.map((word) => word + ' '.repeat(n % 3 === 0 ? 1 + random(89) : 1))
    // The last ones are around the length of a line.
    for (const field of [`Subject: ${words.join(' ')}`, `Subject: ${spaced.join('')}`])
      for (const part of [field, ...[75, 76, 77].map((length) => field.slice(0, length))])
        expect(foldField(part)).toBe(foldLines(part, 76))
  }
})
