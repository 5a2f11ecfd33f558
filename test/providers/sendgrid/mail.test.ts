import { describe, expect, test } from 'vitest'
import { fixedClock, type Localpost } from '../../../src/index.ts'
import { start } from '../../support/instance.ts'
import { mail, sendgridCaller, type SendGridErrors } from './_caller.ts'

const to = (...emails: string[]): { to: { email: string }[] } => ({
  to: emails.map((email) => ({ email })),
})

/** The errors of a request that is refused. */
async function refused(post: Localpost, body: unknown): Promise<[status: number, ...string[]]> {
  const { status, body: given } = await sendgridCaller(post)<SendGridErrors>('POST', '/mail/send', body)
  return [status, ...given.errors.map(({ field, message }) => `${field}: ${message}`)]
}

async function nothingStored(post: Localpost): Promise<void> {
  expect((await post.emails.list()).count).toBe(0)
  expect((await post.sending.scheduled.list()).count).toBe(0)
}

describe('POST /sendgrid/v3/mail/send', () => {
  test('sends every member, and answers 202 with an id and no body', async () => {
    const post = await start()
    const answer = await sendgridCaller(post)('POST', '/mail/send', {
      personalizations: [
        {
          to: [
            { email: 'ada@example.com', name: 'Ada "the" \\ first, Countess' },
            { email: 'bob@example.com' },
          ],
          cc: [{ email: 'carl@example.com' }],
          bcc: [{ email: 'dora@example.com' }],
          subject: 'Own',
          headers: { 'x-order': '18' },
          custom_args: { order: '18' },
        },
      ],
      from: mail.from,
      reply_to_list: [{ email: 'help@acme.test', name: 'Help' }, { email: 'sales@acme.test' }],
      subject: 'Shared',
      content: [
        { type: 'text/plain', value: 'It works.' },
        { type: 'text/html', value: '<p>It works.</p><img src="cid:logo">%open%' },
      ],
      attachments: [
        {
          content: 'cG5n',
          filename: 'logo.png',
          type: 'image/png',
          disposition: 'inline',
          content_id: 'logo',
        },
        { content: 'YQ==', filename: '' },
      ],
      headers: { 'X-Order': '17', 'X-Other': 'b' },
      categories: ['welcome', 'x'.repeat(255)],
      custom_args: { order: '17', user: '5' },
      asm: { group_id: 7, groups_to_display: [7] },
      ip_pool_name: 'transactional',
      mail_settings: { sandbox_mode: { enable: false }, footer: { enable: false } },
      tracking_settings: {
        click_tracking: { enable: false, enable_text: false },
        open_tracking: { enable: true, substitution_tag: '%open%' },
        subscription_tracking: { enable: false },
        ganalytics: { enable: false },
      },
    })
    expect([answer.status, answer.body]).toEqual([202, null])
    expect(answer.headers.get('x-message-id')).toMatch(/^[\w-]{22}$/)
    const found = await post.inbox.waitFor({ subject: 'Own' })
    expect(found).toMatchObject({
      from: 'Acme <hi@acme.test>',
      to: ['ada@example.com', 'bob@example.com'],
      to_names: ['Ada "the" \\ first, Countess', ''],
      cc: ['carl@example.com'],
      text: expect.stringMatching(/^It works\.\s*$/) as string,
      tags: ['welcome', 'x'.repeat(100)],
      metadata: { order: '18', user: '5', 'sendgrid:asm_group_id': '7' },
      tracking: { opens: true, clicks: false },
      provider: { name: 'sendgrid', message_id: answer.headers.get('x-message-id') },
    })
    expect(found.html).not.toContain('%open%')
    expect(found.envelope.rcpt_to).toContain('dora@example.com')
    expect(found.attachments.map(({ filename, content_id }) => [filename, content_id]).sort()).toEqual([
      ['attachment', null],
      ['logo.png', 'logo'],
    ])
    const headers = new Map(found.headers)
    expect([headers.get('X-Order'), headers.get('X-Other')]).toEqual(['18', 'b'])
    expect(headers.get('Reply-To')).toBe('Help <help@acme.test>, sales@acme.test')
  })

  test('sends an email for each personalization, all with one id', async () => {
    const post = await start()
    const personalizations = Array.from({ length: 30 }, (_, i) => ({
      ...to(`to${i}@example.com`, `also${i}@example.com`),
      from: { email: `from${i}@acme.test` },
      substitutions: { '-name-': `Person ${i}`, '-name-s': null },
    }))
    const answer = await sendgridCaller(post)('POST', '/mail/send', {
      ...mail,
      personalizations,
      subject: 'Hello -name-',
      reply_to: { email: 'help@acme.test', name: 'For -name-' },
      content: [{ type: 'text/plain', value: '-name-, -name-s!' }],
    })
    expect(answer.status).toBe(202)
    const { count } = await post.inbox.list()
    expect(count).toBe(30)
    const id = answer.headers.get('x-message-id')
    for (const to of ['to0@example.com', 'to29@example.com'])
      expect((await post.inbox.waitFor({ to })).provider).toEqual({ name: 'sendgrid', message_id: id })
    const found = await post.inbox.waitFor({ subject: 'Hello Person 3', to: 'also3@example.com' })
    expect([found.text.trim(), found.from, found.reply_to]).toEqual([
      'Person 3, !',
      'from3@acme.test',
      'For Person 3 <help@acme.test>',
    ])
  })

  test('stores none of them where one is wrong, and says which', async () => {
    const post = await start()
    const personalizations = [
      to('ada@example.com'),
      to('nobody'),
      { ...to('bob@example.com'), headers: { To: 'x' } },
    ]
    const [status, ...messages] = await refused(post, { ...mail, personalizations })
    expect([status, messages]).toEqual([
      400,
      [
        expect.stringMatching(
          /^personalizations\.1\.to\.0\.email: Does not contain a valid address\. "nobody"/,
        ),
      ],
    ])
    const [, header] = await refused(post, { ...mail, personalizations: personalizations.toSpliced(1, 1) })
    expect(header).toContain('headers.To')
    await nothingStored(post)
  })

  test.each<[what: string, change: object, message: string]>([
    [
      '1,001 personalizations',
      { personalizations: Array.from({ length: 1001 }, (_, i) => to(`a${i}@example.com`)) },
      'personalizations: The personalization block is limited to 1000 personalizations per API request. You have provided 1001 personalizations. Please consider splitting this into multiple requests and resending your request.',
    ],
    [
      'no personalization',
      { personalizations: [] },
      'personalizations: You must have at least one personalization.',
    ],
    [
      'more than 1,000 recipients',
      {
        personalizations: [0, 1].map((n) =>
          to(...Array.from({ length: 501 }, (_, i) => `a${n}-${i}@example.com`)),
        ),
      },
      'personalizations: There is a limit of 1000 total recipients (to + cc + bcc) per request. You have provided 1002.',
    ],
    [
      'an address twice',
      { personalizations: [{ ...to('ada@example.com'), bcc: [{ email: 'Ada@Example.com' }] }] },
      'personalizations.0: Each email address in the personalization block should be unique between to, cc, and bcc. We found the first duplicate instance of [Ada@Example.com] in the personalizations.0.bcc field.',
    ],
    [
      'no To',
      { personalizations: [to()] },
      'personalizations.0.to: The to array is required for all personalization objects, and must have at least one email object with a valid email address.',
    ],
    [
      'a list as address',
      { personalizations: [to('a@x.test, b@x.test')] },
      'personalizations.0.to.0.email: Does not contain a valid address.',
    ],
    ['a wrong sender', { from: { email: 'x@x@x' } }, 'from.email: Does not contain a valid address.'],
    [
      'a line break in a name',
      { from: { email: 'a@acme.test', name: 'A\r\nBcc: x@x.test' } },
      'from.name: from.name "A',
    ],
    ['a line break in a subject', { subject: 'A\r\nBcc: x@x.test' }, 'subject: subject "A'],
    ['a line break in a header', { headers: { 'X-A': 'A\nB' } }, 'headers.X-A: headers.X-A "A'],
    ['no subject', { subject: undefined }, 'personalizations.0.subject: The subject is required.'],
    [
      'an empty subject',
      { subject: '' },
      'subject: The subject of your email must be a string at least one character in length.',
    ],
    ['no content', { content: undefined }, 'content: The content param is required unless'],
    [
      'empty content',
      { content: [{ type: 'text/plain', value: '' }] },
      'content.0.value: The content value must be a string',
    ],
    [
      'HTML before text',
      {
        content: [
          { type: 'text/html', value: 'x' },
          { type: 'text/plain', value: 'x' },
        ],
      },
      'content: Following RFC 1341, section 7.2',
    ],
    [
      'two texts',
      { content: [0, 1].map(() => mail.content[0]) },
      'content.1.type: content.1.type must not be',
    ],
    [
      'another type',
      { content: [{ type: 'text/calendar', value: 'x' }] },
      'content.0.type: content.0.type must be one of',
    ],
    ['both forms of Reply-To', { reply_to: mail.from, reply_to_list: [mail.from] }, 'reply_to_list: '],
    ['what is no base64', { attachments: [{ content: '!', filename: 'a' }] }, 'attachments.0.content: '],
    [
      'an empty attachment',
      { attachments: [{ content: '', filename: 'a' }] },
      'attachments.0.content: The attachment content',
    ],
    [
      'inline without an id',
      { attachments: [{ content: 'YQ==', filename: 'a', disposition: 'inline' }] },
      'attachments.0.content_id: ',
    ],
    [
      'a wrong type',
      { attachments: [{ content: 'YQ==', filename: 'a', type: 'a\r\nb' }] },
      'attachments.0.type: ',
    ],
    [
      'a category twice',
      { categories: ['a', 'a'] },
      'categories.1: The categories must be a unique list, and you have included "a" more than once.',
    ],
    [
      '11 categories',
      { categories: Array.from({ length: 11 }, String) },
      'categories: categories must have at most 10',
    ],
    ['a prototype', { custom_args: JSON.parse('{"__proto__":"x"}') as object }, 'custom_args: '],
    ['a name of ours', { custom_args: { 'sendgrid:batch_id': 'x' } }, 'custom_args: '],
    ['too long arguments', { custom_args: { a: 'x'.repeat(40_000) } }, 'custom_args: '],
    [
      '100 hours',
      { send_at: Math.floor(Date.now() / 1000) + 360_000 },
      'personalizations.0.send_at: Scheduling more than 72 hours in advance is forbidden.',
    ],
    ['milliseconds', { send_at: 1.5 }, 'send_at: '],
    ['a wrong batch', { batch_id: 'a b' }, 'batch_id: '],
    [
      '151 substitutions',
      {
        personalizations: [
          {
            ...to('a@x.test'),
            substitutions: Object.fromEntries(Array.from({ length: 151 }, (_, i) => [`-${i}-`, 'x'])),
          },
        ],
      },
      'personalizations.0.substitutions: ',
    ],
    [
      'data without a template',
      { personalizations: [{ ...to('a@x.test'), dynamic_template_data: { a: 1 } }] },
      'personalizations.0.dynamic_template_data: ',
    ],
    ['a footer', { mail_settings: { footer: { enable: true } } }, 'mail_settings.footer.enable: '],
    [
      'subscription tracking',
      { tracking_settings: { subscription_tracking: { enable: true } } },
      'tracking_settings.subscription_tracking.enable: ',
    ],
    ['sections', { sections: {} }, 'sections: sections is not supported'],
    [
      'an unknown member',
      { subjekt: 'x' },
      'null: The body has unknown members: subjekt (did you mean subject?).',
    ],
    ['a template that is not there', { template_id: 'd-none' }, 'template_id: '],
  ])('refuses %s', async (_, change, message) => {
    const post = await start()
    const [status, ...messages] = await refused(post, { ...mail, ...change })
    expect([status, messages]).toEqual([400, [expect.stringContaining(message)]])
    expect(messages[0]?.startsWith(message)).toBe(true)
    await nothingStored(post)
  })

  test('names the sender whose domain may not send', async () => {
    const post = await start()
    await post.domains.create({ name: 'new.test' })
    const from = { email: 'a@new.test' }
    const answer = await sendgridCaller(post)<SendGridErrors>('POST', '/mail/send', { ...mail, from })
    expect([answer.status, answer.body.errors[0]?.field]).toEqual([403, 'from'])
  })

  test('checks a request in the sandbox, and stores no email', async () => {
    const post = await start()
    const call = sendgridCaller(post)
    const sandbox = { ...mail, mail_settings: { sandbox_mode: { enable: true } } }
    const answer = await call('POST', '/mail/send', sandbox)
    expect([answer.status, answer.body, answer.headers.get('x-message-id')]).toEqual([200, null, null])
    const wrong = { ...sandbox, attachments: [{ content: '!', filename: 'a' }] }
    expect((await call('POST', '/mail/send', wrong)).status).toBe(400)
    await nothingStored(post)
  })

  test('counts the faults that an answer leaves out', async () => {
    const attachments = Array.from({ length: 150 }, (_, i) => ({ content: '!', filename: `${i}.txt` }))
    const [status, ...messages] = await refused(await start(), { ...mail, attachments })
    expect([status, messages.length, messages.at(-1)]).toEqual([400, 101, 'null: The body and 50 more.'])
  })

  test('refuses content that would take too much for all personalizations', async () => {
    const post = await start()
    const personalizations = Array.from({ length: 1000 }, (_, i) => to(`a${i}@example.com`))
    const content = [{ type: 'text/plain', value: 'x'.repeat(60_000) }]
    const [status, message] = await refused(post, { ...mail, personalizations, content })
    expect([status, message]).toEqual([413, expect.stringContaining('for all personalizations together')])
    const substitutions = { x: 'y'.repeat(1000) }
    const [filled] = await refused(post, {
      ...mail,
      content,
      personalizations: [{ ...to('a@x.test'), substitutions }],
    })
    expect(filled).toBe(413)
    const many = personalizations.map((one) => ({ ...one, substitutions: { x: 'y'.repeat(60) } }))
    const short = [{ type: 'text/plain', value: 'x'.repeat(1000) }]
    const [together] = await refused(post, { ...mail, content: short, personalizations: many })
    expect(together).toBe(413)
    await nothingStored(post)
  })

  test('schedules, and cancels those of a batch that wait', async () => {
    const now = Date.parse('2026-01-01T00:00:00Z')
    const post = await start({ clock: fixedClock(now) })
    const call = sendgridCaller(post)
    const made = await call<{ batch_id: string }>('POST', '/mail/batch')
    expect([made.status, made.body.batch_id]).toEqual([201, expect.stringMatching(/^[\w-]{22}$/)])
    const { batch_id } = made.body
    const send_at = now / 1000 + 3600
    const personalizations = [to('a@x.test'), { ...to('b@x.test'), send_at: send_at + 3600 }]
    await call('POST', '/mail/send', { ...mail, personalizations, send_at, batch_id })
    await call('POST', '/mail/send', { ...mail, subject: 'Other', send_at })
    expect((await post.sending.scheduled.list()).items.map((one) => one.send_at / 1000).sort()).toEqual([
      send_at,
      send_at,
      send_at + 3600,
    ])
    const cancel = { batch_id, status: 'cancel' }
    expect((await call('POST', '/user/scheduled_sends', { ...cancel, status: 'pause' })).status).toBe(400)
    expect(await call('POST', '/user/scheduled_sends', cancel)).toMatchObject({ status: 201, body: cancel })
    await post.clock.advance(4 * 3_600_000)
    await post.inbox.waitFor({ subject: 'Other' })
    expect((await post.emails.list()).count).toBe(1)
  })

  test('keeps another account apart', async () => {
    const post = await start()
    const { api_key } = await post.accounts.create({ name: 'other' })
    await sendgridCaller(post, api_key)('POST', '/mail/send', mail)
    await nothingStored(post)
    await post.account('other').inbox.waitFor({ subject: 'Hello' })
  })
})

test('tells an app about its account', async () => {
  const post = await start()
  const call = sendgridCaller(post)
  expect((await call('GET', '/scopes')).body).toMatchObject({
    scopes: expect.arrayContaining(['mail.send', 'templates.create']) as string[],
  })
  const init = { method: 'POST', body: '{"name":"reader","scope":"read"}' }
  const headers = { authorization: `Bearer ${post.apiKey}`, 'content-type': 'application/json' }
  const made = await post.fetch(new Request('http://localhost/dev/keys', { ...init, headers }))
  const { value } = (await made.json()) as { value: string }
  const { scopes } = (await sendgridCaller(post, value)<{ scopes: string[] }>('GET', '/scopes')).body
  expect([scopes.includes('templates.read'), scopes.includes('mail.send')]).toEqual([true, false])
  expect((await call('GET', '/user/profile')).status).toBe(200)
  expect((await call('GET', '/user/email')).body).toEqual({ email: 'user@localpost.test' })
  expect((await call('GET', '/user/username')).body).toEqual({ username: 'localpost', user_id: 1 })
})

test.each([
  ['no key', 401, undefined],
  ['another key', 401, 'nothing'],
])('answers 401 with %s', async (_, status, key) => {
  const post = await start()
  const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` }
  const answer = await post.fetch(new Request('http://localhost/sendgrid/v3/scopes', { headers }))
  expect([answer.status, await answer.json()]).toEqual([
    status,
    { errors: [{ message: expect.any(String) as string, field: null, help: null }] },
  ])
})
