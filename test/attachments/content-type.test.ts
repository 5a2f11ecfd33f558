import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { FieldError } from '../../src/core/errors.ts'
import {
  checkAttachments,
  loadAttachment,
  type AttachmentSources,
} from '../../src/attachments/attachments.ts'
import { parseDataUri } from '../../src/attachments/data-uri.ts'
import { attachmentReferenceSchema } from '../../src/attachments/schema.ts'
import { checkInput } from '../../src/core/validate.ts'
import { createOutgoing } from '../../src/net/outgoing.ts'
import { temporaryFolder } from '../support/folder.ts'

const utf8 = 'Grüße'
const latin1 = Buffer.from('Gr\xfc\xdfe', 'latin1')
const sources = (root: string | null = null): AttachmentSources => ({
  root,
  problemOf: createOutgoing([]).strictProblemOf,
  timeoutMs: 5000,
})
const typeOf = async (
  filename: string,
  path: string,
  content_type?: string,
  root?: string,
): Promise<string | null> =>
  (await loadAttachment({ filename, path, ...(content_type ? { content_type } : {}) }, sources(root), 1e6))
    .content_type

test('a content type of more than 1000 characters is refused', () => {
  const reference = { filename: 'a', path: 'data:,x', content_type: `a/b${';c=d'.repeat(249)}` }
  expect(checkInput(attachmentReferenceSchema, reference)).toEqual({ value: reference })
  const longer = { ...reference, content_type: `${reference.content_type};ef=g` }
  expect(checkInput(attachmentReferenceSchema, longer)).toMatchObject({ errors: [{ field: 'content_type' }] })
})

describe('the content type of an attachment', () => {
  test.each<[filename: string, path: string, given: string | undefined, expected: string | null]>([
    ['report.pdf', 'data:,x', undefined, 'application/pdf'],
    ['report.PDF', 'data:;base64,eA==', undefined, 'application/pdf'],
    ['photo.png', 'data:application/octet-stream;base64,eA==', undefined, 'image/png'],
    ['data.json', 'data:text/html,{}', undefined, 'application/json'],
    ['report.pdf', 'data:image/png,x', 'application/x-own', 'application/x-own'],
    ['photo', 'data:image/png;base64,eA==', undefined, 'image/png'],
    ['photo', 'data:multipart/mixed;base64,eA==', undefined, null],
    ['photo.png', 'data:Multipart/Related,x', undefined, 'image/png'],
    ['a.unknown-extension', 'data:image/png;base64,eA==', undefined, 'image/png'],
    ['notes', 'data:,x', undefined, 'text/plain;charset=US-ASCII'],
    ['notes', `data:,${utf8}`, undefined, 'text/plain; charset=utf-8'],
    ['notes', `data:,${encodeURIComponent(utf8)}`, undefined, 'text/plain; charset=utf-8'],
    ['notes.txt', `data:,${encodeURIComponent(utf8)}`, undefined, 'text/plain; charset=utf-8'],
    [
      'notes.txt',
      `data:;base64,${Buffer.from(utf8).toString('base64')}`,
      undefined,
      'text/plain; charset=utf-8',
    ],
    ['notes.csv', `data:,${encodeURIComponent(utf8)}`, undefined, 'text/csv; charset=utf-8'],
    ['notes.txt', 'data:text/plain;charset=iso-8859-1,Gr%FC%DFe', undefined, 'text/plain;charset=iso-8859-1'],
    ['notes.txt', 'data:;charset=iso-8859-1,Gr%FC%DFe', undefined, 'text/plain;charset=iso-8859-1'],
    ['notes', 'data:,Gr%FC%DFe', undefined, 'application/octet-stream'],
    ['notes.txt', 'data:,plain', undefined, 'text/plain;charset=US-ASCII'],
    ['photo', `data:image/png${';a=b'.repeat(3_000_000)},x`, undefined, null],
    ['photo.png', `data:image/png${';a=b'.repeat(3_000_000)},x`, undefined, 'image/png'],
    ['notes.txt', `data:,${encodeURIComponent(utf8)}`, 'text/plain', 'text/plain'],
  ])('%s from %s, given %s, is %s', async (filename, path, given, expected) => {
    expect(await typeOf(filename, path, given)).toBe(expected)
  })

  test('of a file follows its name', async () => {
    const root = temporaryFolder()
    writeFileSync(join(root, 'a.bin'), utf8)
    writeFileSync(join(root, 'b.bin'), latin1)
    expect(await typeOf('a.html', 'a.bin', undefined, root)).toBe('text/html; charset=utf-8')
    expect(await typeOf('b.html', 'b.bin', undefined, root)).toBe('text/html')
    expect(await typeOf('b', 'b.bin', undefined, root)).toBe(null)
  })

  test('of a URL follows the name, with the charset from the server', async () => {
    const server = createServer((request, response) => {
      response.setHeader('content-type', decodeURIComponent(request.url?.slice(1) ?? ''))
      response.end('x')
    }).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await new Promise((resolve) => server.once('listening', resolve))
    const url = (type: string): string =>
      `http://127.0.0.1:${(server.address() as AddressInfo).port}/${encodeURIComponent(type)}`
    expect(await typeOf('a.pdf', url('text/html'))).toBe('application/pdf')
    expect(await typeOf('a.txt', url('text/plain; charset=utf-16'))).toBe('text/plain; charset=utf-16')
    expect(await typeOf('a', url('image/gif'))).toBe('image/gif')
  })
})

describe('a data: URI', () => {
  const contentOf = (uri: string): string => {
    const parsed = parseDataUri(uri)
    return 'content' in parsed ? parsed.content.toString('hex') : parsed.problem
  }

  test('may have any octet, percent-encoded', () => {
    const all = Buffer.from(Array.from({ length: 256 }, (_, i) => i))
    const encoded = [...all].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
    expect(contentOf(`data:application/octet-stream,${encoded}`)).toBe(all.toString('hex'))
    expect(contentOf(`data:,a%2Fb%2fü`)).toBe(Buffer.from('a/b/ü').toString('hex'))
    expect(contentOf(`data:;base64,${encodeURIComponent(all.toString('base64'))}`)).toBe(all.toString('hex'))
  })

  test.each(['data:,100%', 'data:,%zz', 'data:,%f', 'data:,%', 'data:,%%41'])(
    'is refused for its percent sign: %s',
    (uri) => {
      expect(contentOf(uri)).toMatch(/percent encoding/)
    },
  )

  test.each([
    ['AA== with white space', ` A A\t=\r\n=${' '.repeat(50_000)}`, '00'],
    ['unpadded', 'AAA', '0000'],
    ['of the alphabet for URLs', '-_-_', 'fbffbf'],
    ['nothing', '', ''],
    ['padding within', `AA==${'A'.repeat(50_000)}`, null],
    ['one character too much', 'A'.repeat(50_001), null],
    ['three paddings', 'A===', null],
    ['another character', `${'A'.repeat(20_000)}!${'A'.repeat(20_000)}`, null],
  ])('has base64: %s', (_, text, expected) => {
    const content = contentOf(`data:;base64,${text}`)
    if (expected === null) expect(content).toMatch(/base64 cannot be read/)
    else expect(content).toBe(expected)
  })

  test('has the characters of its text wherever its slices are', () => {
    for (const start of ['', 'x', 'xy']) {
      const text = start + 'ü😀'.repeat(20_000) + '\ud800'
      expect(contentOf(`data:,${text}`)).toBe(Buffer.from(text).toString('hex'))
    }
  })

  test('has the same base64 wherever its slices and line breaks are', () => {
    const bytes = Buffer.from(Array.from({ length: 50_000 }, (_, i) => (i * 31) % 256))
    for (const width of [76, 77, 78, 79, 16_384]) {
      const text = bytes.toString('base64').replace(new RegExp(`.{${width}}`, 'g'), '$&\r\n')
      expect(contentOf(`data:;base64,${text}`)).toBe(bytes.toString('hex'))
    }
  })

  const dense = '%FF'.repeat(13_300_000)
  test.each([
    ['percent-encoded', `data:application/octet-stream,${dense}`, 13_300_000],
    ['not encoded', `data:,${'x'.repeat(20_000_000)}%41${'x'.repeat(20_000_000)}`, 40_000_001],
    ['in base64', `data:;base64,${'QUJD'.repeat(10_000_000)}`, 30_000_000],
    ['in base64 with line breaks', `data:;base64,${`${'QUJD'.repeat(19)}\r\n`.repeat(500_000)}`, 28_500_000],
  ])('of 40 MB, %s, is decoded', { timeout: 30_000 }, (_, uri, length) => {
    // As JSON.parse returns it: in one piece.
    const whole = Buffer.from(uri).toString()
    const parsed = parseDataUri(whole)
    expect('content' in parsed && parsed.content.length).toBe(length)
  })
})

test.each(['multipart/mixed', 'Multipart/Related; boundary=x', 'MULTIPART/x-own'])(
  'a send that gives %s as the type of an attachment is refused',
  async (content_type) => {
    const errors: FieldError[] = []
    await checkAttachments([{ filename: 'a.bin', path: 'data:,x', content_type }], sources(), errors)
    expect(errors).toEqual([
      {
        field: 'attachments[0].content_type',
        message: expect.stringContaining('must not be a multipart type') as string,
      },
    ])
  },
)
