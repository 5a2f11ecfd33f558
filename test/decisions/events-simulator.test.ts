import { createTransport } from 'nodemailer'
import { describe, expect, it } from 'vitest'
import { bounceOf, parseReply } from '../../src/outbox/replies.ts'
import { open, shared, statusesOf, until } from './helpers.ts'
import { openMailServer } from './servers.ts'

const html = '<p><a href="https://acme.test/x">x</a></p>'

describe('bounces', () => {
  it('events.bounce-types: type and subtype follow from the enhanced code, in one table', async () => {
    const table: Record<string, [type: string, subtype: string]> = {
      '550 5.1.1 No such user': ['Permanent', 'General'],
      '551 5.5.0 No': ['Permanent', 'General'],
      '550 no code': ['Permanent', 'General'],
      '554 5.9.9 Odd': ['Permanent', 'General'],
      '552 5.2.2 Full': ['Transient', 'MailboxFull'],
      '452 4.2.2 Full': ['Transient', 'MailboxFull'],
      '552 5.3.4 Too large': ['Transient', 'MessageTooLarge'],
      '452 4.3.4 Too large': ['Transient', 'MessageTooLarge'],
      '550 5.7.1 Spam': ['Transient', 'ContentRejected'],
      '550 5.7.26 DMARC': ['Transient', 'ContentRejected'],
      '451 4.7.0 Wait': ['Transient', 'ContentRejected'],
      '451 4.4.1 Later': ['Transient', 'General'],
      '421 no code': ['Transient', 'General'],
    }
    const replies = Object.keys(table)
    const server = await openMailServer((to) => replies[Number(/\d+/.exec(to))] ?? '250 OK')
    const face = await open({ relay: server.url, relayAll: true, retryDelaysMs: [] })
    const email = await face.settled(await face.send({ to: replies.map((_, i) => `r${i}@x.test`) }))
    const { recipient_statuses } = await face.item(email.id)
    const found = recipient_statuses.map((entry, i) => {
      const bounce = entry.status === 'bounced' ? [entry.type, entry.subtype] : [entry.status]
      return [replies[i], bounce]
    })
    expect(Object.fromEntries(found)).toEqual(table)
    // The same table, without a server in between: a retry would hide 4.1.1.
    expect(bounceOf(parseReply('450 4.1.1 Gone'))).toEqual({ type: 'Permanent', subtype: 'General' })
    expect(bounceOf({ reply_code: 0, enhanced_code: null, text: 'lost' })).toMatchObject({
      type: 'Transient',
    })
  })

  it('events.bounce-types: the words are those of SES, and no others', async () => {
    const face = await open()
    const { components } = await face.get<{ components: { schemas: Record<string, unknown> } }>(
      '/dev/openapi.json',
    )
    const words = JSON.stringify(components.schemas['LastEventBounced'])
    const enums = [...words.matchAll(/"enum":(\[[^\]]*\])/g)].map(
      ([, list]) => JSON.parse(list ?? '[]') as string[],
    )
    expect(enums).toContainEqual(['Permanent', 'Transient', 'Undetermined'])
    expect(enums.find((list) => list.includes('MailboxFull'))?.sort()).toEqual(
      (
        'General NoEmail Suppressed OnAccountSuppressionList MailboxFull MessageTooLarge ContentRejected ' +
        'AttachmentRejected Undetermined'
      )
        .split(' ')
        .sort(),
    )
  })
})

describe('the simulator', () => {
  const face = shared()
  const outcomes: Record<string, string[]> = {
    success: ['sent', 'delivered'],
    bounce: ['sent', 'bounced'],
    softbounce: ['sent', 'bounced'],
    mailboxfull: ['sent', 'bounced'],
    complaint: ['sent', 'delivered', 'complained'],
    suppressionlist: ['sent', 'bounced'],
    delayed: ['sent', 'delivery_delayed', 'delivered'],
    opened: ['sent', 'delivered', 'opened'],
    clicked: ['sent', 'delivered', 'opened', 'clicked'],
  }
  const bounces: Record<string, object> = {
    bounce: { type: 'Permanent', subtype: 'General', smtp_response: expect.stringMatching(/^550 5\.1\.1 /) },
    softbounce: {
      type: 'Transient',
      subtype: 'General',
      smtp_response: expect.stringMatching(/^451 4\.3\.0 /),
    },
    mailboxfull: {
      type: 'Transient',
      subtype: 'MailboxFull',
      smtp_response: expect.stringMatching(/^452 4\.2\.2 /),
    },
    suppressionlist: {
      type: 'Permanent',
      subtype: 'OnAccountSuppressionList',
      smtp_response: expect.stringMatching(/^550 5\.7\.1 /),
    },
  }

  it.each(['simulator.localpost', 'simulator.amazonses.com', 'SIMULATOR.localpost'])(
    'events.simulator: every name at %s has its outcome, recipient by recipient, with and without a +label',
    async (host) => {
      const names = Object.keys(outcomes).flatMap((name) => [
        name,
        `${name}+label`,
        `${name.toUpperCase()}+A`,
      ])
      const addresses = names.map((name) => `${name}@${host}`)
      const id = await face().send({
        to: [...addresses.slice(0, 14), 'ada@x.test'],
        bcc: addresses.slice(14),
        html,
      })
      const email = await face().settled(id)
      const statuses = statusesOf(email)
      expect(statuses['ada@x.test']).toEqual(['sent', 'delivered'])
      for (const name of names) {
        expect(statuses[`${name}@${host}`], name).toEqual(outcomes[name.toLowerCase().replace(/\+.*/, '')])
      }
      const { recipients } = await face().mail(id)
      for (const [name, bounce] of Object.entries(bounces)) {
        const state = recipients.find(({ recipient }) => recipient === `${name}@${host}`)
        expect(state?.events.at(-1), name).toMatchObject(bounce)
      }
    },
  )

  it('events.simulator: its mail is never sent to a relay', async () => {
    const server = await openMailServer(() => '250 OK')
    const relaying = await open({ relay: server.url, relayAll: true })
    const to = ['ada@x.test', 'bounce@simulator.localpost', 'success@simulator.amazonses.com']
    await relaying.settled(await relaying.send({ to }))
    expect(server.asked.map(({ recipient }) => recipient)).toEqual(['ada@x.test'])
  })

  it.each(Object.keys(outcomes))(
    'events.simulator: %s does the same for an SMTP submission',
    async (name) => {
      const to = `${name}@simulator.localpost`
      const id = await face().submit({ from: 'hi@acme.test', to: [to, 'ada@x.test'], html, text: 'x' })
      const expected = outcomes[name] ?? []
      const email = await until(
        () => face().detail(id),
        (found) =>
          (statusesOf(found)[to]?.length ?? 0) >= expected.length || found.last_event.status === 'bounced',
      )
      expect(statusesOf(email)).toEqual({ [to]: expected, 'ada@x.test': ['sent', 'delivered'] })
      const { recipients } = await face().mail(id)
      if (bounces[name]) expect(recipients[0]?.events.at(-1)).toMatchObject(bounces[name])
    },
  )

  it('events.simulator: an app that delivers over SMTP is not refused itself', async () => {
    const transport = createTransport(face().post.smtp)
    const to = Object.keys(outcomes).map((name) => `${name}@simulator.localpost`)
    const { rejected } = await transport.sendMail({ from: 'hi@acme.test', to, text: 'x' })
    expect(rejected).toEqual([])
  })
})
