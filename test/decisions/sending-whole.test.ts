import { describe, expect, it } from 'vitest'
import { fixedClock } from '../../src/index.ts'
import { goodMail } from '../support/mail.ts'
import { open } from './helpers.ts'

const { from, subject, text } = goodMail

describe('whole requests', () => {
  it('sending.whole: take what the interface does not have, and refuse unknown members', async () => {
    const { post } = await open()
    const whole = {
      from,
      to: ['ada@example.com', 'Bob <bob@example.com>'],
      subject,
      text,
      metadata: { order: '17' },
    }
    const { id, warnings } = await post.sending.send(whole)
    expect(warnings.join()).not.toContain('array')
    expect((await post.inbox.get(id)).metadata).toEqual({ order: '17' })
    expect(Object.keys(await post.emails.get(id))).not.toContain('metadata')
    const unknown = { ...whole, colour: 'red' }
    await expect(post.sending.send(unknown)).rejects.toThrow('unknown members: colour')
  })

  it('sending.whole-recipients: have up to 1000 recipients, where the interface has 50', async () => {
    const { post } = await open()
    const to = (count: number): string[] => Array.from({ length: count }, (_, i) => `u${i}@example.com`)
    await expect(post.emails.send({ from, to: to(51), subject, text })).rejects.toThrow('at most 50')
    const { id } = await post.sending.send({ from, to: to(51), subject, text })
    expect((await post.emails.get(id)).recipient_statuses).toHaveLength(51)
    await expect(
      post.sending.send({ from, to: to(1000), cc: 'more@example.com', subject, text }),
    ).rejects.toThrow('at most 1000')
  })

  it('sending.reply-to: may have several addresses, which are one Reply-To field', async () => {
    const { post } = await open()
    const reply_to = ['Help <help@acme.test>', 'sales@acme.test']
    const { id } = await post.sending.send({ from, to: 'ada@example.com', reply_to, subject, text })
    expect((await post.inbox.get(id)).reply_to).toBe('Help <help@acme.test>, sales@acme.test')
    await expect(
      post.emails.send({ from, to: 'ada@example.com', reply_to: reply_to.join(', '), subject, text }),
    ).rejects.toThrow('more than one')
  })

  it('sending.scheduled: are an email once they are sent, and then with that time', async () => {
    const began = Date.parse('2026-01-01T00:00:00Z')
    const { post } = await open({ clock: fixedClock(began) })
    const to = 'ada@example.com'
    const { id } = await post.sending.send({ from, to, subject: 'Later', text, send_at: began + 60_000 })
    const other = await post.emails.send({ from, to, subject: 'Now', text })
    expect((await post.emails.list()).items.map((one) => one.id)).toEqual([other.id])
    await expect(post.emails.get(id)).rejects.toMatchObject({ code: 'not_found' })
    await post.clock.advance('2m')
    const [sent, ...others] = (await post.emails.list()).items
    expect(sent).toMatchObject({ subject: 'Later', email_sent_timestamp: began + 60_000 })
    expect(others.map((one) => one.id)).toEqual([other.id])
  })

  it('sending.suppressed: get no mail while they are on the suppression list', async () => {
    const { post } = await open()
    await post.suppressions.add({ address: 'ada@example.com' })
    const { id } = await post.emails.send({ from, to: 'Ada@example.com', subject, text })
    await expect
      .poll(async () => (await post.emails.get(id)).last_event, { timeout: 10_000 })
      .toMatchObject({ status: 'bounced', type: 'Permanent', subtype: 'OnAccountSuppressionList' })
    expect((await post.suppressions.list()).count).toBe(1)
  })
})
