import { createTransport } from 'nodemailer'
import { describe, expect, it } from 'vitest'
import type { RuleInput } from '../../src/rules/types.ts'
import { dialogue, greeted, outcomes } from './_setup.ts'
import { startRetrying } from '../support/instance.ts'

const rules: RuleInput[] = [
  { match: 'reject.test', action: 'reject', code: 551, text: 'Moved away' },
  { match: 'once.test', action: 'greylist' },
  { match: 'often.test', action: 'greylist', times: 100 },
  { match: 'delay.test', action: 'delay', delay_ms: 200 },
  { match: 'drop.test', action: 'drop' },
]

describe('a submission with rules', () => {
  it('is accepted as a whole, with the events that a delivery would have had', async () => {
    const post = await startRetrying({ rules })
    const hosts = ['ok', 'reject', 'once', 'often', 'delay', 'drop'].map((name) => `a@${name}.test`)
    const transport = createTransport(post.smtp)
    const info = await transport.sendMail({ from: 'app@acme.test', to: hosts, subject: 'Hi', text: 'Hello' })
    expect(info.accepted).toEqual(hosts)
    const id = /em_\w+/.exec(info.response)?.[0] ?? ''
    expect(await outcomes(post, id)).toMatchObject({
      'a@ok.test': { status: 'delivered' },
      'a@reject.test': { status: 'bounced', type: 'Permanent', smtp_response: '551 5.1.6 Moved away' },
      'a@once.test': { status: 'delivered' },
      'a@often.test': {
        status: 'bounced',
        type: 'Transient',
        smtp_response: '451 4.7.1 Greylisted, try again later',
      },
      'a@delay.test': { status: 'delivered' },
      'a@drop.test': { status: 'bounced', type: 'Transient', subtype: 'General' },
    })
  })
})

describe('with rejectSubmissions', () => {
  const begin = ['EHLO app.test', 'MAIL FROM:<app@acme.test>']

  it('a submission gets the verdicts as replies', async () => {
    const post = await startRetrying({ rules, rejectSubmissions: true })
    const client = await greeted(post)
    await dialogue(client, begin)
    const started = performance.now()
    const replies = await dialogue(client, [
      'RCPT TO:<a@ok.test>',
      'RCPT TO:<a@reject.test>',
      'RCPT TO:<a@once.test>',
      'RCPT TO:<a@often.test>',
      'RCPT TO:<a@delay.test>',
      'RCPT TO:<bounce@simulator.localpost>',
      'DATA',
    ])
    expect(performance.now() - started).toBeGreaterThanOrEqual(190)
    expect(replies).toEqual([
      '250 2.1.5 Accepted',
      '551 5.1.6 Moved away',
      '451 4.7.1 Greylisted, try again later',
      '451 4.7.1 Greylisted, try again later',
      '250 2.1.5 Accepted',
      '550 5.1.1 No such user',
      '354 End data with <CR><LF>.<CR><LF>',
    ])
    const id = /em_\w+/.exec(await client.say('Subject: Hi\r\n\r\nHello\r\n.'))?.[0] ?? ''
    expect(await outcomes(post, id)).toMatchObject({
      'a@ok.test': { status: 'delivered' },
      'a@delay.test': { status: 'delivered' },
    })
    expect((await post.inbox.get(id)).envelope.rcpt_to).toEqual(['a@ok.test', 'a@delay.test'])
    const again = await dialogue(client, ['MAIL FROM:<app@acme.test>', 'RCPT TO:<a@once.test>'])
    expect(again[1]).toBe('250 2.1.5 Accepted')
  })

  it('a submission to a dropped recipient loses its connection, and nothing is stored', async () => {
    const post = await startRetrying({ rules, rejectSubmissions: true })
    const client = await greeted(post)
    await dialogue(client, [...begin, 'RCPT TO:<a@ok.test>'])
    expect(await client.say('RCPT TO:<a@drop.test>')).toBe('')
    expect(client.isClosed).toBe(true)
    expect(await post.inbox.list()).toMatchObject({ count: 0 })
  })
})
