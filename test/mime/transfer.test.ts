import { describe, expect, it } from 'vitest'
import { createTransferDecoder, type TransferEncoding } from '../../src/mime/transfer.ts'
import { expectLinearCost } from '../support/linear-cost.ts'

function decode(encoding: TransferEncoding, encoded: string, sliceBytes = encoded.length): string {
  const decoder = createTransferDecoder(encoding)
  const pieces: Buffer[] = []
  for (let at = 0; at < encoded.length; at += sliceBytes) {
    pieces.push(decoder.write(Buffer.from(encoded.slice(at, at + sliceBytes), 'latin1')))
  }
  pieces.push(decoder.end())
  return Buffer.concat(pieces).toString('latin1')
}

const uu = ['begin 644 a.txt', '#0V%T', '`', 'end', 'after'].join('\r\n')

const cases: [title: string, encoding: TransferEncoding, encoded: string, decoded: string][] = [
  ['base64 in lines', 'base64', 'SGVs\r\nbG8=\r\n', 'Hello'],
  ['base64 without padding', 'base64', 'SGVsbG8', 'Hello'],
  ['base64 with padding in its middle', 'base64', 'SGVsbG8=QWRh\r\nSQ==SQ==', 'HelloAdaII'],
  ['base64 with other characters', 'base64', 'S-G*V s\0b_G8\xff=', 'Hello'],
  ['base64 that is nothing', 'base64', '\r\n', ''],
  ['base64 with one character left over', 'base64', 'SGVsbG8hQ', 'Hello!'],
  ['quoted-printable in upper and lower case', 'quoted-printable', '=C3=BC=c3=bc', '\xc3\xbc\xc3\xbc'],
  ['soft line breaks', 'quoted-printable', 'a=\r\nb=\nc=\rd', 'abcd'],
  ['soft line breaks with white space behind them', 'quoted-printable', 'a= \t\r\nb', 'ab'],
  ['white space at the end of lines', 'quoted-printable', 'a \t\r\nb ', 'a\r\nb'],
  ['coded white space at the end of lines', 'quoted-printable', 'a=20\r\nb', 'a \r\nb'],
  ['broken escapes', 'quoted-printable', '=ZZ =4 = a=', '=ZZ =4 = a'],
  ['octets beyond ASCII', 'quoted-printable', '\xfc=FC', '\xfc\xfc'],
  ['uuencode', 'uuencode', uu, 'Cat'],
  ['uuencode with LF', 'uuencode', uu.replaceAll('\r\n', '\n'), 'Cat'],
  ['uuencode that does not begin', 'uuencode', 'plain\r\ntext', 'plain\r\ntext'],
  ['uuencode without an end', 'uuencode', 'begin 644 a\r\n#0V%T', 'Cat'],
  ['nothing of what is not encoded', 'none', 'a=C3\r\nSGVs', 'a=C3\r\nSGVs'],
]

describe('a transfer decoder', () => {
  it.each(cases)('decodes %s', (_, encoding, encoded, decoded) => {
    expect(decode(encoding, encoded)).toBe(decoded)
  })

  it.each(cases)('decodes %s, however it is split', (_, encoding, encoded, decoded) => {
    for (let size = 1; size < encoded.length; size++) {
      expect(decode(encoding, encoded, size)).toBe(decoded)
    }
  })

  it.each([
    ['base64', '='],
    ['base64', 'A='],
    ['base64', '*'],
    ['quoted-printable', '='],
    ['quoted-printable', ' '],
    ['quoted-printable', '=\r\n'],
    ['quoted-printable', ' \r\n'],
    ['uuencode', '\r\n'],
    ['uuencode', 'begin 644 a\r\n'],
    ['uuencode', '`'],
  ] as const)('takes linear time for %s of nothing but %j', (encoding, piece) => {
    const work = (size: number): unknown =>
      decode(encoding, piece.repeat(Math.ceil(size / piece.length)), 128 * 1024)
    expectLinearCost(work, 500_000)
  })
})
