import { describe, expect, it } from 'vitest'
import { createTransferDecoder, type TransferEncoding } from '../../src/mime/transfer.ts'
import { expectLinearCost } from '../support/linear-cost.ts'

interface Decoded {
  text: string
  misfits: number
}

function decode(encoding: TransferEncoding, encoded: string, sliceBytes = encoded.length): Decoded {
  const decoder = createTransferDecoder(encoding)
  const pieces: Buffer[] = []
  for (let at = 0; at < encoded.length; at += sliceBytes) {
    pieces.push(decoder.write(Buffer.from(encoded.slice(at, at + sliceBytes), 'latin1')))
  }
  pieces.push(decoder.end())
  return { text: Buffer.concat(pieces).toString('latin1'), misfits: decoder.misfits }
}

const uu = ['begin 644 a.txt', '#0V%T', '`', 'end', 'after'].join('\r\n')

type Row = [title: string, encoding: TransferEncoding, encoded: string, text: string, misfits?: number]

const cases: Row[] = [
  ['base64 in lines', 'base64', 'SGVs\r\nbG8=\r\n', 'Hello'],
  ['base64 without padding', 'base64', 'SGVsbG8', 'Hello'],
  ['base64 with padding in its middle', 'base64', 'SGVsbG8=QWRh\r\nSQ==SQ==', 'HelloAdaII'],
  ['base64 with other characters', 'base64', 'S-G*V s\0b_G8\xff=', 'Hello', 5],
  ['base64 that is nothing', 'base64', '\r\n', ''],
  ['base64 with one character left over', 'base64', 'SGVsbG8hQ', 'Hello!', 1],
  ['base64 with white space in its lines', 'base64', ' SGVs\t\r\n bG8=\x0b\r\n', 'Hello'],
  ['base64 with characters of base64url', 'base64', 'SGVs_-_-bG8=', 'Hello', 4],
  ['base64 before other text', 'base64', 'SGVsbG8=\r\n--\r\n.', 'Hello', 3],
  ['quoted-printable in upper and lower case', 'quoted-printable', '=C3=BC=c3=bc', '\xc3\xbc\xc3\xbc'],
  ['soft line breaks', 'quoted-printable', 'a=\r\nb=\nc=\rd', 'abcd'],
  ['soft line breaks with white space behind them', 'quoted-printable', 'a= \t\r\nb', 'ab'],
  ['white space at the end of lines', 'quoted-printable', 'a \t\r\nb ', 'a\r\nb'],
  ['coded white space at the end of lines', 'quoted-printable', 'a=20\r\nb', 'a \r\nb'],
  ['broken escapes', 'quoted-printable', '=ZZ =4 = a=', '=ZZ =4 = a', 3],
  ['octets beyond ASCII', 'quoted-printable', '\xfc=FC', '\xfc\xfc'],
  ['uuencode', 'uuencode', uu, 'Cat'],
  ['uuencode with LF', 'uuencode', uu.replaceAll('\r\n', '\n'), 'Cat'],
  ['uuencode that does not begin', 'uuencode', 'plain\r\ntext', 'plain\r\ntext', 11],
  ['uuencode without an end', 'uuencode', 'begin 644 a\r\n#0V%T', 'Cat'],
  ['nothing of what is not encoded', 'none', 'a=C3\r\nSGVs', 'a=C3\r\nSGVs'],
]

describe('a transfer decoder', () => {
  it.each(cases)('decodes %s', (_, encoding, encoded, text, misfits = 0) => {
    expect(decode(encoding, encoded)).toEqual({ text, misfits })
  })

  it.each(cases)('decodes %s, however it is split', (_, encoding, encoded, text, misfits = 0) => {
    for (let size = 1; size < encoded.length; size++) {
      expect(decode(encoding, encoded, size)).toEqual({ text, misfits })
    }
  })

  it('counts each octet that is not base64, wherever it is', () => {
    const isOfBase64 = (octet: string): boolean => /[A-Za-z0-9+/=]/.test(octet)
    for (let code = 0; code < 256; code++) {
      const octet = String.fromCharCode(code)
      if (isOfBase64(octet)) continue
      const misfits = /[\t-\r ]/.test(octet) ? 0 : 1
      for (let at = 0; at <= 8; at++)
        for (const encoded of ['SGVsbG8hSGkh', 'SGVsbG8hSA==']) {
          const broken = encoded.slice(0, at) + octet + encoded.slice(at)
          expect(decode('base64', broken), JSON.stringify(broken)).toEqual({
            text: decode('base64', encoded).text,
            misfits,
          })
        }
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
