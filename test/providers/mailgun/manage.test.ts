import { describe, expect, test } from 'vitest'
import { start } from '../../support/instance.ts'
import { mailgunCaller, mail, messages } from './_mailgun.ts'

interface List {
  items: { address: string; created_at: string; code?: string }[]
  paging: Record<'first' | 'next' | 'previous' | 'last', string>
}

describe.each([
  ['bounces', 'bounce', { code: '550', error: '' }],
  ['complaints', 'complaint', {}],
  ['unsubscribes', 'manual', { tags: ['*'] }],
] as const)('%s', (name, reason, members) => {
  const path = `/v3/acme.test/${name}`

  test('are the entries of the suppression list with their reason', async () => {
    const post = await start()
    const call = mailgunCaller(post)
    const added = await call('POST', path, { form: { address: 'Ada@example.com' } })
    expect(added.body).toEqual({
      message: `Address has been added to the ${name} table`,
      address: 'Ada@example.com',
    })
    await call('POST', path, { query: { address: 'bob@example.com' } })
    const list = [{ address: 'carl@example.com' }, { address: 'dora@example.com' }]
    expect((await call('POST', path, { json: list })).body).toEqual({
      message: `2 addresses have been added to the ${name} table`,
    })
    const { items } = await post.suppressions.list()
    expect(items.map((one) => one.reason)).toEqual([reason, reason, reason, reason])
    const one = await call<{ created_at: string }>('GET', `${path}/ada@example.com`)
    expect(one.body).toEqual({ address: 'Ada@example.com', ...members, created_at: one.body.created_at })
    expect(one.body.created_at).toMatch(/^\w{3}, \d{2} \w{3} \d{4} [\d:]{8} UTC$/)
    const removed = await call('DELETE', `${path}/ada@example.com`)
    expect(removed.body).toMatchObject({ address: 'Ada@example.com' })
    expect(await call('GET', `${path}/ada@example.com`)).toEqual({
      status: 404,
      body: { message: `Address not found in ${name} table` },
    })
    await call('DELETE', path)
    expect((await post.suppressions.list()).count).toBe(0)
  })

  test('have pages, and the beginning of addresses as a filter', async () => {
    const post = await start()
    const call = mailgunCaller(post)
    const addresses = Array.from({ length: 5 }, (_, i) => `a${i}@example.com`)
    await call('POST', path, { json: addresses.map((address) => ({ address })) })
    await post.suppressions.add({
      address: 'a2x@example.com',
      reason: reason === 'bounce' ? 'complaint' : 'bounce',
    })
    const get = async (from: string): Promise<List> => {
      const url = new URL(from, 'http://localhost')
      return (await call<List>('GET', url.pathname.replace('/mailgun', '') + url.search)).body
    }
    const seen: string[][] = []
    let page = await get(`${path}?limit=2`)
    for (; page.items.length > 0; page = await get(page.paging.next))
      seen.push(page.items.map((one) => one.address))
    expect(seen).toEqual([addresses.slice(0, 2), addresses.slice(2, 4), addresses.slice(4)])
    const before = await get((await get(page.paging.last)).paging.previous)
    expect(before.items.map((one) => one.address)).toEqual(addresses.slice(1, 3))
    expect((await get(`${path}?term=A3`)).items.map((one) => one.address)).toEqual(['a3@example.com'])
  })

  test('refuse what is no address, and entries of the other lists', async () => {
    const post = await start()
    const call = mailgunCaller(post)
    const other = reason === 'bounce' ? 'complaint' : 'bounce'
    await post.suppressions.add({ address: 'other@example.com', reason: other })
    for (const form of [{ address: 'nobody' }, { address: '' }, {}, { address: 'a@example.com', other: 'x' }])
      expect(await call('POST', path, { form: form as Record<string, string> })).toMatchObject({
        status: 400,
      })
    expect(await call('POST', path, { json: [] })).toMatchObject({ status: 400 })
    const partly = await call('POST', path, { json: [{ address: 'a@example.com' }, { address: 'nobody' }] })
    expect([partly.status, partly.body.message]).toEqual([400, expect.stringContaining('[1].address')])
    for (const method of ['GET', 'DELETE'])
      expect(await call(method, `${path}/other@example.com`)).toMatchObject({ status: 404 })
    expect((await post.suppressions.list()).count).toBe(1)
  })
})

test('a suppressed address gets the event that Mailgun has', async () => {
  const post = await start()
  const call = mailgunCaller(post)
  await call('POST', '/v3/acme.test/bounces', { form: { address: mail.to } })
  const { body } = await call('POST', messages, { form: mail })
  const failed = async (): Promise<object[]> => {
    const path = `/v3/acme.test/events?event=failed&message-id=${encodeURIComponent(body.id)}`
    return (await call<{ items: object[] }>('GET', path)).body.items
  }
  await expect
    .poll(failed, { timeout: 5000 })
    .toMatchObject([{ reason: 'suppress-bounce', severity: 'permanent', 'delivery-status': { code: 605 } }])
})

describe.each(['v3', 'v4'])('/%s/domains', (version) => {
  test('are the domains of this account', async () => {
    const post = await start()
    const call = mailgunCaller(post)
    const path = `/${version}/domains`
    const created = await call('POST', path, { form: { name: 'mail.acme.test', spam_action: 'disabled' } })
    expect(created.body).toMatchObject({
      message: 'Domain has been created',
      domain: { name: 'mail.acme.test', state: 'unverified' },
      receiving_dns_records: [],
    })
    expect((await call('GET', path)).body).toMatchObject({
      total_count: 1,
      items: [{ name: 'mail.acme.test' }],
    })
    expect((await call('GET', `${path}?state=active&limit=5&skip=0`)).body).toEqual({
      total_count: 0,
      items: [],
    })
    const got = await call<{ sending_dns_records: { record_type: string }[] }>(
      'GET',
      `${path}/MAIL.acme.test`,
    )
    expect(got.body.sending_dns_records.map((one) => one.record_type).sort()).toEqual([
      'MX',
      'TXT',
      'TXT',
      'TXT',
    ])
    expect(await call('POST', path, { form: { name: 'mail.acme.test' } })).toMatchObject({ status: 400 })
    const wrong = ['POST', 'DELETE'].map(
      (method) => [method, method === 'POST' ? { name: 'x y' } : null] as const,
    )
    for (const [method, form] of wrong)
      expect(
        await call(method, form ? path : `${path}/none.test`, form ? { form } : undefined),
      ).toMatchObject({
        status: form ? 400 : 404,
      })
    const unverified = { form: { ...mail, from: 'hi@mail.acme.test' } }
    expect(await call('POST', '/v3/mail.acme.test/messages', unverified)).toMatchObject({ status: 403 })
    expect(await call('DELETE', `${path}/mail.acme.test`)).toMatchObject({ status: 200 })
    expect((await post.domains.list()).count).toBe(0)
  })
})
