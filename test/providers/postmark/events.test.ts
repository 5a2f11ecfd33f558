import { describe, expect, test } from 'vitest'
import type { Localpost } from '../../../src/index.ts'
import { start } from '../../support/instance.ts'
import { eventually, openReceiver, type Received } from '../../webhooks/_receiver.ts'
import { containing, isoTime, mail, postmarkCaller, type Call, type Result } from './_postmark.ts'

interface Bounce {
  ID: number
  Type: string
  Email: string
  MessageID: string
  Inactive: boolean
  [member: string]: unknown
}
interface Listed {
  TotalCount: number
  Messages: { MessageID: string; Subject: string; [member: string]: unknown }[]
}
interface Hook {
  ID: number
  Triggers: Record<string, { Enabled: boolean }>
  [member: string]: unknown
}
type Event = Record<string, unknown> & { RecordType: string }

const bounced = 'HardBounce@bounce-testing.postmarkapp.com'

/** Sends an email, and waits for the outcome. */
async function sendTo(post: Localpost, call: Call, To: string, further: object = {}): Promise<Result> {
  const { body } = await call('POST', '/email', { ...mail, To, ...further })
  expect(body.ErrorCode).toBe(0)
  const { id } = await post.inbox.waitFor({ to: /[^ <]*@[^ >]*/.exec(To)?.[0] ?? '' })
  await expect.poll(async () => (await post.emails.get(id)).last_event.status).not.toBe('sent')
  return body
}

const eventsOf = (received: readonly Received[]): Event[] =>
  received.map(({ text }) => JSON.parse(text) as Event)

describe('bounces', () => {
  test('are listed, found and filtered, with what the server said', async () => {
    const post = await start()
    const call = postmarkCaller(post)
    const { MessageID } = await sendTo(post, call, bounced, { Tag: 'welcome', Metadata: { order: '17' } })
    await sendTo(post, call, 'ada@example.com')
    const listed = await call<{ TotalCount: number; Bounces: Bounce[] }>('GET', '/bounces?count=10&offset=0')
    const [bounce] = listed.body.Bounces
    expect([listed.status, listed.body.TotalCount, bounce]).toEqual([
      200,
      1,
      {
        RecordType: 'Bounce',
        ID: expect.any(Number) as number,
        Type: 'HardBounce',
        TypeCode: 1,
        Name: 'Hard bounce',
        Description: containing('unknown user'),
        Tag: 'welcome',
        MessageID,
        MessageStream: 'outbound',
        Metadata: { order: '17' },
        ServerID: 1,
        Details: containing('5.1.1'),
        Email: bounced,
        From: 'hi@acme.test',
        BouncedAt: isoTime,
        DumpAvailable: true,
        Inactive: false,
        CanActivate: true,
        Subject: 'Hello',
      },
    ])
    const path = `/bounces/${bounce?.ID}`
    expect((await call('GET', path)).body).toEqual(bounce)
    expect((await call('GET', `${path}/dump`)).body).toEqual({ Body: containing('5.1.1') })
    const count = async (query: string): Promise<number> =>
      (await call<{ TotalCount: number }>('GET', `/bounces?count=1&offset=0&${query}`)).body.TotalCount
    const day = new Date().toISOString().slice(0, 10)
    for (const match of [
      'type=HardBounce',
      'emailFilter=hardbounce',
      'tag=welcome',
      `messageID=${MessageID}`,
    ])
      expect([match, await count(match)]).toEqual([match, 1])
    for (const match of ['inactive=false', `fromDate=${day}`, `todate=${day}`, 'messagestream=outbound'])
      expect([match, await count(match)]).toEqual([match, 1])
    for (const other of ['type=SoftBounce', 'inactive=true', 'emailfilter=ada', 'tag=x', 'todate=2001-01-01'])
      expect([other, await count(other)]).toEqual([other, 0])
    const stats = await call('GET', '/deliverystats')
    expect(stats.body).toEqual({
      InactiveMails: 0,
      Bounces: [
        { Name: 'All', Count: 1 },
        { Type: 'HardBounce', Name: 'Hard bounce', Count: 1 },
      ],
    })
    // As the SDK for Node writes it; the document has one spelling.
    const headers = { 'x-postmark-server-token': post.apiKey }
    const other = await post.fetch(new Request('http://localhost/postmark/deliveryStats', { headers }))
    expect(await other.json()).toEqual(stats.body)
  })

  test('deactivate an address where that is switched on, until they are activated', async () => {
    const post = await start({ suppress: 'all' })
    await post.rules.set([{ match: 'gone@example.com', action: 'reject' }])
    const call = postmarkCaller(post)
    await sendTo(post, call, 'gone@example.com')
    const again = await call('POST', '/email', { ...mail, To: 'gone@example.com' })
    expect([again.status, again.body.ErrorCode]).toEqual([422, 406])
    const { body } = await call<{ Bounces: Bounce[] }>('GET', '/bounces?count=10&offset=0&inactive=true')
    const [bounce] = body.Bounces
    expect(bounce?.Email).toBe('gone@example.com')
    const activated = await call<{ Message: string; Bounce: Bounce }>(
      'PUT',
      `/bounces/${bounce?.ID}/activate`,
    )
    expect(activated.body).toMatchObject({ Message: 'OK', Bounce: { ID: bounce?.ID, Inactive: false } })
    expect((await call('POST', '/email', { ...mail, To: 'gone@example.com' })).body.ErrorCode).toBe(0)
  })

  test('leave an entry for another reason where they are activated', async () => {
    const post = await start()
    await post.rules.set([{ match: 'gone@example.com', action: 'reject' }])
    const call = postmarkCaller(post)
    await sendTo(post, call, 'gone@example.com')
    await post.suppressions.add({ address: 'gone@example.com', reason: 'manual' })
    const { body } = await call<{ Bounces: Bounce[] }>('GET', '/bounces?count=10&offset=0')
    const activated = await call<{ Bounce: Bounce }>('PUT', `/bounces/${body.Bounces[0]?.ID}/activate`)
    expect(activated.body.Bounce.Inactive).toBe(true)
    expect((await post.suppressions.list()).count).toBe(1)
  })

  test('that are complaints cannot be activated', async () => {
    const post = await start()
    const call = postmarkCaller(post)
    await sendTo(post, call, 'complaint@simulator.localpost')
    const list = async (): Promise<Bounce[]> =>
      (await call<{ Bounces: Bounce[] }>('GET', '/bounces?count=10&offset=0')).body.Bounces
    await expect.poll(async () => (await list()).length).toBe(1)
    const [bounce] = await list()
    expect(bounce).toMatchObject({ Type: 'SpamComplaint', TypeCode: 100001, CanActivate: false })
    const { status, body } = await call('PUT', `/bounces/${bounce?.ID}/activate`)
    expect([status, body.ErrorCode, body.Message]).toEqual([422, 1003, containing('spam complaint')])
  })

  test.each([
    ['/bounces/17', 1001, 'There is no bounce "17"'],
    ['/bounces/17/dump', 1001, 'no bounce'],
    ['/bounces?count=501&offset=0', 1000, "'count'"],
    ['/bounces?offset=0', 1000, "'count'"],
    ['/bounces?count=500&offset=9501', 1000, "'offset'"],
    ['/bounces?count=1&offset=0&type=Soft', 1000, "'type'"],
    ['/bounces?count=1&offset=0&fromdate=yesterday', 1000, "'fromdate'"],
    ['/bounces?count=1&offset=0&fromdate=2026-02-30', 1000, "'fromdate'"],
    ['/bounces?count=1&offset=0&todate=2026-04-31T10:00', 1000, "'todate'"],
    ['/bounces?count=1&offset=0&page=2', 1000, 'page'],
    ['/messages/outbound?count=1', 700, "'offset'"],
    ['/messages/outbound?count=1&offset=0&opened=1', 700, "'opened'"],
    ['/messages/outbound?count=1&offset=0&status=lost', 700, "'status'"],
    ['/messages/outbound/none/details', 701, 'There is no email "none"'],
    ['/messages/outbound/none/dump', 701, 'no email'],
    ['/webhooks/17', 12, 'There is no webhook "17"'],
    ['/message-streams/A B/suppressions/dump', 1226, 'not the name of a message stream'],
  ])('GET %s is %d', async (path, code, text) => {
    const post = await start()
    const { status, body } = await postmarkCaller(post)('GET', path)
    expect([status, body.ErrorCode, body.Message]).toEqual([422, code, containing(text)])
  })
})

describe('messages', () => {
  test('are listed, filtered and shown with their events', async () => {
    const post = await start()
    const call = postmarkCaller(post)
    const first = await sendTo(post, call, 'ada@example.com', {
      Subject: 'First',
      Tag: 'a',
      Metadata: { Order: '17' },
      MessageStream: 'news',
      HtmlBody: '<p>x</p>',
      Attachments: [{ Name: 'a.txt', Content: 'YQ==' }],
      TrackOpens: true,
    })
    await sendTo(post, call, 'Bob <bob@example.com>', { Subject: 'Second', Cc: 'carl@example.com' })
    const { body } = await call<Listed>('GET', '/messages/outbound?count=1&offset=1')
    expect(body).toEqual({
      TotalCount: 2,
      Messages: [
        {
          Tag: 'a',
          MessageID: first.MessageID,
          MessageStream: 'news',
          To: [{ Email: 'ada@example.com', Name: '' }],
          Cc: [],
          Bcc: [],
          Recipients: ['ada@example.com'],
          ReceivedAt: isoTime,
          From: 'Acme <hi@acme.test>',
          Subject: 'First',
          Attachments: ['a.txt'],
          Status: 'Sent',
          TrackOpens: true,
          TrackLinks: 'None',
          Metadata: { Order: '17' },
          Sandboxed: false,
        },
      ],
    })
    const found = async (query: string): Promise<string[]> =>
      (await call<Listed>('GET', `/messages/outbound?count=9&offset=0&${query}`)).body.Messages.map(
        ({ Subject }) => Subject,
      )
    const day = new Date().toISOString().slice(0, 10)
    for (const query of ['recipient=carl', 'subject=second', 'messagestream=outbound', 'recipient=bob'])
      expect([query, await found(query)]).toEqual([query, ['Second']])
    for (const query of ['tag=a', 'messageStream=news', 'metadata_order=17', 'subject=first'])
      expect([query, await found(query)]).toEqual([query, ['First']])
    for (const query of ['fromEmail=acme', 'status=sent', `fromdate=${day}`, `todate=${day}T23:59:59Z`])
      expect([query, await found(query)]).toEqual([query, ['Second', 'First']])
    for (const query of ['metadata_order=1', 'status=queued', 'todate=2001-01-01', 'recipient=eve'])
      expect([query, await found(query)]).toEqual([query, []])
    const details = await call<Record<string, unknown>>(
      'GET',
      `/messages/outbound/${first.MessageID}/details`,
    )
    expect(details.body).toMatchObject({
      Subject: 'First',
      TextBody: 'It works.',
      HtmlBody: '<p>x</p>',
      Body: containing('Subject: First'),
      MessageEvents: [
        {
          Recipient: 'ada@example.com',
          Type: 'Delivered',
          ReceivedAt: isoTime,
          Details: { DeliveryMessage: containing('250') },
        },
      ],
    })
    const dump = await call<{ Body: string }>('GET', `/messages/outbound/${first.MessageID}/dump`)
    expect(dump.body.Body).toBe(details.body['Body'])
  })

  test('include those of other interfaces', async () => {
    const post = await start()
    const { id } = await post.emails.send({ from: 'a@b.test', to: 'c@d.test', subject: 'Own', text: 'x' })
    const { body } = await postmarkCaller(post)<Listed>('GET', '/messages/outbound?count=9&offset=0')
    expect(body.Messages.map(({ MessageID }) => MessageID)).toEqual([id])
  })
})

describe('webhooks', () => {
  test('have the form of Postmark for every event', async () => {
    const post = await start()
    const { url, received } = await openReceiver()
    const call = postmarkCaller(post)
    const Enabled = { Enabled: true }
    const hook = await call<Hook>('POST', '/webhooks', {
      Url: url,
      HttpAuth: { Username: 'user', Password: 'pass:word' },
      HttpHeaders: [{ Name: 'X-Own', Value: 'yes' }],
      Triggers: {
        Open: { ...Enabled, PostFirstOpenOnly: false },
        Click: Enabled,
        Delivery: Enabled,
        Bounce: { ...Enabled, IncludeContent: false },
        SpamComplaint: Enabled,
        SubscriptionChange: Enabled,
      },
    })
    expect([hook.status, hook.body]).toMatchObject([
      200,
      { Url: url, MessageStream: 'outbound', HttpAuth: { Username: 'user', Password: 'pass:word' } },
    ])
    const { MessageID } = await sendTo(post, call, 'ada@example.com', { Tag: 'a', Metadata: { order: '17' } })
    const { id } = await post.inbox.waitFor({ to: 'ada@example.com' })
    const recipient = 'ada@example.com'
    await post.emails.addEvent(id, { status: 'opened', recipient })
    await post.emails.addEvent(id, { status: 'clicked', recipient, link: 'https://acme.test/' })
    await post.emails.addEvent(id, { status: 'complained', recipient })
    await sendTo(post, call, bounced)
    await eventually(() => expect(received).toHaveLength(7))
    const all = eventsOf(received)
    const of = (type: string): Event[] => all.filter(({ RecordType }) => RecordType === type)
    const common = { MessageID, MessageStream: 'outbound', Tag: 'a', Metadata: { order: '17' } }
    expect(of('Delivery')).toEqual([
      {
        RecordType: 'Delivery',
        ...common,
        ServerID: 1,
        Recipient: recipient,
        DeliveredAt: isoTime,
        Details: containing('250'),
      },
    ])
    const visit = {
      ...common,
      Recipient: recipient,
      Client: { Name: '', Company: '', Family: '' },
      OS: { Name: '', Company: '', Family: '' },
      Platform: 'Unknown',
      UserAgent: expect.any(String) as string,
      Geo: { IP: '127.0.0.1' },
      ReceivedAt: isoTime,
    }
    expect(of('Open')).toEqual([{ RecordType: 'Open', ...visit, FirstOpen: true, ReadSeconds: 0 }])
    expect(of('Click')).toEqual([
      { RecordType: 'Click', ...visit, ClickLocation: 'HTML', OriginalLink: 'https://acme.test/' },
    ])
    expect(of('SpamComplaint')).toMatchObject([
      {
        ...common,
        Type: 'SpamComplaint',
        TypeCode: 100001,
        Inactive: true,
        CanActivate: false,
        Email: recipient,
      },
    ])
    expect(of('Bounce')).toMatchObject([
      {
        Type: 'HardBounce',
        TypeCode: 1,
        Inactive: true,
        CanActivate: true,
        Email: bounced,
        BouncedAt: isoTime,
      },
    ])
    expect(of('SubscriptionChange').map((event) => event['SuppressionReason'])).toEqual([
      'SpamComplaint',
      'HardBounce',
    ])
    expect(of('SubscriptionChange')[0]).toMatchObject({
      ...common,
      Recipient: recipient,
      Origin: 'Recipient',
      SuppressSending: true,
      ChangedAt: isoTime,
    })
    expect(received[0]?.headers).toMatchObject({
      authorization: `Basic ${Buffer.from('user:pass:word').toString('base64')}`,
      'x-own': 'yes',
    })
    const [bounce] = (await call<{ Bounces: Bounce[] }>('GET', '/bounces?count=9&offset=0&type=HardBounce'))
      .body.Bounces
    expect(of('Bounce')[0]?.['ID']).toBe(bounce?.ID)
  })

  test('are changed, listed and removed', async () => {
    const post = await start()
    const { url, received } = await openReceiver()
    const call = postmarkCaller(post)
    const { body } = await call<Hook>('POST', '/webhooks', {
      Url: 'http://127.0.0.1:9/hook',
      Triggers: { Open: { Enabled: true } },
      HttpAuth: { Username: 'user', Password: 'pass' },
    })
    const path = `/webhooks/${body.ID}`
    const changed = await call<Hook>('PUT', path, {
      Url: url,
      Triggers: { Open: { Enabled: false }, Bounce: { Enabled: true } },
      HttpHeaders: [{ Name: 'X-A', Value: 'b' }],
    })
    expect(changed.body).toEqual({
      ...body,
      Url: url,
      HttpHeaders: [{ Name: 'X-A', Value: 'b' }],
      Triggers: {
        ...body.Triggers,
        Open: { Enabled: false, PostFirstOpenOnly: false },
        Bounce: { Enabled: true, IncludeContent: false },
      },
    })
    expect((await call('GET', path)).body).toEqual(changed.body)
    for (const query of ['', '?MessageStream=outbound'])
      expect((await call('GET', `/webhooks${query}`)).body).toEqual({ Webhooks: [changed.body] })
    expect((await call('GET', '/webhooks?MessageStream=news')).body).toEqual({ Webhooks: [] })
    await sendTo(post, call, bounced)
    await eventually(() => expect(received).toHaveLength(1))
    expect(eventsOf(received)[0]?.RecordType).toBe('Bounce')
    const none = await call<Hook>('PUT', path, { HttpAuth: null, HttpHeaders: null })
    expect(none.body).toMatchObject({ HttpAuth: null, HttpHeaders: [] })
    expect((await call('DELETE', path)).body).toEqual({
      ErrorCode: 0,
      Message: `Webhook ${body.ID} removed.`,
    })
    expect((await call('GET', path)).status).toBe(422)
  })

  test('keep both of two changes at once', async () => {
    const post = await start()
    const call = postmarkCaller(post)
    const on = { Enabled: true }
    const { body } = await call<Hook>('POST', '/webhooks', {
      Url: 'http://127.0.0.1:9/hook',
      Triggers: { Bounce: on },
    })
    const path = `/webhooks/${body.ID}`
    await Promise.all(['Open', 'Click'].map((name) => call('PUT', path, { Triggers: { [name]: on } })))
    expect((await call<Hook>('GET', path)).body.Triggers).toMatchObject({ Bounce: on, Open: on, Click: on })
  })

  test('are changed after a change that was refused', async () => {
    const call = postmarkCaller(await start())
    const [on, off] = [{ Enabled: true }, { Enabled: false }]
    const { body } = await call<Hook>('POST', '/webhooks', {
      Url: 'http://127.0.0.1:9/hook',
      Triggers: { Bounce: on },
    })
    const path = `/webhooks/${body.ID}`
    expect((await call('PUT', path, { Triggers: { Bounce: off } })).status).toBe(422)
    expect((await call('PUT', path, { Triggers: { Open: on } })).status).toBe(200)
    expect((await call<Hook>('GET', path)).body.Triggers).toMatchObject({ Bounce: on, Open: on })
  })

  test.each([
    ['no trigger', {}, 'Triggers'],
    ['another stream', { MessageStream: 'news' }, 'MessageStream'],
    [
      'the content of emails',
      { Triggers: { Bounce: { Enabled: true, IncludeContent: true } } },
      'IncludeContent',
    ],
    [
      'the first open',
      { Triggers: { Open: { Enabled: true, PostFirstOpenOnly: true } } },
      'PostFirstOpenOnly',
    ],
    ['a user name with a colon', { HttpAuth: { Username: 'a:b', Password: 'c' } }, 'must have no colon'],
    [
      'two credentials',
      { HttpAuth: { Username: 'a', Password: 'b' }, HttpHeaders: [{ Name: 'authorization', Value: 'x' }] },
      'HttpHeaders[0].Name',
    ],
    [
      'a header that frames the request',
      { HttpHeaders: [{ Name: 'Content-Length', Value: '1' }] },
      'HttpHeaders',
    ],
    ['a header with a line break', { HttpHeaders: [{ Name: 'X-A', Value: 'a\r\nB: c' }] }, 'HttpHeaders'],
    ['an address that must not be called', { Url: 'http://169.254.169.254/' }, 'Url'],
  ] as const)('refuse %s', async (_, wrong, name) => {
    const post = await start()
    const given = {
      Url: 'http://127.0.0.1:9/',
      ...(_ === 'no trigger' ? {} : { Triggers: { Open: { Enabled: true } } }),
    }
    const { status, body } = await postmarkCaller(post)('POST', '/webhooks', { ...given, ...wrong })
    expect([status, body.ErrorCode, body.Message]).toEqual([422, 403, containing(name)])
    expect((await post.webhooks.list()).count).toBe(0)
  })
})

describe('suppressions', () => {
  test('are added, listed, filtered and deleted', async () => {
    const post = await start()
    const call = postmarkCaller(post)
    const path = '/message-streams/outbound/suppressions'
    const Suppressions = [{ EmailAddress: 'Ada@example.com' }, { EmailAddress: 'nobody' }]
    expect((await call('POST', path, { Suppressions })).body).toEqual({
      Suppressions: [
        { EmailAddress: 'Ada@example.com', Status: 'Suppressed', Message: null },
        { EmailAddress: 'nobody', Status: 'Failed', Message: containing('"nobody"') },
      ],
    })
    await post.suppressions.add({ address: 'spam@example.com', reason: 'complaint' })
    const list = async (query = ''): Promise<string[]> => {
      const { body } = await call<{ Suppressions: { EmailAddress: string }[] }>('GET', `${path}/dump${query}`)
      return body.Suppressions.map(({ EmailAddress }) => EmailAddress)
    }
    expect(await list()).toEqual(['Ada@example.com', 'spam@example.com'])
    expect(await list('?suppressionReason=SpamComplaint')).toEqual(['spam@example.com'])
    expect(await list('?origin=customer&count=100&offset=0')).toEqual(['Ada@example.com'])
    expect(await list('?EmailAddress=ada@example.com')).toEqual(['Ada@example.com'])
    expect(await list('?todate=2001-01-01')).toEqual([])
    const gone = ['ada@example.com', 'eve@example.com', 'spam@example.com'].map((EmailAddress) => ({
      EmailAddress,
    }))
    expect((await call('POST', `${path}/delete`, { Suppressions: gone })).body).toEqual({
      Suppressions: [
        { EmailAddress: 'ada@example.com', Status: 'Deleted', Message: null },
        { EmailAddress: 'eve@example.com', Status: 'Deleted', Message: null },
        { EmailAddress: 'spam@example.com', Status: 'Failed', Message: containing('complained') },
      ],
    })
    expect(await list()).toEqual(['spam@example.com'])
  })
})

test('GET /server tells no key', async () => {
  const post = await start()
  const { status, body } = await postmarkCaller(post)<{ ID: number; ApiTokens: string[] }>('GET', '/server')
  expect([status, body.ID, body.ApiTokens]).toEqual([200, 1, []])
})
