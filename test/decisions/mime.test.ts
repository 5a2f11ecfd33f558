import { describe, expect, it } from 'vitest'
import type { Mail } from '../../src/index.ts'
import { shared } from './helpers.ts'

const face = shared()

/** The mail that a message is read as. */
async function read(...lines: (string | Buffer)[]): Promise<Mail> {
  const bytes = lines.map((line) => Buffer.concat([Buffer.from(line as string), Buffer.from('\r\n')]))
  const { inbox } = face().post
  const { id } = await inbox.import(Buffer.concat([Buffer.from('From: a@b.test\r\n'), ...bytes]))
  return inbox.get(id)
}
const type = (value: string): string => `Content-Type: ${value}`
const part = (...lines: string[]): string => ['--b', ...lines].join('\r\n')
const files = (mail: Mail): string[] => mail.attachments.map(({ filename }) => filename)
const mixed = type('multipart/mixed; boundary=b')

describe('reading mail', () => {
  it('mime.body: the first text and the first HTML that are not files, and never a part next to a root', async () => {
    const mail = await read(
      mixed,
      '',
      part(type('text/plain; name=log.txt'), '', 'log'),
      part(type('text/plain'), '', 'Hello'),
      part(type('text/html'), 'Content-Disposition: attachment', '', '<p>file'),
      part(
        type('multipart/related; boundary=c'),
        '',
        '--c',
        type('text/html'),
        '',
        '<p>Hello',
        '--c',
        type('text/html'),
        '',
        '<p>beside',
        '--c--',
      ),
      part(type('text/plain'), '', 'Footer'),
      '--b--',
    )
    expect([mail.text, mail.html, mail.attachments.length]).toEqual(['Hello', '<p>Hello', 4])
    const single = await read(type('text/plain; name=a.txt'), '', 'Hello')
    expect([single.text.trim(), files(single)]).toEqual(['Hello', []])
  })

  it.each([
    ['attachment', 1],
    ['x-odd', 1],
    ['inline', 0],
  ])('mime.disposition: a text with the disposition %s makes %i attachments', async (disposition, count) => {
    const text = part(type('text/html'), `Content-Disposition: ${disposition}`, '', '<p>')
    const mail = await read(mixed, '', part('', 'Hello'), text, '--b--')
    expect([mail.text, mail.attachments.length, mail.html]).toEqual([
      'Hello',
      count,
      count === 0 ? '<p>' : '',
    ])
  })

  it('mime.encoding: an unknown one leaves the type and the bytes unchanged, and is a problem', async () => {
    const mail = await read(type('text/html'), 'Content-Transfer-Encoding: x-odd', '', '<p>=41</p>')
    expect(mail.html.trim()).toBe('<p>=41</p>')
    expect(mail.problem).toContain('"x-odd" is unknown')
  })

  it('mime.content-type: the first of two counts, and an invalid one is text/plain', async () => {
    const two = await read(type('text/html'), type('text/plain'), '', '<p>')
    expect([two.html.trim(), two.text]).toEqual(['<p>', expect.any(String)])
    expect(two.html).not.toBe('')
    const none = await read(type('html'), '', '<p>')
    expect([none.text.trim(), none.html, files(none)]).toEqual(['<p>', '', []])
  })

  it.each([
    ['text/plain', Buffer.from('é'), 'é'],
    ['text/plain', Buffer.from('é', 'latin1'), 'é'],
    ['text/plain; charset=us-ascii', Buffer.from('é'), 'é'],
    ['text/plain; charset=x-none', Buffer.from('é', 'latin1'), 'é'],
    ['text/plain; charset=iso-8859-1', Buffer.from([0x80]), '€'],
    [
      'text/html',
      Buffer.from([...Buffer.from('<meta charset=iso-8859-2>'), 0xb1]),
      '<meta charset=iso-8859-2>ą',
    ],
    [
      'text/html; charset=x-none',
      Buffer.from([...Buffer.from(`${' '.repeat(1024)}<meta charset=iso-8859-2>`), 0xb1]),
      '±',
    ],
  ])(
    'mime.charset: %s with %o is read as UTF-8, by its meta, or as windows-1252',
    async (of, bytes, text) => {
      const mail = await read(type(of), 'Content-Transfer-Encoding: 8bit', '', bytes)
      expect((of.startsWith('text/html') ? mail.html : mail.text).trim().endsWith(text)).toBe(true)
    },
  )

  it.each([
    ['has no boundary', [type('multipart/mixed')], ['Hello']],
    ['has a boundary of 201 characters', [type(`multipart/mixed; boundary=${'b'.repeat(201)}`)], ['Hello']],
    ['has a boundary that is not in its body', [mixed], ['Hello']],
    [
      'is 101 levels deep',
      [type('multipart/mixed; boundary=b0')],
      [
        ...Array.from({ length: 101 }, (_, i) => [
          `--b${i}`,
          type(`multipart/mixed; boundary=b${i + 1}`),
          '',
        ]),
        '--b101',
        '',
        'Hello',
      ].flat(),
    ],
  ])('mime.multipart: one that %s is shown as text, with a problem', async (_, fields, body) => {
    const mail = await read(...fields, '', ...body)
    expect(mail.text).toContain('Hello')
    expect(mail.problem).not.toBeNull()
  })

  it('mime.inner-boundary: a nested multipart without its closing boundary ends at the outer boundary, which may have white space behind it', async () => {
    const inner = part(
      type('multipart/alternative; boundary=c'),
      '',
      '--c',
      '',
      'Hello',
      '--c',
      type('text/html'),
      '',
      '<p>',
    )
    for (const space of ['', ' \t']) {
      const file = [`--b${space}`, type('text/csv; name=a.csv'), '', '1,2', `--b--${space}`].join('\r\n')
      const mail = await read(mixed, '', inner, file)
      expect([mail.text, mail.html, files(mail), mail.problem]).toEqual(['Hello', '<p>', ['a.csv'], null])
    }
    const last = await read(mixed, '', inner)
    expect([last.text, last.html.trim(), files(last)]).toEqual(['Hello', '<p>', []])
  })

  it('mime.digest: its parts are messages unless they have another type, and those of a multipart in it are text', async () => {
    const message = ['Subject: one', '', 'One'].join('\r\n')
    const mail = await read(
      type('multipart/digest; boundary=b'),
      '',
      part('', message),
      part(type('text/plain'), '', 'Hello'),
      part(
        type('multipart/mixed; boundary=c'),
        '',
        '--c',
        type('text/plain'),
        '',
        'a',
        '--c',
        '',
        'b',
        '--c--',
      ),
      '--b--',
    )
    expect(mail.text).toBe('Hello')
    expect(mail.attachments.map(({ content_type }) => content_type)).toEqual([
      'message/rfc822',
      'text/plain',
      'text/plain',
    ])
  })

  it('mime.raw-octets: each word and parameter is read for itself where a line is not UTF-8', async () => {
    const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1')
    const subjectOf = async (...pieces: (string | Buffer)[]): Promise<string> => {
      const bytes = pieces.map((piece) => (Buffer.isBuffer(piece) ? piece : Buffer.from(piece)))
      return (await read(Buffer.concat([Buffer.from('Subject: '), ...bytes]), '', 'Hello')).subject
    }
    expect(await subjectOf('Grüße')).toBe('Grüße')
    expect(await subjectOf(latin1('Grüße'))).toBe('Grüße')
    expect(await subjectOf('=?utf-8?Q?café?= ', latin1('für'))).toBe('café für')
    expect(await subjectOf('é =?koi8-r?Q?', latin1('\xd0\xd2'), '?=')).toBe('é пр')
    const name = Buffer.concat([
      Buffer.from('Content-Disposition: attachment; x="é"; filename="'),
      latin1('Bär.pdf'),
      Buffer.from('"'),
    ])
    const mail = await read(type('application/pdf'), name, '', 'x')
    expect(files(mail)).toEqual(['Bär.pdf'])
  })

  it.each(['=?utf-8?Q?a=ZZ?=', '=?utf-8?B?!!?=', '=?x-none?Q?a?=', '=?utf-8?X?a?='])(
    'mime.encoded-words: %s is shown as written, and a word next to it is decoded',
    async (word) => {
      const { subject } = await read(`Subject: ${word} =?utf-8?Q?=C3=BC?=`, '', 'Hello')
      expect(subject).toBe(`${word} ü`)
    },
  )

  it('mime.structured-fields: encoded words in them stay as written, and no client can unsubscribe by them', async () => {
    const word = '=?utf-8?q?=3Chttps=3A//acme=2Etest/u=3E?='
    const post = 'List-Unsubscribe-Post: List-Unsubscribe=One-Click'
    const mail = await read(
      `List-Unsubscribe: ${word}`,
      post,
      'To: Ada <=?utf-8?q?ada?=@x.test>',
      '',
      'Hello',
    )
    expect(mail.list_unsubscribe).toBeNull()
    expect(mail.headers.find(([name]) => name === 'List-Unsubscribe')?.[1]).toBe(word)
    expect(mail.to).toEqual(['=?utf-8?q?ada?=@x.test'])
    const { findings } = await face().post.inbox.check(mail.id)
    const named = findings.filter(({ id }) => id === 'encoded-words').map(({ place }) => place?.header)
    expect(named).toEqual(['List-Unsubscribe', 'To'])
  })

  it('mime.inline-images: they are embedded as data, 20 MB in all, and other references stay', async () => {
    const png = Buffer.alloc(9_000_000, 1).toString('base64').replace(/.{76}/g, '$&\r\n')
    const image = part(type('image/png'), 'Content-ID: <one>', 'Content-Transfer-Encoding: base64', '', png)
    const html = part(
      type('text/html'),
      '',
      '<img src="cid:one"><img src="cid:one"><img src="cid:one"><img src="cid:two">',
    )
    const mail = await read(type('multipart/related; boundary=b'), '', html, image, '--b--')
    const shown = await face().post.inbox.html(mail.id)
    const sources = [...shown.matchAll(/src="([^"]{7})/g)].map(([, source]) => source)
    expect(sources).toEqual(['data:im', 'data:im', 'cid:one', 'cid:two'])
  })
})
