import { describe, expect, it } from 'vitest'
import type { RuleInput } from '../../src/rules/types.ts'
import type { Localpost } from '../../src/instance/instance.ts'
import { recipientStateSchema } from '../../src/emails/event-schema.ts'
import { createCauseOf } from '../../src/rules/verdicts.ts'
import { startRetrying } from '../support/instance.ts'

const send = async (post: Localpost, to: string): Promise<string> =>
  (await post.emails.send({ from: 'Acme <hi@acme.test>', to, subject: 'x', text: 'x' })).id

/** The causes of the events of a mail to an address that have one. */
async function causesOf(post: Localpost, to: string): Promise<[status: string, cause: unknown][]> {
  const id = await send(post, to)
  await expect.poll(async () => (await post.inbox.get(id)).last_event.status).not.toBe('sent')
  const { recipients } = await post.inbox.get(id)
  return recipients.flatMap(({ events }) =>
    events.flatMap((event) =>
      'cause' in event && event.cause ? [[event.status, event.cause] as [string, unknown]] : [],
    ),
  )
}

describe('the cause of an event', () => {
  it.each<[rule: RuleInput, cause: object | null]>([
    [
      { match: '*@example.com', action: 'reject', code: 550 },
      { match: '*@example.com', action: 'reject' },
    ],
    [
      { match: 'ada@example.com', action: 'reject', code: 451 },
      { match: 'ada@example.com', action: 'reject' },
    ],
    [
      { match: 'example.com', action: 'greylist', times: 9 },
      { match: 'example.com', action: 'greylist' },
    ],
    [
      { match: 'example.com', action: 'drop' },
      { match: 'example.com', action: 'drop' },
    ],
    [{ match: 'example.com', action: 'accept' }, null],
    [{ match: 'other.test', action: 'reject' }, null],
  ])('is the rule %o', async (rule, cause) => {
    const post = await startRetrying({ rules: [rule] })
    const expected = cause ? [['bounced', { kind: 'rule', ...cause }]] : []
    expect(await causesOf(post, 'ada@example.com')).toEqual(expected)
  })

  it.each([
    ['bounce', ['bounced']],
    ['mailboxfull', ['bounced']],
    ['suppressionlist', ['bounced']],
    ['nobody-like-it', ['bounced']],
    ['complaint', ['complained']],
    ['success', []],
  ])('is the simulator for %s@simulator.localpost', async (name, statuses) => {
    const post = await startRetrying()
    const causes = await causesOf(post, `${name}@simulator.localpost`)
    expect(causes).toEqual(statuses.map((status) => [status, { kind: 'simulator' }]))
  })

  it('is kept with a delay', async () => {
    const post = await startRetrying({ retryDelaysMs: [60_000] })
    expect(await causesOf(post, 'delayed@simulator.localpost')).toEqual([
      ['delivery_delayed', { kind: 'simulator' }],
    ])
  })

  it('is the first rule that matches, before the simulator, and none where a fault replied', async () => {
    const match = 'bounce@simulator.localpost'
    const post = await startRetrying({ rules: [{ match, action: 'reject', code: 552 }] })
    expect(await causesOf(post, match)).toEqual([['bounced', { kind: 'rule', match, action: 'reject' }]])
    // A fault gave another reply than the rule would.
    const causeOf = createCauseOf(() => ({
      match: 'example.com',
      action: 'reject',
      code: 550,
      enhanced_code: '5.1.1',
      text: 'No',
    }))
    expect(causeOf('ada@example.com', 554)).toBeUndefined()
    expect(createCauseOf()('bounce@simulator.localpost', 421)).toBeUndefined()
  })

  it('may be missing, and is not shown by /v1', async () => {
    const event = { timestamp: 1, status: 'bounced', type: 'Permanent', subtype: 'General' }
    expect(recipientStateSchema.parse({ recipient: 'a@x.test', events: [event] }).events).toEqual([event])
    const post = await startRetrying()
    const id = await send(post, 'bounce@simulator.localpost')
    await post.inbox.waitFor({ id })
    expect(JSON.stringify([await post.emails.get(id), await post.emails.list()])).not.toContain('cause')
  })
})
