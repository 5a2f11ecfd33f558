import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { loadAttachment, type AttachmentSources } from '../../src/attachments/attachments.ts'
import { parseDataUri } from '../../src/attachments/data-uri.ts'
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

describe('the content type of an attachment', () => {
  test.each<[filename: string, path: string, given: string | undefined, expected: string | null]>([
    ['report.pdf', 'data:,x', undefined, 'application/pdf'],
    ['report.PDF', 'data:;base64,eA==', undefined, 'application/pdf'],
    ['photo.png', 'data:application/octet-stream;base64,eA==', undefined, 'image/png'],
    ['data.json', 'data:text/html,{}', undefined, 'application/json'],
    ['report.pdf', 'data:image/png,x', 'application/x-own', 'application/x-own'],
    ['photo', 'data:image/png;base64,eA==', undefined, 'image/png'],
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
    ['notes.txt', `data:,${encodeURIComponent(utf8)}`, 'text/plain', 'text/plain'],
  ])('%s from %s, given %s, is %s', async (filename, path, given, expected) => {
    expect(await typeOf(filename, path, given)).toBe(expected)
  })

  test('of a file is that of its name', async () => {
    const root = temporaryFolder()
    writeFileSync(join(root, 'a.bin'), utf8)
    writeFileSync(join(root, 'b.bin'), latin1)
    expect(await typeOf('a.html', 'a.bin', undefined, root)).toBe('text/html; charset=utf-8')
    expect(await typeOf('b.html', 'b.bin', undefined, root)).toBe('text/html')
    expect(await typeOf('b', 'b.bin', undefined, root)).toBe(null)
  })

  test('of a URL is that of the name, with what the server says of the charset', async () => {
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

  test('of 40 MB is decoded at once', () => {
    const uri = `data:application/octet-stream,${'%FF'.repeat(13_000_000)}`
    expect(contentOf(uri).length).toBe(26_000_000)
  })
})
