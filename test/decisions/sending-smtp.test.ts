import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { describe, expect, it } from 'vitest'
import type { CreatedDomain } from '../../src/domains/types.ts'
import { keysOf } from '../support/deps.ts'
import { open, shared, statusesOf, type Face } from './helpers.ts'

const face = shared()
const envelope = { from: 'envelope@sender.test', to: ['one@x.test', 'two@x.test'] }
/** Submits raw bytes: nodemailer would fill in missing parts. */
const submit = (raw: string, over: Partial<typeof envelope> = {}): Promise<string> =>
  face().submit({ envelope: { ...envelope, ...over }, raw: raw.replaceAll('\n', '\r\n') })

/** A client that sends one line after the other, and returns the last line of every reply. */
async function talk(of: Face, ...lines: string[]): Promise<string[]> {
  const socket = connect(of.post.smtp.port, of.post.smtp.host)
  const replies: string[] = []
  const waiting = [...lines, 'QUIT']
  for await (const line of createInterface({ input: socket })) {
    replies.push(line)
    if (/^\d{3}-/.test(line)) continue
    const next = waiting.shift()
    if (next === undefined) break
    socket.write(`${next}\r\n`)
  }
  socket.destroy()
  return replies
}

describe('acceptance', () => {
  const strictly = shared({ strict: true })

  it.each(['NOT_STARTED', 'PENDING', 'SUCCESS', 'FAILED', 'TEMPORARY_FAILURE'])(
    'sending.smtp-acceptance: a submission is taken while its domain is %s, also with `strict`',
    async (status) => {
      const strict = strictly()
      const name = `${status.toLowerCase().replace('_', '-')}.test`
      const { id } = await strict.create<CreatedDomain>('/v1/domains', { name })
      if (status !== 'NOT_STARTED') await strict.create(`/dev/domains/${id}/verify`, { status })
      const sent = await strict.submit({ from: `hi@${name}`, to: 'ada@x.test', subject: 'Hi', text: 'x' })
      const email = await strict.detail(sent)
      expect(email.domain_id).toBe(id)
      expect(statusesOf(email)).toEqual({ 'ada@x.test': ['sent', 'delivered'] })
      expect(await strict.get(`/v1/domains/${id}`)).toMatchObject({ status })
    },
  )
})

describe('members', () => {
  it('sending.smtp-members: a submission is an email with all the members of an API send', async () => {
    const id = await face().submit({
      from: 'Acme  <hi@acme.test>',
      to: '"Lovelace, Ada" <ada@x.test>, bob@x.test',
      cc: 'carl@x.test',
      bcc: 'dora@x.test',
      subject: 'Grüße',
      html: '<p>Hallo</p>',
      text: 'Hallo',
    })
    const email = await face().detail(id)
    expect(keysOf(email)).toEqual(keysOf(await face().detail(await face().send())))
    expect(email).toMatchObject({
      type: 'transactional',
      from: 'Acme <hi@acme.test>',
      to: ['ada@x.test', 'bob@x.test'],
      subject: 'Grüße',
      html: expect.stringContaining('<p>Hallo</p>'),
      text: expect.stringContaining('Hallo'),
      template_id: null,
    })
    expect(Object.keys(statusesOf(email)).sort()).toEqual([
      'ada@x.test',
      'bob@x.test',
      'carl@x.test',
      'dora@x.test',
    ])
    expect((await face().item(id)).recipient_statuses).toHaveLength(4)
  })

  it.each([
    ['no To', ''],
    ['an empty group', 'To: undisclosed-recipients:;\n'],
    ['a To without an address', 'To: Ada\n'],
  ])('sending.smtp-without-to: with %s, the recipients of the envelope are shown', async (_, to) => {
    const id = await submit(`Subject: Hi\n${to}\nHello\n`)
    const { to: shown, recipient_statuses } = await face().detail(id)
    expect(shown).toEqual(envelope.to)
    expect((await face().item(id)).to).toEqual(envelope.to)
    expect(recipient_statuses.map(({ recipient }) => recipient)).toEqual(envelope.to)
    expect(await face().mail(id)).toMatchObject({ to: [], cc: [], bcc: envelope.to })
  })

  it('sending.import-without-recipients: an import that names none has an invented one, and the inbox shows none', async () => {
    const { post } = face()
    const { id } = await post.inbox.import(Buffer.from('Subject: Hi\n\nHello\n'))
    expect((await face().item(id)).to).toEqual(['undisclosed@localpost.test'])
    expect((await face().mail(id)).to).toEqual([])
  })

  it('sending.smtp-members: without From, the sender of the envelope is used', async () => {
    expect(await face().detail(await submit('Subject: Hi\n\nHello\n'))).toMatchObject({
      from: 'envelope@sender.test',
    })
    const named = await submit('From: F <f@acme.test>\nTo: T <t@x.test>\n\nHello\n')
    expect(await face().detail(named)).toMatchObject({ from: 'F <f@acme.test>', to: ['t@x.test'] })
    expect(Object.keys(statusesOf(await face().detail(named)))).toEqual(['one@x.test', 'two@x.test'])
  })

  it('sending.smtp-members: without From and sender, `from` is ""', async () => {
    expect((await face().detail(await submit('Subject: Hi\n\nHello\n', { from: '' }))).from).toBe('')
  })

  const addresses = (count: number, field: string): string[] =>
    Array.from({ length: count }, (_, index) => `${field}${index}@x.test`)

  it.each([
    ['To', ','],
    ['Cc', ','],
    ['To', ';'],
    ['Resent-To', ','],
    ['Resent-Cc', ','],
  ])(
    'sending.smtp-members: no recipient that a long %s names, with "%s", is shown as bcc',
    async (field, sign) => {
      const named = addresses(1002, 'u').map((address, index) =>
        index % 2 ? address : `"U, ${index}" <${address}>`,
      )
      const raw = `From: hi@acme.test\n${field}: ${named.join(`${sign}\n `)}\n\nHello\n`
      const to = ['U1001@X.test', 'u1000@x.test', 'u999@x.test', 'hidden@x.test']
      const mail = await face().mail(await submit(raw, { to }))
      expect(mail.bcc).toEqual(['hidden@x.test'])
      const isListed = field === 'To' || field === 'Cc'
      if (isListed) expect(mail[field === 'To' ? 'to' : 'cc']).toEqual(addresses(1000, 'u'))
      expect(mail.problem).toBe(
        isListed ? `${field} has 1002 addresses; only the first 1000 are listed.` : null,
      )
    },
  )

  it('sending.smtp-members: an import keeps all of 1,000 recipients, and more are refused', async () => {
    const raw = (to: number, cc: number): Buffer =>
      Buffer.from(
        `From: hi@acme.test\r\nTo: ${addresses(to, 't').join(', ')}\r\nCc: ${addresses(cc, 'c').join(', ')}\r\n\r\nx`,
      )
    const { inbox } = face().post
    const { id } = await inbox.import(raw(600, 400))
    expect(await inbox.get(id)).toMatchObject({
      envelope: { rcpt_to: [...addresses(600, 't'), ...addresses(400, 'c')] },
      problem: null,
    })
    for (const [to, cc] of [
      [1001, 0],
      [600, 401],
      [0, 1002],
      [60_000, 0],
    ] as const)
      await expect(inbox.import(raw(to, cc))).rejects.toMatchObject({
        code: 'validation_error',
        message: expect.stringContaining('more than 1000 recipients') as string,
      })
    const same = await inbox.import(Buffer.from(`To: ${'ada@x.test, '.repeat(1500)}ADA@x.test\n\nx`))
    expect((await inbox.get(same.id)).envelope.rcpt_to).toHaveLength(1)
  })

  it('sending.smtp-members: missing subject and bodies are ""', async () => {
    const email = await face().detail(await submit('From: hi@acme.test\nTo: ada@x.test\n\n'))
    expect(email).toMatchObject({ subject: '', html: '', text: '' })
    const plain = await face().detail(await submit('Subject: s\n\nonly text\n'))
    expect(plain).toMatchObject({ subject: 's', html: '', text: expect.stringContaining('only text') })
    const html = await face().detail(await submit('Content-Type: text/html\n\n<p>only html</p>\n'))
    expect(html).toMatchObject({ html: expect.stringContaining('<p>only html</p>'), text: '' })
    expect((await face().detail(await submit(''))).subject).toBe('')
  })
})

describe('domain', () => {
  const domainOf = async (id: string): Promise<string> => {
    const { domain_id } = await face().detail(id)
    return (await face().get<{ name: string }>(`/v1/domains/${domain_id}`)).name
  }

  it('sending.smtp-domain: it is that of the From header, else that of the envelope', async () => {
    expect(await domainOf(await submit('From: Acme <hi@Header.test>\n\nx\n'))).toBe('header.test')
    expect(await domainOf(await submit('Subject: no from\n\nx\n'))).toBe('sender.test')
    expect(await domainOf(await submit('From: hi@bücher.test\n\nx\n'))).toBe('xn--bcher-kva.test')
  })

  it('sending.smtp-domain: mail without a sender belongs to localpost.test', async () => {
    const from = ['root@localhost', 'a@[127.0.0.1]', '']
    const ids: string[] = []
    for (const sender of from) ids.push(await submit('Subject: x\n\nx\n', { from: sender }))
    ids.push(await submit('From: root@localhost\n\nx\n'), await submit('From: cron\n\nx\n', { from: '' }))
    const names: string[] = []
    for (const id of ids) names.push(await domainOf(id))
    expect(new Set(names)).toEqual(new Set(['localpost.test']))
    expect(
      new Set((await Promise.all(ids.map((id) => face().detail(id)))).map((email) => email.domain_id)).size,
    ).toBe(1)
  })
})

describe('local parts', () => {
  it('sending.smtp-local-part: an address without a domain is accepted unchanged', async () => {
    const id = await submit('From: root (Cron Daemon)\n\nx\n', {
      from: 'root',
      to: ['root', 'postmaster'],
    })
    const email = await face().detail(id)
    expect(email).toMatchObject({ to: ['root', 'postmaster'], from: 'root (Cron Daemon)' })
    expect(Object.keys(statusesOf(email))).toEqual(['root', 'postmaster'])
  })
})

describe('AUTH', () => {
  const plain = (user: string, pass: string): string =>
    `AUTH PLAIN ${Buffer.from(`\0${user}\0${pass}`).toString('base64')}`
  const base64 = (text: string): string => Buffer.from(text).toString('base64')
  const mail = ['MAIL FROM:<hi@acme.test>', 'RCPT TO:<ada@x.test>']

  it('sending.smtp-auth: it is offered without TLS and not required', async () => {
    const replies = await talk(face(), 'EHLO client.test', ...mail)
    expect(replies.find((line) => /^250[ -]AUTH/.test(line))).toMatch(/PLAIN/)
    expect(replies.find((line) => /^250[ -]AUTH/.test(line))).toMatch(/LOGIN/)
    expect(replies.filter((line) => line.startsWith('250 ')).length).toBe(3)
  })

  it('sending.smtp-auth: any credentials are accepted', async () => {
    expect(await talk(face(), 'EHLO c', plain('user', 'wrong'))).toContainEqual(expect.stringMatching(/^235/))
    const login = await talk(face(), 'EHLO c', 'AUTH LOGIN', base64('user'), base64('pass'))
    expect(login).toContainEqual(expect.stringMatching(/^235/))
    for (const lines of [[plain('', '')], ['AUTH LOGIN', '', ''], ['AUTH LOGIN =', base64('pass')]])
      expect(await talk(face(), 'EHLO c', ...lines)).toContainEqual(expect.stringMatching(/^235/))
    await face().submit({ from: 'hi@acme.test', to: 'ada@x.test', text: 'x' }, { user: 'any', pass: 'thing' })
  })

  it('sending.smtp-auth: beyond 100 wrong passwords in a minute, 421 ends the connection; a right one is accepted', async () => {
    const strict = await open({ smtpAuth: 'required', apiKeys: ['lp_one'] })
    const wrong = Array<string>(150).fill(plain('user', 'wrong'))
    const replies = await talk(strict, 'EHLO c', ...wrong)
    expect(replies.filter((line) => line.startsWith('535 '))).toHaveLength(100)
    expect(replies.at(-1)).toMatch(/^421 4\.7\.0 More than 100 wrong /)
    expect(await talk(strict, 'EHLO c', plain('user', 'lp_one'))).toContainEqual(
      expect.stringMatching(/^235/),
    )
  })

  it('sending.smtp-auth: with `smtpAuth: "required"` the password must be an API key', async () => {
    const strict = await open({ smtpAuth: 'required', apiKeys: ['lp_one', 'lp_two'] })
    expect((await talk(strict, 'EHLO c', ...mail)).join('\n')).toMatch(/^530/m)
    for (const wrong of ['lp_three', '', 'LP_ONE']) {
      expect((await talk(strict, 'EHLO c', plain('user', wrong), ...mail)).join('\n'), wrong).toMatch(
        /^5(?:35|01)/m,
      )
    }
    const sent = { from: 'hi@acme.test', to: 'ada@x.test', text: 'x' }
    for (const pass of ['lp_one', 'lp_two']) await strict.submit(sent, { user: 'whoever', pass })
    const login = await talk(strict, 'EHLO c', 'AUTH LOGIN', base64('whoever'), base64('lp_two'))
    expect(login).toContainEqual(expect.stringMatching(/^235/))
    await expect(strict.submit(sent, { user: 'lp_one', pass: 'x' })).rejects.toThrow('535')
    await expect(strict.submit(sent)).rejects.toThrow('530')
    // API sends still reach the capture server.
    const id = await strict.send({}, { authorization: 'Bearer lp_one' })
    expect((await strict.settled(id)).last_event.status).toBe('delivered')
  })
})
