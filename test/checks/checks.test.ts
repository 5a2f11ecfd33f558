import type { SendMailOptions } from 'nodemailer'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkMail } from '../../src/checks/run.ts'
import { linkFault } from '../../src/checks/link-checks.ts'
import { createLocalpost } from '../../src/instance/create.ts'
import type { Localpost } from '../../src/instance/instance.ts'
import { submit } from '../support/submit.ts'

let post: Localpost
beforeAll(async () => {
  post = await createLocalpost()
})
afterAll(() => post.close())

const submitHello = (mail: SendMailOptions): Promise<string> => submit(post, { subject: 'Hello', ...mail })
/** The worst severity of each check's findings, or how it ended. */
async function verdictsOf(id: string): Promise<Record<string, string>> {
  const { checks } = await post.inbox.check(id)
  return Object.fromEntries(checks.map((run) => [run.id, run.severity ?? run.outcome]))
}
async function messagesOf(id: string, check: string): Promise<string[]> {
  const { findings } = await post.inbox.check(id)
  return findings.filter((finding) => finding.id === check).map(({ message }) => message)
}

describe('the checks of a mail', () => {
  it('pass where everything is correct', async () => {
    const { id } = await post.emails.send({
      from: 'Acme <hi@acme.test>',
      to: 'ada@example.com',
      subject: 'Hi {{name}}',
      text: 'Hi {{name}}',
      html: '<p>Hi {{name}}</p><a href="https://acme.test/x">Go on</a><img src="https://acme.test/l.png" alt="">',
      variables: { name: 'Ada' },
    })
    await post.inbox.waitFor({ subject: 'Hi Ada' })
    await expect.poll(() => post.inbox.get(id).then((mail) => mail.size_bytes)).toBeGreaterThan(0)
    expect(await verdictsOf(id)).toMatchObject({
      dkim: 'passed',
      placeholders: 'passed',
      'text-part': 'passed',
      'html-size': 'passed',
      links: 'passed',
      images: 'passed',
      'image-alternatives': 'passed',
    })
  })

  it('report problems of links, each with its reason', async () => {
    const id = await submitHello({
      html: '<a href="#">Top</a><a href="/x">Rel</a><a href="javascript:x()">Js</a><a href="http://acme.test">Http</a><a href="https://acme.test">Fine</a>',
    })
    expect(await messagesOf(id, 'links')).toEqual([
      'The link "Top" to #: it leads nowhere.',
      'The link "Rel" to /x: it is relative, and a mail has no address to start from.',
      'The link "Js" to javascript:x(): mail clients run no scripts.',
      'The link "Http" to http://acme.test: it is not encrypted: http.',
    ])
    const { findings } = await post.inbox.check(id)
    expect(findings.find((finding) => finding.id === 'links')?.place).toEqual({
      part: 'html',
      header: null,
      line: 1,
      snippet: '<a href="#">',
    })
  })

  it.each([
    ['https://acme.test/x', null],
    ['mailto:a@acme.test', null],
    ['tel:+1555', null],
    ['acme-app://open', null],
    ['#part', null],
    ['{{url}}', null],
    ['{{ url | default: "a > b" }}', null],
    [`{{ ${'x'.repeat(300)} }}`, null],
    ['*|UNSUB|*', null],
    ['%recipient.url%', null],
    ['', 'error'],
    ['#', 'error'],
    ['JavaScript:x', 'error'],
    ['www.acme.test', 'error'],
    ['//acme.test/x', 'error'],
    ['https://', 'error'],
    ['http://acme.test', 'warning'],
    ['https://localhost:3000/x', 'note'],
    ['http://127.0.0.1/x', 'note'],
    ['https://203.0.113.9/x', 'warning'],
    ['https://3405803785/x', 'warning'],
    ['https://[2001:db8::1]/x', 'warning'],
    ['https://www.example.com', 'warning'],
    ['https://yourdomain.com/x', 'warning'],
  ])('rate the address %j: %s', (href, severity) => {
    expect(linkFault(href)?.severity ?? null).toBe(severity)
  })

  it('find images that cannot be shown, that have no alt, and that only count openings', async () => {
    const id = await submitHello({
      html: '<img src="cid:logo@x" alt="Logo"><img src="cid:gone" alt="x"><img src="/a.png"><img src="{{ logo }}"><img src="*|LOGO|*"><img src="https://acme.test/o?1" width="1" height="1">',
      attachments: [{ filename: 'l.png', content: 'png', cid: 'logo@x' }],
    })
    expect(await messagesOf(id, 'images')).toEqual([
      'The mail has no part for the image cid:gone.',
      'No mail client can load the image /a.png.',
    ])
    expect(await messagesOf(id, 'image-alternatives')).toHaveLength(3)
    expect(await messagesOf(id, 'tracking-pixel')).toEqual([
      'An image of one pixel tracks when the mail is opened: https://acme.test/o?1.',
    ])
  })

  it('find placeholders, missing parts, a missing subject, and HTML that is clipped', async () => {
    const id = await submitHello({
      subject: '',
      html: `<p>Dear {{ first name }}</p>${'<p>x</p>'.repeat(14_000)}`,
    })
    expect(await verdictsOf(id)).toMatchObject({
      dkim: 'note',
      placeholders: 'error',
      subject: 'warning',
      'text-part': 'warning',
      'html-size': 'warning',
    })
    expect(await messagesOf(id, 'html-size')).toEqual([expect.stringMatching(/^The HTML has 109 KB/)])
  })

  it('require one-click unsubscribe for broadcasts, and for other mail that offers it', async () => {
    const { id: audience_id } = await post.audiences.create({ name: 'All' })
    await post.audiences.contacts.add(audience_id, { email: 'ada@example.com' })
    const sent = await post.broadcasts.send({
      audience_id,
      from: 'hi@acme.test',
      subject: 'News',
      text: 'News',
    })
    await post.inbox.waitFor({ subject: 'News' })
    const [id = ''] = sent.email_ids
    expect((await post.inbox.get(id)).list_unsubscribe).toEqual({
      urls: [expect.stringMatching(/^http:\/\/localpost\/t\/u\//)],
      one_click: true,
    })
    expect(await verdictsOf(id)).toMatchObject({ 'list-unsubscribe': 'passed' })
    const other = await submitHello({
      text: 'x',
      headers: {
        'List-Unsubscribe': '<mailto:off@acme.test?subject=off>, <https://acme.test/off>, <ftp://x>',
      },
    })
    expect((await post.inbox.get(other)).list_unsubscribe).toEqual({
      urls: ['mailto:off@acme.test?subject=off', 'https://acme.test/off'],
      one_click: false,
    })
    expect(await verdictsOf(other)).toMatchObject({ 'list-unsubscribe': 'note' })
    const broadcast = { ...(await post.inbox.get(id)), list_unsubscribe: null }
    const { findings } = checkMail(broadcast)
    expect(findings.find((finding) => finding.id === 'list-unsubscribe')?.severity).toBe('error')
  })

  it('are answered by the control API', async () => {
    const id = await submitHello({ text: 'Hello {{name}}' })
    const response = await post.fetch(new Request(`http://localpost/dev/inbox/${id}/checks`))
    expect(await response.json()).toEqual(await post.inbox.check(id))
    const some = new Request(
      `http://localpost/dev/inbox/${id}/checks?except=placeholders,dkim&clients=gmail/ios`,
    )
    const wanted = { except: ['placeholders', 'dkim'], clients: ['gmail/ios'] }
    expect(await (await post.fetch(some)).json()).toEqual(await post.inbox.check({ id }, wanted))
    const unknown = await post.fetch(
      new Request(`http://localpost/dev/inbox/${id}/checks?except=placeholder`),
    )
    expect([unknown.status, ((await unknown.json()) as { message: string }).message]).toEqual([
      422,
      'except of inbox.check(): there is no check "placeholder". Did you mean "placeholders"?',
    ])
    expect((await post.fetch(new Request('http://localpost/dev/inbox/em_none/checks'))).status).toBe(404)
  })
})

describe('the option checks', () => {
  it('leaves out checks and names the clients that matter, unless a call says otherwise', async () => {
    await using own = await createLocalpost({
      checks: { except: ['subject'], clients: ['apple-mail/macos'] },
    })
    const id = await submit(own, { subject: '', html: '<p style="display: flex">x</p>' })
    const idsOf = (options?: object) =>
      own.inbox.check(id, options).then(({ findings }) => new Set(findings.map((finding) => finding.id)))
    expect(await idsOf()).not.toContain('subject')
    expect(await idsOf()).not.toContain('client-support')
    expect(await idsOf({ except: [], clients: ['outlook/windows'] })).toContain('subject')
    expect(await idsOf({ except: [], clients: ['outlook/windows'] })).toContain('client-support')
  })

  it.each([
    [{ except: ['subjects'] }, 'there is no check "subjects". Did you mean "subject"?'],
    [{ clients: ['gmail/io'] }, 'there is no mail client "gmail/io". Did you mean "gmail/ios"?'],
  ])('refuses %j', async (checks, message) => {
    await expect(createLocalpost({ checks })).rejects.toMatchObject({
      code: 'invalid_option',
      message: expect.stringContaining(message),
    })
    const id = await submitHello({ text: 'x' })
    await expect(post.inbox.check(id, checks)).rejects.toMatchObject({ code: 'validation_error' })
  })
})

describe('the signature of a mail', () => {
  it('passes for sent mail, and fails where the message was changed in transit', async () => {
    const { id } = await post.emails.send({
      from: 'Acme <hi@acme.test>',
      to: 'ada@example.com',
      subject: 'Signed',
      text: 'As it was',
    })
    const mail = await post.inbox.waitFor({ subject: 'Signed' })
    expect(mail).toMatchObject({ id, dkim: { domain: 'acme.test', result: 'pass', reason: null } })
    const { stream } = await post.inbox.raw(id)
    const raw = String(Buffer.concat(await stream.toArray()))
    const envelope = { from: 'hi@acme.test', to: ['ada@example.com'] }
    const passed = await post.inbox.get(await submitHello({ raw, envelope }))
    expect(passed.dkim?.result).toBe('pass')
    const changed = await post.inbox.get(
      await submitHello({ raw: raw.replace('As it was', 'As it is'), envelope }),
    )
    expect(changed.dkim).toMatchObject({ result: 'fail', reason: expect.stringMatching(/body was changed/) })
    const foreign = await post.inbox.get(
      await submitHello({ raw: raw.replace('d=acme.test', 'd=other.test'), envelope }),
    )
    expect(foreign.dkim).toMatchObject({ domain: 'other.test', result: 'no_key' })
  })
})
