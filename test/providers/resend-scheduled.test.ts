import { describe, expect, test } from 'vitest'
import { fixedClock } from '../../src/index.ts'
import { start } from '../support/instance.ts'
import { containing, mail, resendCaller, type ResendError } from './_resend.ts'

describe('scheduled_at', () => {
  test('is ISO 8601 or a span of time, by the clock of the instance', async () => {
    const now = Date.parse('2026-01-01T00:00:00Z')
    const post = await start({ clock: fixedClock(now) })
    const call = resendCaller(post)
    const spans = {
      'in 1 min': 60_000,
      'in 90 seconds': 90_000,
      'In 2 Hours': 7_200_000,
      'in 1 day': 86_400_000,
      'in 2 weeks': 1_209_600_000,
      '2026-01-01T00:10:00.000Z': 600_000,
      '2026-01-01T02:10:00+02:00': 600_000,
    }
    const given = Object.keys(spans).map((scheduled_at) => ({ ...mail, subject: scheduled_at, scheduled_at }))
    const { body } = await call<{ data: { id: string }[] }>('POST', '/emails/batch', given)
    const ids = body.data.map(({ id }) => id)
    const get = async (id = ''): Promise<Record<string, unknown>> =>
      (await call<Record<string, unknown>>('GET', `/emails/${id}`)).body
    for (const [i, ms] of Object.values(spans).entries()) {
      expect(await get(ids[i])).toMatchObject({
        id: ids[i],
        last_event: 'scheduled',
        scheduled_at: new Date(now + ms).toISOString(),
        text: 'It works.',
        to: ['ada@example.com'],
      })
    }
    await post.clock.advance(59_999)
    expect((await post.inbox.list()).count).toBe(0)
    await post.clock.advance(1)
    await post.inbox.waitFor({ subject: 'in 1 min' })
    expect(await get(ids[0])).toMatchObject({ id: ids[0], scheduled_at: null })
    expect((await post.inbox.list()).count).toBe(1)
  })

  test('is refused in any other form', async () => {
    const post = await start()
    const call = resendCaller(post)
    for (const scheduled_at of [
      'tomorrow at noon',
      'in 1',
      'in 1 month',
      'in 31 days',
      '2026-01-01',
      '2026-01-01T00:10:00',
      '',
    ]) {
      const { status, body } = await call<ResendError>('POST', '/emails', { ...mail, scheduled_at })
      expect([status, body.message], scheduled_at).toEqual([422, containing('`scheduled_at`')])
    }
    expect((await post.sending.scheduled.list()).count + (await post.emails.list()).count).toBe(0)
  })

  test('as a span is the same in a repeated request', async () => {
    const post = await start({ clock: fixedClock('2026-01-01T00:00:00Z') })
    const call = resendCaller(post)
    const headers = { 'idempotency-key': 'later' }
    const first = await call('POST', '/emails', { ...mail, scheduled_at: 'in 1 hour' }, headers)
    await post.clock.advance(60_000)
    const second = await call('POST', '/emails', { ...mail, scheduled_at: 'in 1 hour' }, headers)
    expect(second.body).toEqual(first.body)
    const other = await call('POST', '/emails', { ...mail, scheduled_at: 'in 2 hours' }, headers)
    expect(other.status).toBe(409)
    expect((await post.sending.scheduled.list()).count).toBe(1)
  })

  test('near 30 days ahead is read in the same way in a repeated batch', async () => {
    const now = Date.parse('2026-01-01T00:00:00Z')
    const post = await start({ clock: fixedClock(now) })
    const at = (ms: number): string => new Date(now + 30 * 86_400_000 + ms).toISOString()
    const batch = [at(1000), at(-1000), at(2000)].map((scheduled_at) => ({ ...mail, scheduled_at }))
    const headers = { 'idempotency-key': 'month', 'x-batch-validation': 'permissive' }
    const send = () => resendCaller(post)('POST', '/emails/batch', batch, headers)
    const first = await send()
    expect(first).toMatchObject({ status: 200, body: { data: [{}], errors: [{ index: 0 }, { index: 2 }] } })
    await post.clock.advance(5000)
    expect((await send()).body).toEqual(first.body)
    expect((await post.sending.scheduled.list()).count).toBe(1)
  })

  test('can be changed, and the email cancelled, until it is sent', async () => {
    const post = await start({ clock: fixedClock('2026-01-01T00:00:00Z') })
    const call = resendCaller(post)
    const { id } = (await call('POST', '/emails', { ...mail, scheduled_at: 'in 1 hour' })).body
    const late = await call<ResendError>('PATCH', `/emails/${id}`, { scheduled_at: '2030-01-01T00:00:00Z' })
    expect([late.status, late.body.message]).toEqual([422, containing('at most 30 days ahead')])
    const changed = await call('PATCH', `/emails/${id}`, { scheduled_at: 'in 2 days' })
    expect(changed.body).toEqual({ object: 'email', id })
    expect((await call('GET', `/emails/${id}`)).body).toMatchObject({
      scheduled_at: '2026-01-03T00:00:00.000Z',
    })
    expect((await call('POST', `/emails/${id}/cancel`)).body).toEqual({ object: 'email', id })
    expect((await call('GET', `/emails/${id}`)).status).toBe(404)
    const sent = await call('POST', '/emails', mail)
    for (const [method, path, body] of [
      ['PATCH', '', { scheduled_at: 'in 1 min' }],
      ['POST', '/cancel', undefined],
    ] as const) {
      const refused = await call<ResendError>(method, `/emails/${sent.body.id}${path}`, body)
      expect([refused.status, refused.body.message]).toEqual([422, containing('was sent already')])
    }
  })
})
