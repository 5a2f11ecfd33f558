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
  it('mime.body: texts without a name, else the first one; the first alternatives, and the root of related parts', async () => {
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
        type('image/png'),
        '',
        'png',
        '--c',
        type('text/html; name=a.html'),
        '',
        '<p>Hello',
        '--c',
        type('text/html'),
        '',
        '<p>beside',
        '--c--',
      ),
      '--b--',
    )
    expect([mail.text, mail.html, mail.attachments.length]).toEqual(['Hello', '<p>Hello', 4])
    const single = await read(type('text/plain; name=a.txt'), '', 'Hello')
    expect([single.text.trim(), files(single)]).toEqual(['Hello', []])
    const named = ['a', 'b'].map((name) => part(type(`text/plain; name=${name}.txt`), '', name))
    const first = await read(mixed, '', ...named, '--b--')
    expect([first.text, files(first)]).toEqual(['a', ['b.txt']])
    const versions = ['a', 'b'].map((name) => part(type(`text/html; name=${name}.html`), '', name))
    const alternative = await read(type('multipart/alternative; boundary=b'), '', ...versions, '--b--')
    expect([alternative.html, files(alternative)]).toEqual(['a', ['b.html']])
  })

  it('mime.joined-bodies: they are joined, a text after HTML is in the HTML, and codes and links of all are found', async () => {
    const text = (says: string): string => part(type('text/plain'), '', says)
    const html = (says: string): string => part(type('text/html'), '', says)
    const image = part(type('image/png'), '', 'png')
    const texts = await read(
      mixed,
      '',
      text('Scanned: https://scan.test/1'),
      image,
      text('Your code is 402913'),
      '--b--',
    )
    expect(texts.text).toBe('Scanned: https://scan.test/1\nYour code is 402913')
    expect([texts.links.map(({ href }) => href), texts.codes]).toEqual([['https://scan.test/1'], ['402913']])
    expect([texts.snippet, texts.attachments.length]).toEqual([
      'Scanned: https://scan.test/1 Your code is 402913',
      1,
    ])
    const both = await read(
      mixed,
      '',
      text('Hello'),
      html('<p>Hello <a href="https://acme.test/1">1</a>'),
      html('<p>Your code is 771250 <a href="https://acme.test/2">2</a>'),
      text('<bye>'),
      '--b--',
    )
    expect(both.text).toBe('Hello\n<bye>')
    expect(both.html.split('\n').map((line) => line.slice(0, 12))).toEqual([
      '<p>Hello <a ',
      '<p>Your code',
      '<p>&lt;bye&g',
    ])
    expect(both.links.map(({ href }) => href)).toEqual(['https://acme.test/1', 'https://acme.test/2'])
    expect([both.codes, both.attachments]).toEqual([['771250'], []])
    const page = await face().post.inbox.html(both.id)
    expect(page).toContain('&lt;bye&gt;')
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

  it('mime.header-lines: a line that is not a field is skipped if a field follows, else it is text', async () => {
    const file = part(
      type('application/pdf; name=a.pdf'),
      'unless',
      'Content-Transfer-Encoding: base64',
      '',
      'AAAA',
    )
    const mail = await read(
      mixed,
      'garbage',
      'X-A: b',
      '',
      part(type('text/plain'), 'Hello', '', 'Bye'),
      file,
      '--b--',
    )
    expect([mail.text, mail.attachments[0]?.size_bytes]).toEqual(['Hello\n\nBye', 3])
    expect(mail.problem).toMatch(/message has .*"garbage".*part has .*"unless"/)
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
    ['text/plain; charset=us-ascii', Buffer.from('\x1b$BF|K\\\x1b(B'), '日本'],
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
    ['text/plain; charset=utf-8', '8bit', Buffer.from('M\xfcnchen', 'latin1'), '1 octet', 'M\ufffdnchen'],
    ['text/html; charset=utf-8', 'quoted-printable', Buffer.from('M=FCnchen'), '1 octet', 'M\ufffdnchen'],
    ['text/plain; charset=iso-8859-1', '8bit', Buffer.from('Grüße'), '4 octets .* UTF-8', 'GrÃ¼ÃŸe'],
    ['text/plain; charset=x-none', '8bit', Buffer.from('é'), 'unknown', 'é'],
    ['text/plain', 'base64', Buffer.from('SGV!sbG8='), '1 octet', 'Hello'],
  ])(
    'mime.misfits: %s in %s with %o is shown, and is a problem that the check reports',
    async (of, encoding, bytes, said, shown) => {
      const mail = await read(type(of), `Content-Transfer-Encoding: ${encoding}`, '', bytes)
      expect((mail.text + mail.html).trim()).toBe(shown)
      expect(mail.problem).toMatch(new RegExp(said))
      const { findings } = await face().post.inbox.check(mail.id)
      expect(findings).toContainEqual(expect.objectContaining({ id: 'message', message: mail.problem }))
    },
  )

  it('mime.misfits: white space in base64, missing padding, and octets beyond ASCII in 7bit are none', async () => {
    const base64 = await read(type('text/plain'), 'Content-Transfer-Encoding: base64', '', ' SGVs bG8')
    expect([base64.text, base64.problem]).toEqual(['Hello', null])
    for (const encoding of ['7bit', 'quoted-printable']) {
      const mail = await read(
        type('text/plain; charset=utf-8'),
        `Content-Transfer-Encoding: ${encoding}`,
        '',
        'Grüße',
      )
      expect([mail.text.trim(), mail.problem]).toEqual(['Grüße', null])
    }
  })

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
    expect(mail.text).toBe('Hello\na\nb')
    expect(mail.attachments.map(({ content_type }) => content_type)).toEqual(['message/rfc822'])
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

  it.each([
    ['image/jpg', 'a.bin', '\xff\xd8\xff', 'image/jpeg'],
    ['application/octet-stream', 'a.gif', 'x', 'image/gif'],
    ['image/svg+xml', 'a.png', '\x89PNG\r\n\x1a\n', null],
    ['text/html', 'a.png', '<script>', null],
  ])('mime.inline-images: %s named %s with %o is embedded as %s', async (declared, name, octets, shown) => {
    const image = part(
      type(`${declared}; name=${name}`),
      'Content-ID: <one>',
      'Content-Transfer-Encoding: base64',
      '',
      Buffer.from(octets, 'latin1').toString('base64'),
    )
    const html = part(type('text/html'), '', '<img src="cid:one">')
    const mail = await read(type('multipart/related; boundary=b'), '', html, image, '--b--')
    const page = await face().post.inbox.html(mail.id)
    expect(/src="(?:data:)?(image[^;]+|cid:one)/.exec(page)?.[1]).toBe(shown ?? 'cid:one')
  })

  it('mime.names: they have the usual extension of the type, in the list and in downloads', async () => {
    const types = [
      'text/calendar; method=REQUEST',
      'image/png',
      'text/csv',
      'message/rfc822',
      'message/rfc822',
      'a/b',
    ]
    const parts = types.map((of) => part(type(of), '', 'x'))
    const mail = await read(mixed, '', ...parts, '--b--')
    expect(files(mail)).toEqual([
      'invite.ics',
      'attachment-1.png',
      'attachment-2.csv',
      'message.eml',
      'message-2.eml',
      'attachment-5',
    ])
    const nameOf = async (path: string): Promise<string | undefined> => {
      const answer = await face().post.fetch(new Request(`http://localhost/dev/inbox/${mail.id}/${path}`))
      await answer.arrayBuffer()
      return /filename="([^"]+)"/.exec(answer.headers.get('content-disposition') ?? '')?.[1]
    }
    for (const { index, filename } of mail.attachments)
      expect(await nameOf(`attachments/${index}`)).toBe(filename)
    expect([await nameOf('parts/0'), await nameOf('parts/1'), await nameOf('parts/5')]).toEqual([
      'part-0.ics',
      'part-1.png',
      'part-5',
    ])
    const tree = await face().post.fetch(new Request(`http://localhost/dev/inbox/${mail.id}/structure`))
    expect((await tree.json()).parts.map(({ filename }: { filename: unknown }) => filename)).toEqual(
      Array.from({ length: 7 }, () => null),
    )
  })
})
