import { describe, expect, it } from 'vitest'
import { fixedClock, type Localpost, type LocalpostOptions } from '../../src/index.ts'
import type { SendingRequest } from '../../src/sending/types.ts'
import { start } from '../support/instance.ts'
import { temporaryFolder } from '../support/folder.ts'
import { call } from './_send.ts'

const began = Date.parse('2026-01-01T00:00:00Z')
const hour = 3_600_000
const mail: SendingRequest = { from: 'hi@acme.test', to: 'ada@example.com', subject: 'Later', text: 'Hello' }

const open = (options: LocalpostOptions = {}): Promise<Localpost> =>
  start({ clock: fixedClock(began), ...options })

const subjects = async (post: Localpost): Promise<string[]> =>
  (await post.inbox.list()).items.map(({ subject }) => subject)

describe('an email with send_at', () => {
  it('is sent at its time, and is no email before', async () => {
    const post = await open({ maxEmails: 1, maxAgeMs: hour })
    const attachments = [{ name: 'a.txt', content: 'QQ==' }]
    const provider = { name: 'acme', message_id: '1' }
    const { id } = await post.sending.send({ ...mail, attachments, provider, send_at: began + 10 * hour })
    expect(id).toMatch(/^sch_/)
    const [now] = await post.sending.send([{ ...mail, subject: 'Now' }])
    expect(await post.sending.scheduled.get(id)).toMatchObject({
      id,
      send_at: began + 10 * hour,
      created: began,
      to: ['ada@example.com'],
      provider,
    })
    // Retention removes the other email, and not what waits.
    await post.clock.advance(10 * hour - 1)
    expect(await subjects(post)).toEqual([])
    await expect(post.emails.get(now?.id ?? '')).rejects.toMatchObject({ code: 'not_found' })
    await post.clock.advance(1)
    const [sent] = (await post.inbox.list()).items
    expect(sent).toMatchObject({
      subject: 'Later',
      received: began + 10 * hour,
      last_event: { status: 'delivered' },
    })
    expect(await post.inbox.get(sent?.id ?? '')).toMatchObject({
      attachments: [{ filename: 'a.txt' }],
      provider,
    })
    expect((await post.sending.scheduled.list()).count).toBe(0)
    await expect(post.sending.scheduled.get(id)).rejects.toMatchObject({ code: 'not_found' })
  })

  it('in the past is sent at once; more than ten years ahead it is refused', async () => {
    const post = await open()
    for (const send_at of [began, began - hour, '2025-12-31T23:59:59Z', '2026-01-01T01:00:00+01:00', 0])
      expect((await post.sending.send({ ...mail, send_at })).id).toMatch(/^em_/)
    for (const send_at of [began + 11 * 366 * 24 * hour, '2040-01-01T00:00:00Z'])
      await expect(post.sending.send([mail, { ...mail, send_at }])).rejects.toMatchObject({
        code: 'validation_error',
        errors: [{ field: '[1].send_at' }],
      })
  })

  it('is changed, cancelled, and sent at once', async () => {
    const post = await open()
    const send_at = began + hour
    const [first, second, third] = await post.sending.send(
      ['First', 'Second', 'Third'].map((subject) => ({ ...mail, subject, send_at })),
    )
    if (!first || !second || !third) throw new Error('No ids.')
    await post.sending.cancel(first.id)
    const later = new Date(began + 2 * hour).toISOString()
    expect(await post.sending.reschedule(second.id, later)).toMatchObject({ send_at: began + 2 * hour })
    const { id } = await post.sending.sendNow(third.id)
    expect((await post.inbox.get(id)).subject).toBe('Third')
    await post.clock.advance(hour)
    expect(await subjects(post)).toEqual(['Third'])
    await post.clock.advance(hour)
    expect(await subjects(post)).toEqual(['Second', 'Third'])
    for (const act of [
      () => post.sending.cancel(first.id),
      () => post.sending.reschedule(first.id, began),
      () => post.sending.sendNow(third.id),
    ])
      await expect(act()).rejects.toMatchObject({
        code: 'not_found',
        message: expect.stringContaining('sent or cancelled'),
      })
  })

  it('is sent once, whatever is asked at the same time', async () => {
    const post = await open()
    const { id } = await post.sending.send({ ...mail, send_at: began + hour })
    const asked = await Promise.allSettled([
      post.sending.sendNow(id),
      post.sending.sendNow(id),
      post.sending.reschedule(id, began),
      post.sending.cancel(id),
      post.clock.advance(2 * hour),
    ])
    expect(asked).toHaveLength(5)
    expect((await subjects(post)).length).toBeLessThanOrEqual(1)
    expect((await post.sending.scheduled.list()).count).toBe(0)
  })

  it('is sent after a restart, also if its time has passed', async () => {
    const dir = temporaryFolder()
    const post = await open({ dir })
    await post.sending.send({
      ...mail,
      attachments: [{ name: 'a.bin', content: Buffer.alloc(300_000).toString('base64') }],
      send_at: began + hour,
    })
    await post.sending.send({ ...mail, subject: 'Much later', send_at: began + 48 * hour })
    await post.close()
    const again = await open({ dir, clock: fixedClock(began + 24 * hour) })
    await again.clock.advance(0)
    const [sent] = (await again.inbox.list()).items
    expect(sent).toMatchObject({ subject: 'Later', attachment_count: 1, received: began + 24 * hour })
    expect((await again.inbox.get(sent?.id ?? '')).attachments).toMatchObject([{ size_bytes: 300_000 }])
    await again.clock.advance(24 * hour)
    expect(await subjects(again)).toEqual(['Much later', 'Later'])
  })

  it('is taken by /dev/scheduled too, and emptied by a reset', async () => {
    const post = await open()
    const { id } = await post.sending.send({ ...mail, send_at: began + hour })
    const list = await call(post, 'GET', '/dev/scheduled')
    expect(list.body).toMatchObject({ scheduled: [{ id, subject: 'Later' }], count: 1, cursor: null })
    const path = `/dev/scheduled/${id}`
    expect((await call(post, 'GET', path)).body).toMatchObject({ id })
    expect((await call(post, 'PATCH', path, { send_at: began + 5 })).body).toMatchObject({
      send_at: began + 5,
    })
    for (const body of [{}, { send_at: 'soon' }, { send_at: -1 }, { send_at: 1, at: 2 }])
      expect((await call(post, 'PATCH', path, body)).status).toBe(422)
    expect((await call(post, 'POST', `${path}/send`)).body).toEqual({ id: expect.stringMatching(/^em_/) })
    const other = await post.sending.send({ ...mail, send_at: began + hour })
    expect((await call(post, 'DELETE', `/dev/scheduled/${other.id}`)).body).toEqual({ deleted: 1 })
    for (const method of ['GET', 'DELETE'])
      expect((await call(post, method, `/dev/scheduled/${other.id}`)).status).toBe(404)
    await post.sending.send({ ...mail, send_at: began + hour })
    await post.reset()
    await post.clock.advance(2 * hour)
    expect(await subjects(post)).toEqual([])
  })

  it('of another account is sent while that account is not open', async () => {
    const post = await open()
    const { name } = await post.accounts.create({ name: 'team' })
    await post.account(name).sending.send({ ...mail, send_at: began + hour })
    await post.clock.advance(2 * hour)
    expect((await post.account(name).inbox.list()).items).toHaveLength(1)
  })

  it('is sent in the order of the times', async () => {
    const post = await open()
    await post.sending.send(
      Array.from({ length: 60 }, (_, i) => ({
        ...mail,
        subject: `${59 - i}`,
        send_at: began + hour + 59 - i,
      })),
    )
    await post.clock.advance(2 * hour)
    const { items } = await post.emails.list({ limit: 100 })
    expect(items.map(({ subject }) => Number(subject))).toEqual(Array.from({ length: 60 }, (_, i) => 59 - i))
  })
})
