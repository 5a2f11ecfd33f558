import { describe, expect, test } from 'vitest'
import { FormBody, readTextForm } from '../../src/core/form.ts'
import { maxFormEntries, type FormEntry } from '../../src/core/form-entry.ts'

const multipart = 'multipart/form-data; boundary=AaB03x'
const urlencoded = 'application/x-www-form-urlencoded; charset=utf-8'

function read(body: string | Buffer, type = multipart): FormEntry[] {
  return FormBody.fromContentType(Buffer.from(body), type).read()
}

/** A multipart body of whole parts. */
const bodyOf = (...parts: string[]): string =>
  `${parts.map((part) => `--AaB03x\r\n${part}\r\n`).join('')}--AaB03x--\r\n`
const field = (name: string, value: string): string =>
  `Content-Disposition: form-data; name="${name}"\r\n\r\n${value}`

describe('multipart/form-data', () => {
  test('reads what Node writes, whatever names, texts and bytes it has', async () => {
    const texts = ['', 'plain', 'ünï ✉', 'a\r\nb', '--AaB03x', '%22', 'a"b\\c', ' spaced ']
    const form = new FormData()
    for (const [i, text] of texts.entries()) form.append(`text "${i}"`, text)
    const bytes = Buffer.from(Array.from({ length: 512 }, (_, i) => i % 256))
    form.append('file', new Blob([bytes], { type: 'image/png' }), 'a "ü" b.png')
    const written = new Response(form)
    const entries = read(Buffer.from(await written.arrayBuffer()), written.headers.get('content-type') ?? '')
    // Line ends of texts become CRLF on the way, as HTML has it.
    expect(entries.slice(0, -1)).toEqual(texts.map((text, i) => ({ name: `text "${i}"`, text })))
    const [last] = entries.slice(-1)
    expect(last).toEqual({
      name: 'file',
      file: { filename: 'a "ü" b.png', type: 'image/png', content: bytes },
    })
  })

  test.each<[string, string, object]>([
    ['a quoted boundary', bodyOf(field('a', 'b')), { name: 'a', text: 'b' }],
    ['a token as name', bodyOf('content-disposition: form-data; name=a\r\n\r\nb'), { name: 'a', text: 'b' }],
    [
      'escaped quotes',
      bodyOf('Content-Disposition: form-data; name="a\\"b"\r\n\r\nc'),
      { name: 'a"b', text: 'c' },
    ],
    [
      'an encoded file name',
      bodyOf(`Content-Disposition: form-data; name="a"; filename*=utf-8''%C3%BC.txt\r\n\r\nb`),
      { name: 'a', file: { filename: 'ü.txt', type: undefined, content: Buffer.from('b') } },
    ],
    [
      'an empty file name',
      bodyOf('Content-Disposition: form-data; name="a"; filename=""\r\n\r\n'),
      { name: 'a' },
    ],
    [
      'a line that begins like the boundary',
      bodyOf(field('a', '1\r\n--AaB03xyz\r\n2')),
      { text: '1\r\n--AaB03xyz\r\n2' },
    ],
    ['the encoding 8bit', bodyOf(`Content-Transfer-Encoding: 8bit\r\n${field('a', 'ü')}`), { text: 'ü' }],
    [
      'spaces after the boundary',
      bodyOf(field('a', 'b')).replace('--AaB03x\r\n', '--AaB03x  \r\n'),
      { text: 'b' },
    ],
  ])('reads %s', (what, body, expected) => {
    const type = what.includes('quoted boundary') ? 'multipart/form-data; boundary="AaB03x"' : multipart
    expect(read(body, type)).toEqual([expect.objectContaining(expected)])
  })

  test('reads a form without entries', () => {
    expect(read('--AaB03x--\r\n')).toEqual([])
  })

  test.each<[string, string | Buffer, string, string?]>([
    ['no body', '', 'must begin with the boundary'],
    [
      'another boundary',
      bodyOf(field('a', 'b')).replaceAll('AaB03x', 'other'),
      'must begin with the boundary',
    ],
    ['something before the first part', `x\r\n${bodyOf(field('a', 'b'))}`, 'must begin with the boundary'],
    ['something after the last part', `${bodyOf(field('a', 'b'))}x`, 'goes on after'],
    ['no header', '--AaB03x\r\n\r\nb\r\n--AaB03x--', 'without the empty line'],
    ['no disposition', bodyOf('Content-Type: text/plain\r\n\r\nb'), 'without Content-Disposition'],
    [
      'another disposition',
      bodyOf('Content-Disposition: attachment; name=a\r\n\r\nb'),
      'without Content-Disposition',
    ],
    ['no name', bodyOf('Content-Disposition: form-data\r\n\r\nb'), 'number 1, without a name'],
    ['an empty name', bodyOf(field('', 'b')), 'without a name'],
    ['a name with a control character', bodyOf(field('a%0D%0Ab', 'b')), 'control characters'],
    ['a long name', bodyOf(field('a'.repeat(1001), 'b')), 'names have 1 to 1000'],
    ['a name without its end', bodyOf('Content-Disposition: form-data; name="a\r\n\r\nb'), 'malformed'],
    ['a line without a colon', bodyOf(`x\r\n${field('a', 'b')}`), 'no colon'],
    ['a field twice', bodyOf(`Content-Disposition: form-data\r\n${field('a', 'b')}`), 'twice'],
    ['a long header', bodyOf(`X: ${'x'.repeat(20_000)}\r\n${field('a', 'b')}`), 'without the empty line'],
    [
      'base64',
      bodyOf(`Content-Transfer-Encoding: base64\r\n${field('a', 'Yg==')}`),
      'a: has the Content-Transfer-Encoding',
    ],
    [
      'a wrong file name',
      bodyOf(`Content-Disposition: form-data; name=a; filename*=utf-8''%ZZ\r\n\r\nb`),
      'filename*',
    ],
    [
      'a text that is not UTF-8',
      Buffer.from(bodyOf(field('a', '\xff')), 'latin1'),
      'a: must be a text in UTF-8',
    ],
    ['no boundary', bodyOf(field('a', 'b')), 'no boundary', 'multipart/form-data'],
    ['a long boundary', '', 'no boundary', `multipart/form-data; boundary=${'a'.repeat(71)}`],
  ])('refuses a form with %s', (_, body, message, type = multipart) => {
    expect(() => read(body, type)).toThrow(
      expect.objectContaining({
        code: 'validation_error',
        message: expect.stringContaining(message) as string,
      }),
    )
  })

  test('refuses every form that was cut off', () => {
    const whole = bodyOf(field('a', 'b'), 'Content-Disposition: form-data; name=c; filename=d\r\n\r\ne')
    const end = whole.indexOf('--AaB03x--') + '--AaB03x--'.length
    for (let length = 0; length < end; length++)
      expect(() => read(whole.slice(0, length)), `${length} bytes`).toThrow('body')
    expect(read(whole.slice(0, end))).toHaveLength(2)
  })

  test('takes a limited number of entries', () => {
    const most = Array.from({ length: maxFormEntries }, () => field('a', ''))
    expect(read(bodyOf(...most))).toHaveLength(maxFormEntries)
    expect(() => read(bodyOf(...most, field('a', '')))).toThrow(`at most ${maxFormEntries} entries`)
  })
})

describe('application/x-www-form-urlencoded', () => {
  test('reads names and values', () => {
    expect(read('a=1&a=2&b=%C3%BC+x&c=', urlencoded)).toEqual([
      { name: 'a', text: '1' },
      { name: 'a', text: '2' },
      { name: 'b', text: 'ü x' },
      { name: 'c', text: '' },
    ])
    expect(read('', urlencoded)).toEqual([])
  })

  test('refuses too many entries, and names that no form has', () => {
    const most = Array.from({ length: maxFormEntries }, () => 'a').join('&')
    expect(read(most, urlencoded)).toHaveLength(maxFormEntries)
    expect(() => read(`${most}&a`, urlencoded)).toThrow('entries')
    expect(() => read('=1', urlencoded)).toThrow('names have')
    expect(() => read('a%0Ab=1', urlencoded)).toThrow('names have')
    expect(() => read(Buffer.from([0x61, 0x3d, 0xff]), urlencoded)).toThrow('UTF-8')
  })
})

test('reads a form without files as one object', () => {
  const form = (body: string): unknown => readTextForm(FormBody.fromContentType(Buffer.from(body), multipart))
  expect(form(bodyOf(field('a', '1'), field('b', '2'), field('a', '3'), field('__proto__', '4')))).toEqual(
    Object.fromEntries([
      ['a', ['1', '3']],
      ['b', '2'],
      ['__proto__', '4'],
    ]),
  )
  expect(() => form(bodyOf('Content-Disposition: form-data; name=c; filename=d\r\n\r\ne'))).toThrow(
    'c: must be a text',
  )
})
