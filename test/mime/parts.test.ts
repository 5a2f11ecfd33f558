import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createLocalpost } from '../../src/instance/create.ts'
import type { Localpost } from '../../src/instance/instance.ts'
import { readPart } from '../../src/mime/part-stream.ts'
import { parseMessage } from '../../src/mime/parse.ts'
import type { PlacedPart } from '../../src/mime/part.ts'
import { readStructure } from '../../src/mime/structure.ts'
import { submit } from '../support/submit.ts'

const listParts = (message: Buffer): PlacedPart[] => readStructure(message).parts

const read = async (message: Buffer, index: number): Promise<Buffer> => {
  const part = listParts(message)[index]
  if (!part) throw new Error(`no part ${index}`)
  return readPart(message, part)
}

describe('the parts of a message', () => {
  const folder = new URL('../fixtures/', import.meta.url)
  const files = readdirSync(folder).filter((name) => name.endsWith('.eml') && !/no-headers|broken/.test(name))

  it.each(files)('have the bytes and names of its attachments: %s', async (name) => {
    const message = readFileSync(new URL(name, folder))
    const parts = listParts(message)
    const contents = await Promise.all(parts.map(({ index }) => read(message, index)))
    for (const { sha256, size_bytes, part } of parseMessage(message).attachments) {
      const content = contents[part.index] ?? Buffer.alloc(0)
      expect(parts).toContainEqual(part)
      expect([size_bytes, sha256]).toEqual([
        content.length,
        createHash('sha256').update(content).digest('hex'),
      ])
    }
  })

  it.each(['base64', 'quoted-printable'] as const)(
    'are complete across many slices: %s',
    async (encoding) => {
      const content = randomBytes(400_000)
      const encoded =
        encoding === 'base64'
          ? content.toString('base64').replace(/.{76}/g, '$&\r\n')
          : [...content]
              .map(
                (byte, i) =>
                  `=${byte.toString(16).padStart(2, '0').toUpperCase()}${i % 24 === 23 ? '=\r\n' : ''}`,
              )
              .join('')
      const message = Buffer.from(`Content-Transfer-Encoding: ${encoding}\r\n\r\n${encoded}`)
      expect((await read(message, 0)).equals(content)).toBe(true)
    },
  )

  it('end with the message where the last boundary is missing, and are limited in number', () => {
    const head = 'Content-Type: multipart/mixed; boundary=b\r\n\r\n'
    expect(listParts(Buffer.from(`${head}--b\r\n\r\none\r\n--bb\r\n--b\r\n\r\ntwo`))).toMatchObject([
      { index: 0, content_type: 'text/plain' },
      { index: 1, content_type: 'text/plain' },
    ])
    expect(listParts(Buffer.from(head + '--b\r\n\r\nx\r\n'.repeat(5000))).length).toBeLessThanOrEqual(1000)
    // A thousand multiparts whose boundary never occurs, before a lot of unrelated text.
    const lost = '--b\r\nContent-Type: multipart/mixed; boundary=gone\r\n\r\nx\r\n'.repeat(900)
    const parts = listParts(Buffer.from(`${head}${lost}--b\r\n\r\n${'y'.repeat(20_000_000)}`))
    expect(parts).toHaveLength(901)
    const nested = `${head}--b\r\n`.repeat(5000)
    expect(listParts(Buffer.from(nested)).length).toBeLessThanOrEqual(1000)
  })
})

describe('the name of a part', () => {
  const wanted: [disposition: string, filename: string][] = [
    [`filename="EURO.txt"; filename*=UTF-8''%E2%82%AC.txt`, '€.txt'],
    [`filename*=iso-8859-1'en'%A3%20rates.txt`, '£ rates.txt'],
    [`filename*=shift_jis''%93%FA%96%7B.txt`, '日本.txt'],
    [`filename*1=b.txt; filename*0=a`, 'ab.txt'],
    [`filename*0*=UTF-8''%E2%82; filename*1*=%AC%20r; filename*2=ates.txt`, '€ rates.txt'],
    [`filename="=?utf-8?B?w7xi?=\r\n =?utf-8?B?ZXIudHh0?="`, 'über.txt'],
    [`filename=my file.txt`, 'my file.txt'],
    [`filename*=UTF-8''..%2F..%2Fa%0D%0Ab%E2%80%AE.txt`, 'ab.txt'],
  ]

  it.each(wanted)('is that of the attachment: %s', async (disposition, filename) => {
    const head = `Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n`
    const message = Buffer.from(
      `${head}Content-Type: application/pdf\r\nContent-Disposition: attachment; ${disposition}\r\n\r\nx\r\n--b--`,
    )
    expect(listParts(message)[0]?.filename).toBe(filename)
    expect(parseMessage(message).attachments[0]?.filename).toBe(filename)
  })
})

describe('a part over HTTP', () => {
  let post: Localpost
  let id = ''
  beforeAll(async () => {
    post = await createLocalpost()
    id = await submit(post, {
      subject: 'Parts',
      text: 'Grüße',
      html: '<script>alert(1)</script>',
      attachments: [
        { filename: 'a/b"ü.svg', content: '<svg onload="x"/>', contentType: 'image/svg+xml' },
        { filename: 'p.png', content: Buffer.from([1, 2, 3]), contentType: 'image/png' },
      ],
    })
  })
  afterAll(() => post.close())
  const get = (index: number | string) =>
    post.fetch(new Request(`http://localpost/dev/inbox/${id}/parts/${index}`))

  it('is shown as text or as a picture; every other type is downloaded, and no script runs', async () => {
    const answers = await Promise.all([0, 1, 2, 3].map(get))
    expect(answers.map(({ headers }) => headers.get('content-type'))).toEqual([
      'text/plain; charset=utf-8',
      'text/html',
      'image/svg+xml',
      'image/png',
    ])
    expect(answers.map(({ headers }) => headers.get('content-disposition')?.split(';')[0])).toEqual([
      'inline',
      'attachment',
      'attachment',
      'inline',
    ])
    for (const { headers } of answers) {
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('content-security-policy')).toBe("sandbox; default-src 'none'")
    }
    expect(await answers[0]?.text()).toBe('Grüße')
    expect([...new Uint8Array((await answers[3]?.arrayBuffer()) ?? [])]).toEqual([1, 2, 3])
  })

  it('is not found where there is none', async () => {
    for (const index of [4, -1, 'x', '0x1']) expect((await get(index)).status).toBe(404)
    await expect(post.inbox.part(id, 1.5)).rejects.toMatchObject({ code: 'not_found' })
  })
})
