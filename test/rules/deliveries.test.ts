import { describe, expect, it } from 'vitest'
import type { RuleInput } from '../../src/rules/types.ts'
import type { Localpost } from '../../src/instance/instance.ts'
import type { LocalpostOptions } from '../../src/options/options.ts'
import { outcomes, type Outcome } from './_setup.ts'
import { start } from '../support/instance.ts'

const three = 'a@ok.test, b@bad.test, c@ok.test'

async function sendUnder(
  rules: RuleInput[],
  to: string = three,
  options: LocalpostOptions = {},
): Promise<{ post: Localpost; id: string; last: Record<string, Outcome> }> {
  const post = await start({ rules, retryDelaysMs: [20, 20], ...options })
  const { id } = await post.emails.send({ from: 'hi@acme.test', to, subject: 'Hi', text: 'Hello' })
  return { post, id, last: await outcomes(post, id) }
}

const accepted = { status: 'delivered', smtp_response: '250 2.6.0 OK: delivered' }

describe('a delivery with rules', () => {
  it('bounces for rejected recipients only', async () => {
    const { last } = await sendUnder([{ match: 'bad.test', action: 'reject' }])
    expect(last).toMatchObject({
      'a@ok.test': accepted,
      'b@bad.test': {
        status: 'bounced',
        type: 'Permanent',
        subtype: 'General',
        smtp_response: '550 5.1.1 Refused by a rule',
      },
      'c@ok.test': accepted,
    })
  })

  it('bounces with the description of the codes', async () => {
    const { last } = await sendUnder([
      { match: 'a@*', action: 'reject', code: 552 },
      { match: 'b@*', action: 'reject', code: 452, enhanced_code: '4.3.4', text: 'Too large' },
      { match: 'c@*', action: 'reject', code: 554, enhanced_code: '5.7.1' },
    ])
    expect(last).toMatchObject({
      'a@ok.test': {
        type: 'Transient',
        subtype: 'MailboxFull',
        smtp_response: expect.stringMatching(/^552 5\.2\.2 /) as string,
      },
      'b@bad.test': { type: 'Transient', subtype: 'MessageTooLarge', smtp_response: '452 4.3.4 Too large' },
      'c@ok.test': {
        type: 'Transient',
        subtype: 'ContentRejected',
        smtp_response: expect.stringMatching(/^554 5\.7\.1 /) as string,
      },
    })
  })

  it.each([
    ['once more than it is tried', 1, 'delivered'],
    ['as long as it is tried', 3, 'bounced'],
  ])('is tried again for greylisted recipients: %s', async (_, times, status) => {
    const { post, id, last } = await sendUnder([{ match: 'bad.test', action: 'greylist', times }])
    expect(last).toMatchObject({ 'a@ok.test': accepted, 'b@bad.test': { status }, 'c@ok.test': accepted })
    if (status === 'bounced')
      expect(last['b@bad.test']).toMatchObject({
        type: 'Transient',
        smtp_response: expect.stringMatching(/^451 4\.7\.1 /) as string,
      })
    const { recipients } = await post.inbox.get(id)
    expect(recipients[1]?.events.map((event) => event.status)).toEqual(['sent', status])
    const wait = (last['b@bad.test']?.timestamp ?? 0) - (last['a@ok.test']?.timestamp ?? 0)
    expect(wait).toBeGreaterThanOrEqual(20)
  })

  it('waits for delayed recipients', async () => {
    const { post, id, last } = await sendUnder([{ match: 'bad.test', action: 'delay', delay_ms: 300 }])
    expect(last).toMatchObject({ 'a@ok.test': accepted, 'b@bad.test': accepted, 'c@ok.test': accepted })
    const [sent, delivered] = (await post.inbox.get(id)).recipients[1]?.events ?? []
    expect((delivered?.timestamp ?? 0) - (sent?.timestamp ?? 0)).toBeGreaterThanOrEqual(290)
  })

  it.each([[[20, 20]], [[]]])(
    'whose connection is cut reaches the others all the same, with waits %j',
    async (retryDelaysMs) => {
      const to = `rejected@bad.test, ${three}`
      const rules: RuleInput[] = [
        { match: 'rejected@*', action: 'reject' },
        { match: 'bad.test', action: 'drop' },
      ]
      const { post, id, last } = await sendUnder(rules, to, { retryDelaysMs })
      expect(last).toMatchObject({
        'rejected@bad.test': { status: 'bounced', type: 'Permanent' },
        'a@ok.test': accepted,
        'b@bad.test': { status: 'bounced', type: 'Transient', subtype: 'General' },
        'c@ok.test': accepted,
      })
      expect(last['b@bad.test']?.smtp_response).toMatch(/closed/)
      for (const { events } of (await post.inbox.get(id)).recipients) expect(events).toHaveLength(2)
    },
  )

  it('ends at a reply of 421 too, and reaches the other recipients', async () => {
    const { last } = await sendUnder([{ match: 'bad.test', action: 'reject', code: 421 }])
    expect(last).toMatchObject({ 'a@ok.test': accepted, 'c@ok.test': accepted })
    expect(last['b@bad.test']).toMatchObject({ status: 'bounced', type: 'Transient' })
  })

  it('follows the first rule that matches', async () => {
    const { last } = await sendUnder([
      { match: 'b@bad.test', action: 'accept' },
      { match: 'bad.test', action: 'reject' },
      { match: 'c@ok.test', action: 'reject', code: 553 },
      { match: '*', action: 'accept' },
    ])
    expect(last).toMatchObject({
      'b@bad.test': accepted,
      'c@ok.test': { smtp_response: expect.stringMatching(/^553 /) as string },
    })
  })

  it('matches an internationalised domain by its A-labels too', async () => {
    const { last } = await sendUnder([{ match: '*@bücher.example', action: 'reject' }], 'a@BÜCHER.example')
    expect(Object.values(last)).toMatchObject([{ status: 'bounced' }])
  })

  it('does not apply to the simulator, unless a rule names the whole address', async () => {
    const [success, bounce] = ['success@simulator.localpost', 'bounce@simulator.localpost']
    const { last } = await sendUnder(
      [
        { match: 'simulator.localpost', action: 'drop' },
        { match: '*', action: 'reject', code: 554 },
        { match: bounce, action: 'accept' },
      ],
      `${success}, ${bounce}, bounce+x@simulator.localpost`,
    )
    expect(last).toMatchObject({
      [success]: accepted,
      [bounce]: accepted,
      'bounce+x@simulator.localpost': { smtp_response: '550 5.1.1 No such user' },
    })
  })

  it('follows rules that are set while it waits', async () => {
    const post = await start({
      rules: [{ match: '*', action: 'greylist', times: 100 }],
      retryDelaysMs: [300],
    })
    const { id } = await post.emails.send({ from: 'a@x.test', to: 'b@y.test', subject: 'Hi', text: 'x' })
    await post.rules.set([])
    expect(await outcomes(post, id)).toMatchObject({ 'b@y.test': { status: 'delivered' } })
  })
})
