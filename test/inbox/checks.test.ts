import type { SendMailOptions } from 'nodemailer'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkMail } from '../../src/inbox/checks.ts'
import { unrenderedPlaceholders } from '../../src/inbox/placeholders.ts'
import { linkFault } from '../../src/inbox/link-faults.ts'
import { createLocalpost } from '../../src/instance/create.ts'
import type { Localpost } from '../../src/instance/instance.ts'
import { submit } from '../support/submit.ts'

let post: Localpost
beforeAll(async () => {
  post = await createLocalpost()
})
afterAll(() => post.close())

const submitHello = (mail: SendMailOptions): Promise<string> => submit(post, { subject: 'Hello', ...mail })
async function verdictsOf(id: string): Promise<Record<string, string>> {
  return Object.fromEntries((await post.inbox.check(id)).map(({ name, verdict }) => [name, verdict]))
}
const checkOf = async (id: string, name: string) =>
  (await post.inbox.check(id)).find((check) => check.name === name)

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
    expect(await verdictsOf(id)).toEqual({
      dkim: 'pass',
      placeholders: 'pass',
      'text-part': 'pass',
      'html-size': 'pass',
      links: 'pass',
      images: 'pass',
      'image-alternatives': 'pass',
    })
  })

  it('report problems of links, each with its reason', async () => {
    const id = await submitHello({
      html: '<a href="#">Top</a><a href="/x">Rel</a><a href="javascript:x()">Js</a><a href="http://acme.test">Http</a><a href="https://acme.test">Fine</a>',
    })
    expect(await checkOf(id, 'links')).toEqual({
      name: 'links',
      verdict: 'fail',
      message: '4 of 5 links not usable by recipients.',
      details: [
        '"Top" #: it leads nowhere',
        '"Rel" /x: it is relative, and a mail has no address to start from',
        '"Js" javascript:x(): mail clients run no scripts',
        '"Http" http://acme.test: it is not encrypted: http',
      ],
    })
  })

  it.each([
    ['https://acme.test/x', null],
    ['mailto:a@acme.test', null],
    ['tel:+1555', null],
    ['acme-app://open', null],
    ['#part', null],
    ['{{url}}', null],
    ['', 'fail'],
    ['#', 'fail'],
    ['JavaScript:x', 'fail'],
    ['www.acme.test', 'fail'],
    ['//acme.test/x', 'fail'],
    ['https://', 'fail'],
    ['http://acme.test', 'warning'],
    ['https://localhost:3000/x', 'warning'],
    ['http://127.0.0.1/x', 'warning'],
    ['https://www.example.com', 'warning'],
    ['https://yourdomain.com/x', 'warning'],
  ])('rate the address %j: %s', (href, verdict) => {
    expect(linkFault(href)?.verdict ?? null).toBe(verdict)
  })

  it('find images that cannot be shown, that have no alt, and that only count openings', async () => {
    const id = await submitHello({
      html: '<img src="cid:logo@x" alt="Logo"><img src="cid:gone" alt="x"><img src="/a.png"><img src="https://acme.test/o?1" width="1" height="1">',
      attachments: [{ filename: 'l.png', content: 'png', cid: 'logo@x' }],
    })
    expect(await checkOf(id, 'images')).toMatchObject({
      verdict: 'fail',
      details: ['cid:gone: the mail has no such part', '/a.png: no mail client can load it'],
    })
    expect(await checkOf(id, 'image-alternatives')).toMatchObject({ verdict: 'warning', details: ['/a.png'] })
    expect(await checkOf(id, 'tracking-pixel')).toMatchObject({
      verdict: 'info',
      details: ['https://acme.test/o?1'],
    })
  })

  it('find placeholders, missing parts, a missing subject, and HTML that is clipped', async () => {
    const id = await submitHello({
      subject: '',
      html: `<p>Dear {{ first name }}</p>${'<p>x</p>'.repeat(14_000)}`,
    })
    expect(await verdictsOf(id)).toEqual({
      dkim: 'info',
      placeholders: 'fail',
      subject: 'warning',
      'text-part': 'warning',
      'html-size': 'warning',
    })
    expect(await checkOf(id, 'html-size')).toMatchObject({
      message: expect.stringMatching(/^The HTML has 109 KB/),
    })
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
    expect(await verdictsOf(id)).toMatchObject({ 'list-unsubscribe': 'pass' })
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
    expect(await verdictsOf(other)).toMatchObject({ 'list-unsubscribe': 'info' })
    const broadcast = { ...(await post.inbox.get(id)), list_unsubscribe: null }
    expect((await checkMail(broadcast)).find(({ name }) => name === 'list-unsubscribe')?.verdict).toBe('fail')
  })

  it('are answered by the control API', async () => {
    const id = await submitHello({ text: 'Hello {{name}}' })
    const response = await post.fetch(new Request(`http://localpost/dev/inbox/${id}/checks`))
    expect(await response.json()).toEqual({ checks: await post.inbox.check(id) })
    expect((await post.fetch(new Request('http://localpost/dev/inbox/em_none/checks'))).status).toBe(404)
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

describe('placeholders', () => {
  it.each([
    ['Hi {{ name }}, {{name}}', ['{{ name }}', '{{name}}']],
    ['{% if a %}x{% endif %}', ['{% if a %}', '{% endif %}']],
    ['<%= name %> &lt;%= other %&gt;', ['<%= name %>', '&lt;%= other %&gt;']],
    ['%recipient.first_name% *|FNAME|*', ['%recipient.first_name%', '*|FNAME|*']],
    ['Dear ${user.name}, [object Object]', ['${user.name}', '[object Object]']],
    ['100% {a} $5 {{}} a{b{c}}', []],
    ['<style>@media x{p{color:red}}</style>', []],
  ])('in %j are %j', (html, found) => {
    expect(unrenderedPlaceholders({ subject: '', text: '', html })).toEqual(found)
  })
})

describe('five megabytes of hostile HTML take linear time', () => {
  it.each([
    '<',
    '<div>',
    '<img src="',
    '<a href="',
    '{{',
    '{%a',
    '&lt;%',
    '*|',
    '${a',
    '<img>',
    '<a href=#>',
  ])('of nothing but %j', async (piece) => {
    const mail = await post.inbox.get(await submitHello({ text: 'x' }))
    const html = piece.repeat(Math.ceil(5_000_000 / piece.length))
    const started = performance.now()
    const checks = await checkMail({ ...mail, html })
    // Without the limits it takes minutes.
    expect(performance.now() - started).toBeLessThan(5000)
    for (const { details } of checks) expect(details.length).toBeLessThanOrEqual(50)
  })
})
