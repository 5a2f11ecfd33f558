import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { describe, expect, it, vi } from 'vitest'
import type { Localpost, Mail, ReplyRequest } from '../../src/index.ts'
import { replyToMail, type ReplyDeps } from '../../src/inbox/reply.ts'
import { start } from '../support/instance.ts'
import { submit } from '../support/submit.ts'

const common = [
  'From: Acme <hi@acme.test>',
  'To: Ada <ada@example.com>',
  'Subject: Hi',
  'Message-ID: <1@acme.test>',
]

/** Imports a message of these header fields. A field replaces the common one of its name; `Name:` leaves it out. */
async function received(
  post: Localpost,
  fields: readonly string[] = [],
  body = 'Hello\r\n',
): Promise<string> {
  const nameOf = (field: string): string => field.slice(0, field.indexOf(':')).toLowerCase()
  const given = new Set(fields.map(nameOf))
  const all = [
    ...common.filter((field) => !given.has(nameOf(field))),
    ...fields.filter((field) => !field.endsWith(':')),
  ]
  return (await post.inbox.import(Buffer.from(`${all.join('\r\n')}\r\n\r\n${body}`))).id
}

async function answer(
  post: Localpost,
  id: string,
  request: ReplyRequest = { text: 'Thanks' },
): Promise<Mail> {
  return post.inbox.get((await post.inbox.reply(id, request)).id)
}

const manyFields = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`X-${at}`, 'x']))

const fieldOf = ({ headers }: Mail, wanted: string): string | undefined =>
  headers.find(([name]) => name.toLowerCase() === wanted)?.[1]

const rawOf = async (post: Localpost, { id }: Mail): Promise<string> =>
  String(await buffer((await post.inbox.raw(id)).stream))

describe('an answer', () => {
  it('is a new mail from the recipient to the sender, in the conversation of its mail', async () => {
    const post = await start()
    const id = await submit(post, { from: 'Acme <hi@acme.test>', subject: 'Welcome', text: 'Hello' })
    const mail = await post.inbox.get(id)
    const after = await post.inbox.mark()
    const made = await post.inbox.reply(mail, { text: 'Thanks', html: '<p>Thanks</p>' })
    const found = await post.inbox.waitFor({ to: 'hi@acme.test', after })
    expect(found).toMatchObject({
      id: made.id,
      from: 'ada@example.com',
      to: ['hi@acme.test'],
      to_names: ['Acme'],
      subject: 'Re: Welcome',
      text: 'Thanks',
      source: 'smtp',
      unread: true,
      is_answer: true,
      thread: mail.thread,
      envelope: { mail_from: 'ada@example.com', rcpt_to: ['hi@acme.test'] },
      last_event: { status: 'delivered' },
    })
    expect(found.html).toContain('<p>Thanks</p>')
    expect(fieldOf(found, 'in-reply-to')).toBe(fieldOf(mail, 'message-id'))
    expect(fieldOf(found, 'references')).toBe(fieldOf(mail, 'message-id'))
    const again = await answer(post, found.id, { text: 'You are welcome' })
    expect(again).toMatchObject({ from: 'hi@acme.test', to: ['ada@example.com'], subject: 'Re: Welcome' })
    expect(again.thread).toBe(mail.thread)
    expect(fieldOf(again, 'references')?.split(' ')).toEqual(
      [mail, found].map((one) => fieldOf(one, 'message-id')),
    )
  })

  it('goes to an email of the API too, once its message is written', async () => {
    const post = await start()
    const { id } = await post.emails.send({
      from: 'hi@acme.test',
      to: 'ada@example.com',
      subject: 'Hi',
      text: 'x',
    })
    const mail = await post.inbox.waitFor(`id:${id}`)
    expect((await answer(post, id)).thread).toBe(mail.thread)
    const [later] = await post.sending.send([
      {
        from: 'hi@acme.test',
        to: 'ada@example.com',
        subject: 'Hi',
        text: 'x',
        attachments: [{ filename: 'a', path: 'http://127.0.0.1:9/a' }],
      },
    ])
    await expect(post.inbox.reply(later?.id ?? '', { text: 'x' })).rejects.toMatchObject({
      code: 'message_pending',
    })
  })

  it.each<[string, string[], string[], string[]]>([
    ['From without Reply-To', [], ['hi@acme.test'], ['Acme']],
    ['Reply-To', ['Reply-To: Help <help@acme.test>'], ['help@acme.test'], ['Help']],
    [
      'several addresses',
      ['Reply-To: a@acme.test, "B, b" <b@acme.test>', 'Reply-To: c@acme.test'],
      ['a@acme.test', 'b@acme.test', 'c@acme.test'],
      ['', 'B, b', ''],
    ],
    ['a group', ['Reply-To: Team: a@acme.test, b@acme.test;'], ['a@acme.test', 'b@acme.test'], []],
    ['From where the group is empty', ['Reply-To: undisclosed:;'], ['hi@acme.test'], ['Acme']],
    [
      'From where Reply-To has no address',
      ['Reply-To: nobody, a b@, @acme.test'],
      ['hi@acme.test'],
      ['Acme'],
    ],
    [
      'an encoded name',
      ['Reply-To: =?utf-8?q?Gr=C3=BC=C3=9Fe=2C_x=40y=2Etest?= <g@acme.test>'],
      ['g@acme.test'],
      ['Grüße, x@y.test'],
    ],
    [
      'a name with line breaks',
      ['Reply-To: =?utf-8?q?A=0D=0ABcc=3A_eve=40x=2Etest=00?= <g@acme.test>'],
      ['g@acme.test'],
      ['A Bcc: eve@x.test'],
    ],
    [
      'a name with quotes',
      ['Reply-To: "A \\"B\\" \\\\ <c@d.test>" <g@acme.test>'],
      ['g@acme.test'],
      ['A "B" \\ <c@d.test>'],
    ],
    ['an address of another script', ['Reply-To: grüße@bücher.test'], ['grüße@bücher.test'], []],
  ])('goes to %s', async (_, fields, to, names) => {
    const post = await start()
    const found = await answer(post, await received(post, fields))
    expect([found.to, found.to_names]).toEqual([to, names])
    expect(fieldOf(found, 'bcc')).toBe(undefined)
  })

  it('goes to the first 1,000 addresses, and a name of 2,000 characters is cut', async () => {
    const post = await start()
    const many = Array.from({ length: 1001 }, (_, at) => `a${at}@acme.test`)
    const found = await answer(post, await received(post, [`Reply-To: ${many.join(',\r\n ')}`]))
    expect(found.envelope.rcpt_to).toEqual(many.slice(0, 1000))
    const long = await answer(post, await received(post, [`Reply-To: ${'x'.repeat(2000)} <g@acme.test>`]))
    expect([long.to, long.to_names]).toEqual([['g@acme.test'], ['x'.repeat(200)]])
    // No mailbox has so long an address.
    const address = await answer(post, await received(post, [`Reply-To: ${'x'.repeat(2000)}@acme.test`]))
    expect(address.to).toEqual(['hi@acme.test'])
  })

  it('is refused where the mail names nobody, and nothing is stored', async () => {
    const post = await start()
    const id = await received(post, ['From: nobody', 'Return-Path: <b@acme.test>'])
    await expect(post.inbox.reply(id, { text: 'x' })).rejects.toMatchObject({
      code: 'state_conflict',
      message: expect.stringContaining('neither Reply-To nor From') as string,
    })
    expect((await post.inbox.list()).count).toBe(1)
  })

  it('comes from the first recipient or the chosen one, also from one of Bcc alone', async () => {
    const post = await start()
    const several = await submit(post, { to: ['ada@example.com', 'bob@example.com'], bcc: 'Eve@example.com' })
    expect((await answer(post, several)).from).toBe('ada@example.com')
    expect((await answer(post, several, { text: 'x', from: 'eve@EXAMPLE.com' })).from).toBe('Eve@example.com')
    const hidden = await submit(post, { to: undefined, bcc: 'eve@example.com' })
    expect((await answer(post, hidden)).envelope.mail_from).toBe('eve@example.com')
    for (const from of ['grace@example.com', 'Ada <ada@example.com>', 'ada@example.com\r\nBcc: x@y.test'])
      await expect(post.inbox.reply(several, { text: 'x', from })).rejects.toMatchObject({
        code: 'validation_error',
        errors: [
          {
            field: 'from',
            message: expect.stringContaining('"ada@example.com", "bob@example.com"') as string,
          },
        ],
      })
  })

  it.each([
    ['Hi', 'Re: Hi'],
    ['Re: Hi', 'Re: Hi'],
    ['RE: re:Hi', 'Re: Hi'],
    ['RE[2]: Hi', 'Re: Hi'],
    ['AW: Hi', 'Re: Hi'],
    ['Regards: Hi', 'Re: Regards: Hi'],
    ['Fwd: Hi', 'Re: Fwd: Hi'],
    ['', 'Re:'],
    ['Re:', 'Re:'],
    ['=?utf-8?q?Re=3A_Gr=C3=BC=C3=9Fe=0D=0ABcc=3A_x?=', 'Re: Grüße Bcc: x'],
    ['=?utf-8?q?=3D=3Futf-8=3Fq=3Fx=3F=3D?=', 'Re: =?utf-8?q?x?='],
    ['Hello {{name}}', 'Re: Hello {{name}}'],
    ['Re: '.repeat(900) + 'Hi', 'Re: Hi'],
    [
      '=?utf-8?b?' + Buffer.from('é'.repeat(30)).toString('base64') + '?= ' + 'x'.repeat(3000),
      `Re: ${'é'.repeat(30)} ${'x'.repeat(969)}`,
    ],
  ])('to %j has the subject %j', async (subject, wanted) => {
    const post = await start()
    expect((await answer(post, await received(post, [`Subject: ${subject}`]))).subject).toBe(wanted)
  })

  it.each<[string, string[], string | undefined, string | undefined]>([
    [
      'References',
      ['References: <a@x.test>\r\n <b@x.test>'],
      '<1@acme.test>',
      '<a@x.test> <b@x.test> <1@acme.test>',
    ],
    ['In-Reply-To alone', ['In-Reply-To: <a@x.test>'], '<1@acme.test>', '<a@x.test> <1@acme.test>'],
    ['several ids in In-Reply-To', ['In-Reply-To: <a@x.test> <b@x.test>'], '<1@acme.test>', '<1@acme.test>'],
    ['no Message-ID', ['Message-ID:', 'References: <a@x.test>'], undefined, '<a@x.test>'],
    ['no id at all', ['Message-ID:'], undefined, undefined],
    [
      'other text',
      ['References: ": x" <a@x.test>, =?utf-8?q?=0D=0A?= <b c> <<d@x.test>'],
      '<1@acme.test>',
      '<a@x.test> <d@x.test> <1@acme.test>',
    ],
    [
      'its own id twice',
      ['References: <1@acme.test> <a@x.test> <a@x.test>'],
      '<1@acme.test>',
      '<a@x.test> <1@acme.test>',
    ],
  ])('names the mails before it: %s', async (_, fields, inReplyTo, references) => {
    const post = await start()
    const found = await answer(post, await received(post, fields))
    expect([fieldOf(found, 'in-reply-to'), fieldOf(found, 'references')]).toEqual([inReplyTo, references])
  })

  it('keeps the first and the last ones of many references', async () => {
    const post = await start()
    const many = Array.from({ length: 5000 }, (_, at) => `<${at}@x.test>`)
    const id = await received(post, [`References: ${many.join('\r\n ')}`])
    const found = await answer(post, id)
    const wanted = ['<0@x.test>', ...many.slice(-18), '<1@acme.test>']
    expect(fieldOf(found, 'references')?.split(' ')).toEqual(wanted)
    expect(found.thread).toBe((await post.inbox.get(id)).thread)
  })
})

describe('a mail that a program sent', () => {
  it.each([
    ['automatically', ['Auto-Submitted: auto-replied; x=y'], /Auto-Submitted: \\?"auto-replied; x=y/],
    ['with an empty sender', ['From: nobody'], /envelope sender is empty/],
    ['automatically, in a hostile way', ['Auto-Submitted: no_\u0000'], /Auto-Submitted/],
  ])('%s is answered only by force', async (_, fields, message) => {
    const post = await start()
    const id = await received(post, [...fields, 'Reply-To: help@acme.test'])
    await expect(post.inbox.reply(id, { text: 'x' })).rejects.toMatchObject({
      code: 'state_conflict',
      message: expect.stringMatching(message) as string,
    })
    expect((await answer(post, id, { text: 'x', force: true })).to).toEqual(['help@acme.test'])
  })

  it('is not one with Auto-Submitted: no', async () => {
    const post = await start()
    for (const value of ['no', 'NO', 'no; a=b', 'no (comment)'])
      expect((await answer(post, await received(post, [`Auto-Submitted: ${value}`]))).to).toEqual([
        'hi@acme.test',
      ])
  })
})

describe('a quotation', () => {
  it('has the text by lines, and the HTML in a blockquote, below what was written', async () => {
    const post = await start()
    const id = await submit(post, { from: 'A & <b@c.test>', text: '\none\n\n> two\n', html: '<p>one</p>' })
    const found = await answer(post, id, { text: 'Yes', html: '<p>Yes</p>', quote: true })
    expect(found.text.replaceAll('\r\n', '\n')).toMatch(
      /^Yes\n\nOn \w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT, "A &" <b@c\.test> wrote:\n> one\n>\n> > two\n$/,
    )
    expect(found.html).toMatch(
      /^<p>Yes<\/p>\s+<p>On .* GMT, &quot;A &amp;&quot; &lt;b@c\.test&gt; wrote:<\/p>\s+<blockquote type="cite">\s+<p>one<\/p>\s+<\/blockquote>\s+$/,
    )
    expect((await answer(post, id)).text).toBe('Thanks\n')
    expect((await answer(post, id, { html: 'x', quote: true })).text).toBe('')
  })

  it('of HTML alone is its text, and of text alone is escaped in HTML', async () => {
    const post = await start()
    const html = await submit(post, { html: '<style>p{}</style><p>one</p><p>two</p>' })
    expect((await answer(post, html, { text: 'Yes', quote: true })).text).toMatch(
      /wrote:\r?\n> one\r?\n>\r?\n> two\r?\n$/,
    )
    const text = await submit(post, { text: '<script>\nx' })
    expect((await answer(post, text, { html: 'Yes', quote: true })).html).toMatch(
      /&lt;script&gt;<br>\r?\nx\r?\n<\/blockquote>/,
    )
  })

  it.each([
    ['<!doctype html><html><head><title>x</title></head><body>one</body></html>', 'one'],
    ['one</blockquote><!-- ', 'one'],
    ['</blockquote></body></html><p>one<script>x</script><b>two', '<p>one<b>two</b></p>'],
    ['one<textarea>two', 'one<textarea>two</textarea>'],
    ['<style>p{color:red}</style><p>one', '<style>p{color:red}</style><p>one</p>'],
    ['<style>p{color:red}', '<style>p{color:red}</style>'],
  ])('of the HTML %s ends where the blockquote ends', async (html, shown) => {
    const post = await start()
    const id = await submit(post, { html })
    const found = await answer(post, id, { html: 'Yes', quote: true })
    const [, quotation] = /<blockquote type="cite">\s+([^]*)<\/blockquote>\s+$/.exec(found.html) ?? []
    expect(quotation?.replaceAll(/\r?\n/g, '')).toBe(shown)
  })

  it('of a hostile text stays text: line breaks, braces, boundaries, and names begin no field', async () => {
    const post = await start()
    const from = '=?utf-8?q?A=0D=0ABcc=3A_x=40y=2Etest=0D=0A=0D=0A?= <hi@acme.test>'
    const body = 'one\rBcc: x@y.test\r\n\r\n.\r\n--x\r\n{{name}} {{#if}}\r\nFrom me\r\n'
    const id = await received(post, [`From: ${from}`], body)
    const found = await answer(post, id, { text: 'Yes {{name}}', quote: true })
    expect(found.text.replaceAll('\r\n', '\n')).toMatch(
      /^Yes \{\{name\}\}\n\nOn .* A Bcc: x@y\.test <hi@acme\.test> wrote:\n> one\n> Bcc: x@y\.test\n>\n> \.\n> --x\n> \{\{name\}\} \{\{#if\}\}\n> From me\n$/,
    )
    expect(found.envelope.rcpt_to).toEqual(['hi@acme.test'])
    expect(found.headers.map(([name]) => name.toLowerCase()).toSorted()).toEqual(
      'content-transfer-encoding content-type date from in-reply-to message-id mime-version references subject to'.split(
        ' ',
      ),
    )
    expect(await rawOf(post, found)).not.toMatch(/\r(?!\n)|(?<!\r)\n/)
  })
})

describe('the parts of an answer', () => {
  /** Stands for an inbox with one mail, whose parts can be watched. */
  const depsOf = (given: Partial<Record<keyof ReplyDeps, unknown>>): ReplyDeps =>
    ({
      find: async () => ({ subject: 'Hi', envelope: { mail_from: 'b@c.test', rcpt_to: ['a@c.test'] } }),
      open: async () => ({ stream: Readable.from([]) }),
      details: { inTurn: (_: unknown, work: () => Promise<unknown>) => work() },
      thread: { run: async () => ({ to: ['b@c.test'], fields: {}, auto_submitted: null }) },
      compose: async () => new Uint8Array(),
      receive: async () => ({ id: 'em_1' }),
      ...given,
    }) as unknown as ReplyDeps

  it('include a job of the thread that quotes long HTML', async () => {
    const mail = { from: 'b@c.test', received: 0, text: 'x', html: 'x'.repeat(300_000) }
    const details = {
      read: async () => ({ ...mail, links: [] }),
      inTurn: (_: unknown, work: () => Promise<unknown>) => work(),
    }
    const run = vi.fn(async (kind: string) =>
      kind === 'quoted' ? { text: '> x', html: 'x' } : { to: ['b@c.test'], fields: {}, auto_submitted: null },
    )
    await replyToMail(depsOf({ details, thread: { run } }), 'em_0', { text: 'Yes', quote: true })
    expect(run).toHaveBeenLastCalledWith('quoted', [mail], { size: 300_000, signal: undefined })
  })

  it('store nothing if the call ends while the message is written', async () => {
    const call = new AbortController()
    const receive = vi.fn()
    const compose = async (): Promise<Uint8Array> => {
      call.abort(new Error('left'))
      return new Uint8Array()
    }
    const replied = replyToMail(depsOf({ compose, receive }), 'em_0', { text: 'x' }, { signal: call.signal })
    await expect(replied).rejects.toThrow('left')
    expect(receive).not.toHaveBeenCalled()
  })
})

describe('a request to answer', () => {
  it('may have attachments and header fields, checked as those of sends', async () => {
    const post = await start()
    const id = await received(post)
    const found = await answer(post, id, {
      html: '<img src="cid:logo">',
      attachments: [
        { name: 'grüße.txt', content: Buffer.from('Grüße').toString('base64') },
        { name: 'logo.png', content: 'AAAA', content_type: 'image/png', content_id: 'logo' },
      ],
      headers: { 'X-Order': '17' },
    })
    expect(found.attachments).toMatchObject([
      { filename: 'logo.png', content_id: 'logo', disposition: 'inline' },
      { filename: 'grüße.txt', size_bytes: 7 },
    ])
    expect(fieldOf(found, 'x-order')).toBe('17')
  })

  it.each<[string, unknown, object]>([
    ['nothing', {}, { code: 'validation_error', errors: [{ field: 'text' }] }],
    ['a quotation alone', { quote: true }, { code: 'validation_error', errors: [{ field: 'text' }] }],
    ['an unknown member', { text: 'x', to: 'eve@x.test' }, { code: 'validation_error' }],
    ['no object', 'text', { code: 'validation_error' }],
    [
      'wrong types',
      { text: 7, quote: 'yes' },
      { code: 'validation_error', errors: [{ field: 'text' }, { field: 'quote' }] },
    ],
    [
      'a line break in a field',
      { text: 'x', headers: { 'X-A': 'a\r\nBcc: x@y.test' } },
      { code: 'validation_error', errors: [{ field: 'headers.X-A' }] },
    ],
    [
      'too many fields',
      { text: 'x', headers: manyFields(99) },
      {
        code: 'validation_error',
        errors: [{ field: 'headers', message: expect.stringContaining('at most 98') }],
      },
    ],
    [
      'a line break in a name',
      { text: 'x', headers: { 'X-A: a\r\nBcc': 'x@y.test' } },
      { code: 'validation_error' },
    ],
    [
      'a field that is written here',
      { text: 'x', headers: { bcc: 'x@y.test' } },
      { code: 'validation_error', errors: [{ field: 'headers.bcc' }] },
    ],
    [
      'other references',
      { text: 'x', headers: { references: '<x@y.test>' } },
      { code: 'validation_error', errors: [{ field: 'headers.references' }] },
    ],
    [
      'a wrong attachment',
      { text: 'x', attachments: [{ name: 'a', content: '!' }] },
      { code: 'invalid_attachment', errors: [{ field: 'attachments[0].content' }] },
    ],
    [
      'an attachment elsewhere',
      { text: 'x', attachments: [{ filename: 'a', path: 'http://127.0.0.1/a' }] },
      { code: 'validation_error' },
    ],
    ['a message that is too large', { text: 'x'.repeat(40_000_001) }, { code: 'message_too_large' }],
  ])('with %s is refused, and nothing is stored', async (_, request, error) => {
    const post = await start()
    const id = await received(post)
    await expect(post.inbox.reply(id, request as ReplyRequest)).rejects.toMatchObject(error)
    expect((await post.inbox.list()).count).toBe(1)
  })

  it('is taken over HTTP, and with a full key of the account only', async () => {
    const post = await start({ requireKey: true })
    const id = await received(post)
    const { api_key: other } = await post.accounts.create({ name: 'team' })
    const ask = async (
      key: string,
      path: string,
      body: unknown,
    ): Promise<{ status: number; body: Record<string, unknown> }> => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const response = await post.fetch(
        new Request(`http://localpost${path}`, { method: 'POST', headers, body: JSON.stringify(body) }),
      )
      return { status: response.status, body: (await response.json()) as Record<string, unknown> }
    }
    const made = await ask(post.apiKey, `/dev/inbox/${id}/reply`, { text: 'Yes' })
    expect(made).toMatchObject({ status: 200, body: { id: expect.stringMatching(/^em_/) as string } })
    const { body: reading } = await ask(post.apiKey, '/dev/keys', { name: 'r', scope: 'read' })
    expect((await ask(String(reading['value']), `/dev/inbox/${id}/reply`, { text: 'x' })).status).toBe(403)
    expect((await ask(other, `/dev/inbox/${id}/reply`, { text: 'x' })).status).toBe(404)
    const wrong = await ask(post.apiKey, `/dev/inbox/${id}/reply`, { txt: 'x' })
    expect([wrong.status, wrong.body['name']]).toEqual([422, 'validation_error'])
    expect((await post.inbox.list()).count).toBe(2)
  })

  it('may have as many header fields as fit beside those of an answer', async () => {
    const post = await start()
    const found = await answer(post, await received(post), { text: 'x', headers: manyFields(98) })
    expect(fieldOf(found, 'x-97')).toBe('x')
  })

  it('is refused for a mail that is gone', async () => {
    const post = await start()
    const id = await received(post)
    await post.inbox.remove(id)
    await expect(post.inbox.reply(id, { text: 'x' })).rejects.toMatchObject({ code: 'not_found' })
  })
})
