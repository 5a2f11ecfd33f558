import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { withoutBcc } from '../../src/mime/compose/without-bcc.ts'

const head = (type: string): string => `From: hi@acme.test\r\nContent-Type: ${type}\r\n\r\n`
const part = (fields: string, body = 'body\rwith\0both\r\n'): string => `${fields}\r\n\r\n${body}`
const mixed = head('multipart/mixed;\r\n boundary="a b"')
const evil = 'Content-Type: text/plain\rContent-Disposition: attachment\0'
const dashes = `--${' '.repeat(15_000)}x\r\n`.repeat(100)
const plain = 'Content-Type: text/plain Content-Disposition: attachment '

/** A message, and what leaves; null if nothing changes. */
const messages: [title: string, message: string, sent: string | null][] = [
  [
    'the header of a part',
    `${mixed}--a b\r\n${part(evil)}--a b--\r\n`,
    `${mixed}--a b\r\n${part(plain)}--a b--\r\n`,
  ],
  [
    'a boundary with white space behind it',
    `${mixed}--a b \t\r\n${part(evil)}--a b--\r\n`,
    `${mixed}--a b \t\r\n${part(plain)}--a b--\r\n`,
  ],
  [
    'the second part',
    `${mixed}--a b\r\n\r\nx\r\n--a b\r\n${part(evil)}--a b--\r\n`,
    `${mixed}--a b\r\n\r\nx\r\n--a b\r\n${part(plain)}--a b--\r\n`,
  ],
  [
    'a part of a part',
    `${mixed}--a b\r\nContent-type: multipart/alternative; boundary=c\r\n\r\n--c\r\n${part(evil)}--c--\r\n--a b--\r\n`,
    `${mixed}--a b\r\nContent-type: multipart/alternative; boundary=c\r\n\r\n--c\r\n${part(plain)}--c--\r\n--a b--\r\n`,
  ],
  [
    'a message that is a part, and its parts',
    `${mixed}--a b\r\nContent-Type: message/rfc822\r\n\r\nTo: a\rX: 1\r\nContent-Type: multipart/mixed; boundary=d\r\n\r\n--d\r\n${part(evil)}`,
    `${mixed}--a b\r\nContent-Type: message/rfc822\r\n\r\nTo: a X: 1\r\nContent-Type: multipart/mixed; boundary=d\r\n\r\n--d\r\n${part(plain)}`,
  ],
  [
    'a message of a digest',
    `${head('multipart/digest; boundary=b')}--b\r\n\r\nSubject: a\rX: 1\r\n\r\nbody\r\n--b--\r\n`,
    `${head('multipart/digest; boundary=b')}--b\r\n\r\nSubject: a X: 1\r\n\r\nbody\r\n--b--\r\n`,
  ],
  [
    'a part behind lines of dashes and much white space, in linear time',
    `${mixed}${dashes}--a b\r\n${part(evil)}--a b--\r\n`,
    `${mixed}${dashes}--a b\r\n${part(plain)}--a b--\r\n`,
  ],
  [
    'a long line',
    `${mixed}--a b\r\nX: ${'x\r'.repeat(70_000)}\r\n\r\nbody\r`,
    `${mixed}--a b\r\nX: ${'x '.repeat(70_000)}\r\n\r\nbody\r`,
  ],
  [
    'lines that end with LF',
    `${mixed}--a b\n${evil}\n\nbody\r\n--a b--\n`,
    `${mixed}--a b\n${plain}\n\nbody\r\n--a b--\n`,
  ],
  ['the body of a plain message', `${head('text/plain')}--a\r\nX: a\rY: b\r\n\r\n`, null],
  ['a boundary that no header names', `${mixed}--b\r\n${part(evil)}`, null],
  ['a longer boundary', `${mixed}--a bc\r\n${part(evil)}`, null],
  ['what follows the closing boundary', `${mixed}--a b\r\n\r\nx\r\n--a b--\r\n${part(evil)}`, null],
  ['the text before the first boundary', `${mixed}X: a\rY: b\r\n\r\n--a b--\r\n`, null],
  ['a body that ends with CR', `${mixed}--a b\r\n\r\nx\r`, null],
]

describe('a bare CR or a NUL in a message that is sent on', () => {
  it.each(messages)('%s', async (title, message, sent) => {
    for (const size of [1, 2, 3, 7, 1000, message.length]) {
      // A byte at a time takes long for a long line.
      if (size < 7 && message.length > 10_000) continue
      const bytes = Buffer.from(message)
      const pieces: Buffer[] = []
      for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size))
      const left = Buffer.concat(await withoutBcc(Readable.from(pieces)).toArray())
      expect(left.equals(Buffer.from(sent ?? message)), `${title}, in pieces of ${size}`).toBe(true)
    }
  })
})
