import { expect, test } from 'vitest'
import { describeBoth } from './_face.ts'
import { goodMail } from '../support/mail.ts'

describeBoth('/v1', (open) => {
  test('sends an email: 200 with its id, and it can be read', async () => {
    const { call } = await open()
    const sent = await call('POST', '/v1/emails', { body: goodMail })
    expect(sent.status).toBe(200)
    const { id, ...rest } = (await sent.json()) as { id: string }
    expect(rest).toEqual({})
    const detail = await call('GET', `/v1/emails/${id}`)
    expect(await detail.json()).toMatchObject({
      id,
      from: 'Acme <hi@acme.test>',
      to: ['ada@example.com'],
      text: 'Hello Ada',
    })
  })

  test('lists emails with the members of a list, always with a cursor', async () => {
    const { call } = await open({ pageSize: 2 })
    expect(await (await call('GET', '/v1/emails')).json()).toEqual({ emails: [], count: 0, cursor: null })
    for (const subject of ['one', 'two', 'three'])
      await call('POST', '/v1/emails', { body: { ...goodMail, subject } })
    const first = (await (await call('GET', '/v1/emails')).json()) as {
      emails: { subject: string }[]
      cursor: string
    }
    expect(first).toMatchObject({ count: 3, emails: [{ subject: 'three' }, { subject: 'two' }] })
    const second = await call('GET', `/v1/emails?cursor=${first.cursor}`)
    expect(await second.json()).toMatchObject({ count: 3, cursor: null, emails: [{ subject: 'one' }] })
  })

  test('treats an empty cursor and the literal null as the first page', async () => {
    const { call } = await open()
    for (const query of ['cursor=', 'cursor=null', '', 'unknown=1']) {
      expect((await call('GET', `/v1/emails?${query}`)).status).toBe(200)
    }
  })

  test('refuses a cursor of another list with 422 invalid_cursor', async () => {
    const { call } = await open()
    for (const path of ['/v1/emails', '/v1/domains', '/v1/audiences']) {
      const response = await call('GET', `${path}?cursor=nonsense`)
      expect(response.status).toBe(422)
      expect(await response.json()).toMatchObject({ name: 'invalid_cursor' })
    }
  })

  test('creates a domain: 201 with its records; then it is listed and read', async () => {
    const { call } = await open()
    const created = await call('POST', '/v1/domains', { body: { name: 'Mail.Acme.com' } })
    expect(created.status).toBe(201)
    const domain = (await created.json()) as { id: string }
    expect(domain).toMatchObject({ name: 'mail.acme.com', status: 'NOT_STARTED' })
    expect(Object.keys(domain).sort()).toEqual(['dns_records', 'id', 'name', 'status'])
    expect(await (await call('GET', '/v1/domains')).json()).toMatchObject({ count: 1, cursor: null })
    expect(await (await call('GET', `/v1/domains/${domain.id}`)).json()).toMatchObject({
      open_tracking_enabled: false,
    })
    const twice = await call('POST', '/v1/domains', { body: { name: 'mail.acme.com' } })
    expect([twice.status, await twice.json()]).toMatchObject([409, { name: 'domain_exists' }])
  })

  test('lists audiences and their contacts', async () => {
    const { call, post } = await open()
    const { id } = await post.audiences.create({ name: 'Beta' })
    await post.audiences.contacts.add(id, { email: 'ada@example.com' })
    expect(await (await call('GET', '/v1/audiences')).json()).toMatchObject({
      count: 1,
      audiences: [{ contact_count: 1 }],
    })
    const contacts = await (await call('GET', `/v1/audiences/${id}/contacts?cursor=`)).json()
    expect(contacts).toMatchObject({ count: 1, cursor: null, contacts: [{ email: 'ada@example.com' }] })
  })

  test('answers unknown ids with 404 not_found', async () => {
    const { call } = await open()
    for (const path of [
      '/v1/emails/x',
      '/v1/domains/x',
      '/v1/audiences/x/contacts',
      '/v1/emails/a%2Fb',
      '/v1/emails/%F0%9F%93%AE',
    ]) {
      const response = await call('GET', path)
      expect([path, response.status, await response.json()]).toMatchObject([
        path,
        404,
        { name: 'not_found', statusCode: 404 },
      ])
    }
  })

  test('gives the same answer to the same Idempotency-Key, and 409 to another body', async () => {
    const { call } = await open()
    const headers = { 'Idempotency-Key': 'order-1' }
    const first = await (await call('POST', '/v1/emails', { body: goodMail, headers })).json()
    const again = await (await call('POST', '/v1/emails', { body: goodMail, headers })).json()
    expect(again).toEqual(first)
    const other = await call('POST', '/v1/emails', { body: { ...goodMail, subject: 'Other' }, headers })
    expect([other.status, await other.json()]).toMatchObject([409, { name: 'idempotency_conflict' }])
    const long = await call('POST', '/v1/emails', {
      body: goodMail,
      headers: { 'Idempotency-Key': 'x'.repeat(257) },
    })
    expect([long.status, await long.json()]).toMatchObject([422, { errors: [{ field: 'Idempotency-Key' }] }])
    expect(await (await call('GET', '/v1/emails')).json()).toMatchObject({ count: 1 })
  })

  test('names every wrong member in one 422', async () => {
    const { call } = await open()
    const response = await call('POST', '/v1/emails', { body: { from: 1, subject: 'x' } })
    expect(response.status).toBe(422)
    const { errors } = (await response.json()) as { errors: { field: string }[] }
    expect(errors.map(({ field }) => field)).toEqual(expect.arrayContaining(['from', 'to', 'html']))
  })

  test('uses the code of the failed resource: a missing template, a domain that is not verified', async () => {
    const { call } = await open()
    const template = await call('POST', '/v1/emails', { body: { ...goodMail, template_id: 'welcome' } })
    expect([template.status, await template.json()]).toMatchObject([404, { name: 'template_not_found' }])
    await call('POST', '/v1/domains', { body: { name: 'acme.com' } })
    const unverified = await call('POST', '/v1/emails', { body: { ...goodMail, from: 'a@acme.com' } })
    expect([unverified.status, await unverified.json()]).toMatchObject([403, { name: 'domain_not_verified' }])
  })
})
