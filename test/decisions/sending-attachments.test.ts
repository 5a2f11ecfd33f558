import { mkdir, mkdtemp, open as openFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { attached, open, shared } from './helpers.ts'
import { serve } from './servers.ts'

const face = shared({ attachments: { timeoutMs: 2000 } })
const text = { filename: 'a.txt', path: 'data:text/plain,hello' }
const wrong = { status: 422, name: 'invalid_attachment' }

/** A folder for `attachments.root`, with a file in it, a secret next to it, and links between them. */
async function root(): Promise<{ root: string; secret: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'localpost-decisions-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const inside = join(folder, 'root')
  await mkdir(join(inside, 'deep'), { recursive: true })
  await writeFile(join(inside, 'deep', 'a.txt'), 'from a file')
  await writeFile(join(folder, 'secret.txt'), 'secret')
  await symlink(join(folder, 'secret.txt'), join(inside, 'link.txt'))
  await symlink(join(inside, 'deep', 'a.txt'), join(inside, 'inner.txt'))
  return { root: inside, secret: join(folder, 'secret.txt') }
}

describe('where an attachment comes from', () => {
  it('sending.attachment-path: an http URL, and data: URIs in every form', async () => {
    const url = await serve((_, response) => response.end('from a server'))
    expect(await attached(face(), `${url}/a.txt`)).toBe('from a server')
    expect(await attached(face(), url.replace('127.0.0.1', 'localhost').replace('http:', 'HTTP:'))).toBe(
      'from a server',
    )
    expect(await attached(face(), 'data:text/plain;base64,aGVsbG8=')).toBe('hello')
    expect(await attached(face(), 'data:,a%20b')).toBe('a b')
    expect(await attached(face(), 'DATA:text/plain,hello')).toBe('hello')
  })

  it('sending.attachment-path: a file under `attachments.root`, after its links are followed', async () => {
    const { root: folder, secret } = await root()
    const rooted = await open({ attachments: { root: folder } })
    for (const path of ['deep/a.txt', './deep/../deep/a.txt', join(folder, 'deep/a.txt'), 'inner.txt']) {
      expect(await attached(rooted, path), path).toBe('from a file')
    }
    for (const path of [
      'link.txt',
      '../secret.txt',
      secret,
      'deep',
      '.',
      'no.txt',
      'deep/../../secret.txt',
      'a\0b',
    ]) {
      expect(await rooted.refusal({ attachments: [{ ...text, path }] }), path).toMatchObject(wrong)
    }
  })

  it.each([
    'deep/a.txt',
    '/etc/hostname',
    'file:///etc/hostname',
    'ftp://127.0.0.1/a',
    'cid:a',
    'javascript:1',
    'http://',
    'http://a b/',
    'http://a\r\n.test/',
    'data:text/plain',
    'data:text/plain;base64,!',
    'http://ada:secret@127.0.0.1/a',
    'https://ada@127.0.0.1/a',
    'http://:secret@127.0.0.1/a',
  ])('sending.attachment-path: without a root, %s is 422 invalid_attachment', async (path) => {
    const answer = await face().refusal({ attachments: [text, { ...text, path }] })
    expect(answer).toMatchObject({ ...wrong, fields: ['attachments[1].path'] })
    expect(answer.message).not.toContain('secret')
  })

  it.each(['a/b.txt', '../a.txt', 'a\\b.txt', '/', 'a\tb', 'a\0b', 'a\x1fb', 'a\x7fb', 'a\u0085b', 'a\x9fb'])(
    'sending.attachment-filename: %j has a separator or a control character',
    async (filename) => {
      const answer = await face().refusal({ attachments: [{ ...text, filename }] })
      expect(answer).toMatchObject({ ...wrong, fields: ['attachments[0].filename'] })
    },
  )

  it('sending.attachment-filename: every other name arrives unchanged', async () => {
    for (const filename of [
      'Größe 1.pdf',
      'a; "b".txt',
      '…',
      'x'.repeat(200),
      '.hidden',
      'a:b',
      '日本.txt',
    ]) {
      const id = await face().send({ attachments: [{ ...text, filename }] })
      await face().settled(id)
      expect((await face().mail(id)).attachments).toMatchObject([{ filename }])
    }
  })
})

describe('size', () => {
  const data = (bytes: number): string => `data:;base64,${'A'.repeat((bytes / 3) * 4)}`

  it('sending.attachment-size: over 40 MB after encoding is 413 at once, where sizes are known', async () => {
    const { root: folder } = await root()
    const rooted = await open({ attachments: { root: folder } })
    for (const [name, size] of [
      ['large', 29_300_000],
      ['half', 15_000_000],
    ] as const) {
      const file = await openFile(join(folder, name), 'w')
      await file.truncate(size)
      await file.close()
    }
    const tooLarge = { status: 413, name: 'message_too_large' }
    const [large, half] = ['large', 'half'].map((path) => ({ ...text, path }))
    expect(await rooted.refusal({ attachments: [large] })).toMatchObject(tooLarge)
    expect(await rooted.refusal({ attachments: [half, half] })).toMatchObject(tooLarge)
    expect(await rooted.refusal({ attachments: [half, { ...text, path: data(15_000_000) }] })).toMatchObject(
      tooLarge,
    )
    expect(await rooted.refusal({ text: 'x'.repeat(20_000_000), attachments: [half] })).toMatchObject(
      tooLarge,
    )
    expect(await rooted.refusal({ text: 'x'.repeat(40_000_001) })).toMatchObject(tooLarge)
    const id = await rooted.send({ attachments: [half] })
    expect((await rooted.settled(id)).last_event.status).toBe('delivered')
  })

  it.each([
    ['announced', { 'content-length': '29300000' }],
    ['only seen while it is read', {}],
  ])('sending.attachment-size: the size of a URL is checked while it is read: %s', async (_, headers) => {
    let written = 0
    const url = await serve((_request, response) => {
      response.writeHead(200, headers)
      const piece = Buffer.alloc(1_000_000)
      const write = (): void => {
        while (written < 200 && !response.destroyed && response.write(piece)) written++
      }
      response.on('drain', write)
      write()
    })
    expect(await attached(face(), url)).toMatch(/^failed: .*larger than/)
    expect(written).toBeLessThan(60)
  })
})
