import { describe, expect, it } from 'vitest'
import { readBodies } from '../../src/mime/bodies.ts'
import { readStructure } from '../../src/mime/structure.ts'
import { sliceBytes } from '../../src/mime/slices.ts'

function read(contentType: string, body: Buffer): string {
  const message = Buffer.concat([Buffer.from(`Content-Type: ${contentType}\r\n\r\n`), body])
  const { text, html } = readBodies(message, readStructure(message))
  return text + html
}

/** Text in each way that it is decoded, of many slices and in one line. */
const bodies: [contentType: string, octets: string, text: string][] = [
  ['text/plain; charset=utf-8', 'f09f8e89', '🎉'],
  ['text/plain', 'e4bda0', '你'],
  ['text/plain', 'fc', 'ü'],
  ['text/html', 'e4bda0', '你'],
  ['text/plain; charset=utf-16be', '4f60', '你'],
  ['text/plain; charset=utf-16le', '604f', '你'],
  ['text/plain; charset=utf-32le', '604f0000', '你'],
  ['text/plain; charset=gb18030', '8139ee39', '㐀'],
  ['text/plain; charset=shift_jis', '82b1', 'こ'],
  ['text/plain; charset=iso-2022-jp', '1b244224331b284261', 'こa'],
  ['text/plain; format=flowed', '61', 'a'],
]

describe('a body of several parts', () => {
  const mixed = (...parts: [type: string, text: string][]): Buffer =>
    Buffer.from(
      `Content-Type: multipart/mixed; boundary=b\r\n\r\n${parts
        .map(([type, text]) => `--b\r\nContent-Type: text/${type}\r\n\r\n${text}\r\n`)
        .join('')}--b--`,
    )
  const readUpTo = (maxBytes: number, message: Buffer): ReturnType<typeof readBodies> =>
    readBodies(message, readStructure(message), maxBytes)

  it('is cut where its parts together are too long', () => {
    const message = mixed(['plain', 'a'.repeat(60)], ['plain', 'b'.repeat(60)], ['plain', 'c'])
    const { text, isCut } = readUpTo(100, message)
    expect([text, isCut]).toEqual([`${'a'.repeat(60)}\n${'b'.repeat(40)}`, true])
    expect(readUpTo(121, message).isCut).toBe(false)
    expect(readUpTo(120, message)).toMatchObject({ isCut: true })
    expect(readUpTo(60, message)).toMatchObject({ text: 'a'.repeat(60), isCut: true })
  })

  it.each(['&', '"', '\n'])('is not longer than it may be if a text of %o is a paragraph', (char) => {
    const message = mixed(['html', '<p>'], ['plain', char.repeat(1000)])
    const { text, html, isCut } = readUpTo(1000, message)
    expect([text.length, isCut]).toEqual([1000, true])
    expect(html.length).toBeLessThanOrEqual(1000 + '<p></p>\n'.length)
    expect(readUpTo(10_000, message)).toMatchObject({ isCut: false })
  })
})

describe('a body', () => {
  it.each(bodies)('of %s in one long line is decoded in slices (%s)', (type, octets, text) => {
    const unit = Buffer.from(octets, 'hex')
    // One more octet in front moves each character over the ends of the slices; in wide charsets none can be added.
    const shift = /utf-(?:16|32)/.test(type) ? '' : 'a'
    const count = Math.ceil((8 * sliceBytes) / unit.length)
    const body = Buffer.concat([Buffer.from(shift), Buffer.alloc(count * unit.length, unit)])
    expect(read(type, body) === shift + text.repeat(count)).toBe(true)
  })

  it.each(['utf-8', 'utf-16be', 'utf-16le', 'utf-32le', 'windows-1252'])(
    'in %s has LF for each line end, also where one is cut by a slice',
    async (charset) => {
      const width = /16/.test(charset) ? 2 : /32/.test(charset) ? 4 : 1
      for (const before of [sliceBytes / width - 2, sliceBytes / width - 1, sliceBytes / width]) {
        const written = `${'a'.repeat(before)}\r\nb\rc\nd\r\n\r\ne\r`
        const text = Buffer.from(written, charset.startsWith('utf-16') ? 'utf16le' : 'utf8')
        const body =
          charset === 'utf-16be'
            ? text.swap16()
            : charset === 'utf-32le'
              ? Buffer.from(Uint32Array.from(written, (char) => char.charCodeAt(0)).buffer)
              : text
        const found = read(`text/plain; charset=${charset}`, body)
        expect(found.slice(before)).toBe('\nb\nc\nd\n\ne\n')
      }
    },
  )

  it.each([
    ['format=flowed', 'one \r\ntwo\r\n', 'one two\n'],
    ['format=flowed; delsp=yes', 'one \r\ntwo', 'onetwo'],
  ])('with %s is joined across slices', async (parameters, lines, text) => {
    const count = Math.ceil((3 * sliceBytes) / lines.length)
    const found = read(`text/plain; ${parameters}`, Buffer.from(`${lines}\r\n`.repeat(count)))
    expect(found.startsWith(text)).toBe(true)
    expect(found.split(text)).toHaveLength(count + 1)
  })
})
