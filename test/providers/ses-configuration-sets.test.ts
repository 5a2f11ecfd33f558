import { describe, expect, test } from 'vitest'
import type { Localpost } from '../../src/index.ts'
import { start } from '../support/instance.ts'
import { eventually, openReceiver, type Receiver } from '../webhooks/_receiver.ts'
import { authorizationOf } from './_authorization.ts'
import { containing } from './_resend.ts'
import { sesCaller } from './_ses.ts'

const mail = {
  FromEmailAddress: 'hi@acme.test',
  Destination: { ToAddresses: ['bounce@simulator.amazonses.com'] },
  Content: { Simple: { Subject: { Data: 'Hello' }, Body: { Text: { Data: 'x' } } } },
}
const path = '/configuration-sets'
const topicOf = (id: string): string => `arn:aws:sns:us-east-1:000000000000:${id}`

/** A webhook of the form of SES whose receiver got the request to confirm it. */
async function hook(post: Localpost): Promise<{ id: string; receiver: Receiver }> {
  const receiver = await openReceiver()
  const { id } = await post.webhooks.create({ url: receiver.url, shape: 'ses' })
  await eventually(() => expect(receiver.received).toHaveLength(1))
  return { id, receiver }
}

/** What a receiver got: the types of messages, and those of events with the configuration set of their email. */
function typesOf({ received }: Receiver): string[] {
  return received.map(({ text }) => {
    const { Type, Message } = JSON.parse(text) as Record<'Type' | 'Message', string>
    if (Type !== 'Notification') return Type
    const { eventType, mail } = JSON.parse(Message) as { eventType: string; mail: { tags: object } }
    return `${eventType} of ${String(Reflect.get(mail.tags, 'ses:configuration-set') ?? 'none')}`
  })
}

describe('configuration sets', () => {
  test('are created, listed by pages, read and deleted', async () => {
    const post = await start()
    const call = sesCaller(post)
    for (const ConfigurationSetName of ['b', 'c', 'a'])
      expect((await call('POST', path, { ConfigurationSetName })).status).toBe(200)
    expect(await call('POST', path, { ConfigurationSetName: 'a' })).toMatchObject({
      status: 400,
      type: 'AlreadyExistsException',
    })
    const next = { ConfigurationSets: ['a', 'b'], NextToken: 'b' }
    expect((await call('GET', `${path}?PageSize=2`)).body).toEqual(next)
    expect((await call('POST', '/list-configuration-sets', { PageSize: 2 })).body).toEqual(next)
    expect((await call('POST', '/list-configuration-sets', { NextToken: 'b' })).body).toEqual({
      ConfigurationSets: ['c'],
    })
    expect((await call('GET', `${path}/a`)).body).toMatchObject({ ConfigurationSetName: 'a' })
    expect((await call('DELETE', `${path}/a`)).status).toBe(200)
    for (const method of ['GET', 'DELETE'])
      expect(await call(method, `${path}/a`)).toMatchObject({ status: 404, type: 'NotFoundException' })
    const snapshot = await post.snapshot()
    await post.reset()
    expect((await call('GET', path)).body).toEqual({ ConfigurationSets: [] })
    await post.restore(snapshot)
    expect((await call('GET', path)).body).toEqual({ ConfigurationSets: ['b', 'c'] })
  })

  test('are at most 100, with 10 event destinations each', async () => {
    const post = await start()
    const call = sesCaller(post)
    const { id } = await hook(post)
    for (let i = 0; i < 100; i++) await call('POST', path, { ConfigurationSetName: `s${i}` })
    const full = { status: 400, type: 'LimitExceededException' }
    expect(await call('POST', path, { ConfigurationSetName: 'more' })).toMatchObject(full)
    const EventDestination = { MatchingEventTypes: ['SEND'], SnsDestination: { TopicArn: topicOf(id) } }
    const add = (i: number) =>
      call('POST', `${path}/s1/event-destinations`, { EventDestinationName: `d${i}`, EventDestination })
    for (let i = 0; i < 10; i++) expect((await add(i)).status).toBe(200)
    expect(await add(1)).toMatchObject({ status: 400, type: 'AlreadyExistsException' })
    expect(await add(10)).toMatchObject(full)
  })

  test('that there are not are refused by every send', async () => {
    const post = await start()
    const call = sesCaller(post)
    const ConfigurationSetName = 'nope'
    const refused = { status: 404, type: 'NotFoundException', body: { message: containing('"nope"') } }
    expect(await call('POST', '/outbound-emails', { ...mail, ConfigurationSetName })).toMatchObject(refused)
    const { body } = await call<{ BulkEmailEntryResults: object[] }>('POST', '/outbound-bulk-emails', {
      FromEmailAddress: mail.FromEmailAddress,
      ConfigurationSetName,
      DefaultContent: { Template: { TemplateContent: { Subject: 'x', Text: 'x' }, TemplateData: '{}' } },
      BulkEmailEntries: [{ Destination: mail.Destination }],
    })
    expect(body.BulkEmailEntryResults).toEqual([
      { Status: 'CONFIGURATION_SET_NOT_FOUND', Error: containing('"nope"') },
    ])
    const given = {
      Action: 'SendEmail',
      ConfigurationSetName,
      Source: 'hi@acme.test',
      'Destination.ToAddresses.member.1': 'ada@example.com',
      'Message.Subject.Data': 'x',
      'Message.Body.Text.Data': 'x',
    }
    const answer = await post.fetch(
      new Request('http://localhost/ses-v1/', {
        method: 'POST',
        headers: {
          authorization: authorizationOf('/ses-v1/', post.apiKey),
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: new URLSearchParams(given).toString(),
      }),
    )
    expect([answer.status, await answer.text()]).toEqual([
      400,
      containing('<Code>ConfigurationSetDoesNotExist</Code>'),
    ])
    expect((await post.emails.list()).count).toBe(0)
  })
})

describe('event destinations', () => {
  test('choose the events of a webhook by configuration set and type', async () => {
    const post = await start()
    const call = sesCaller(post)
    const chosen = await hook(post)
    const all = await hook(post)
    for (const ConfigurationSetName of ['shop', 'news']) await call('POST', path, { ConfigurationSetName })
    const definition = {
      Enabled: true,
      MatchingEventTypes: ['BOUNCE', 'RENDERING_FAILURE'],
      SnsDestination: { TopicArn: topicOf(chosen.id) },
    }
    const destinations = `${path}/shop/event-destinations`
    await call('POST', destinations, { EventDestinationName: 'sns', EventDestination: definition })
    expect((await call('GET', destinations)).body).toEqual({
      EventDestinations: [{ Name: 'sns', ...definition }],
    })
    const send = async (ConfigurationSetName?: string): Promise<void> => {
      const count = all.receiver.received.length
      await call('POST', '/outbound-emails', {
        ...mail,
        ...(ConfigurationSetName && { ConfigurationSetName }),
      })
      await eventually(() => expect(all.receiver.received).toHaveLength(count + 2))
    }
    await send('shop')
    await send('news')
    await send()
    const confirmation = 'SubscriptionConfirmation'
    await eventually(() => expect(typesOf(chosen.receiver)).toEqual([confirmation, 'Bounce of shop']))
    const both = (set: string): string[] => [`Send of ${set}`, `Bounce of ${set}`]
    expect(typesOf(all.receiver)).toEqual([confirmation, ...both('shop'), ...both('news'), ...both('none')])
    const changed = { EventDestination: { ...definition, MatchingEventTypes: ['SEND'] } }
    expect((await call('PUT', `${destinations}/sns`, changed)).status).toBe(200)
    await send('shop')
    await eventually(() => expect(typesOf(chosen.receiver).at(-1)).toBe('Send of shop'))
    await call('PUT', `${destinations}/sns`, { EventDestination: { ...definition, Enabled: false } })
    await send('shop')
    await call('DELETE', `${destinations}/sns`)
    await send('shop')
    await eventually(() => expect(typesOf(chosen.receiver).slice(3)).toEqual(both('shop')))
    for (const [method, body] of [['PUT', changed], ['DELETE']] as const)
      expect(await call(method, `${destinations}/sns`, body)).toMatchObject({ status: 404 })
  })

  test('need a topic that stands for a webhook of the form of SES', async () => {
    const post = await start()
    const call = sesCaller(post)
    await call('POST', path, { ConfigurationSetName: 'shop' })
    const other = await post.webhooks.create({ url: 'http://127.0.0.1:9/', events: ['email.sent'] })
    for (const TopicArn of [topicOf(other.id), topicOf('wh_none'), 'arn:aws:sqs:us-east-1:1:x', '']) {
      const EventDestination = { MatchingEventTypes: ['SEND'], SnsDestination: { TopicArn } }
      const given = { EventDestinationName: 'sns', EventDestination }
      expect(await call('POST', `${path}/shop/event-destinations`, given)).toMatchObject({
        status: 400,
        type: 'BadRequestException',
        body: { message: containing('TopicArn') },
      })
    }
    expect(await call('GET', `${path}/none/event-destinations`)).toMatchObject({ status: 404 })
  })
})

describe('a webhook of the form of SES', () => {
  test('is asked to confirm its subscription first, and is confirmed by the URL without a key', async () => {
    const post = await start()
    const { url: own } = await post.listen({ port: 0 })
    const account = await post.accounts.create({ name: 'other' })
    for (const [place, base] of [
      [post, own],
      [post.account('other'), `${own}/a/${account.id}`],
    ] as const) {
      const receiver = await openReceiver()
      const { id } = await place.webhooks.create({ url: receiver.url, shape: 'ses' })
      await eventually(() => expect(receiver.received).toHaveLength(1))
      const [first] = receiver.received
      const message = JSON.parse(first?.text ?? '') as Record<string, string>
      expect(first?.headers).toMatchObject({
        'x-amz-sns-message-type': 'SubscriptionConfirmation',
        'x-amz-sns-message-id': message['MessageId'],
        'x-amz-sns-topic-arn': topicOf(id),
      })
      expect(message).toMatchObject({
        Type: 'SubscriptionConfirmation',
        TopicArn: topicOf(id),
        Signature: '',
      })
      const { SubscribeURL = '', Token } = message
      expect(SubscribeURL).toBe(`${base}/t/w/${Token}`)
      const confirmedAt = async (): Promise<number | undefined> =>
        (await place.webhooks.list()).items.find((one) => one.id === id)?.confirmed
      expect(await confirmedAt()).toBeUndefined()
      const answer = await fetch(SubscribeURL)
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/xml; charset=utf-8'])
      expect(await answer.text()).toContain(`<SubscriptionArn>${topicOf(id)}:`)
      expect(await confirmedAt()).toBeTypeOf('number')
      expect((await fetch(`${SubscribeURL.slice(0, -1)}!`)).status).toBe(404)
      const [delivery] = (await place.webhooks.deliveries()).items
      expect(delivery).toMatchObject({ type: 'webhook.created', email_id: null, state: 'delivered' })
      await place.webhooks.remove(id)
      expect((await fetch(SubscribeURL)).status).toBe(404)
    }
  })

  test('gets no notification while it is being asked', async () => {
    const post = await start()
    let answerFirst = (): void => {}
    const receiver = await openReceiver((response, _, count) => {
      if (count > 1) response.end()
      else answerFirst = () => response.end()
    })
    await post.webhooks.create({ url: receiver.url, shape: 'ses' })
    await eventually(() => expect(receiver.received).toHaveLength(1))
    await sesCaller(post)('POST', '/outbound-emails', mail)
    await post.inbox.waitFor({ subject: 'Hello' })
    expect(receiver.received).toHaveLength(1)
    answerFirst()
    await eventually(() => expect(typesOf(receiver)).toHaveLength(3))
    expect(typesOf(receiver)[0]).toBe('SubscriptionConfirmation')
  })
})
