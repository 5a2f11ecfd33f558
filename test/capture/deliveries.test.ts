import { createTransport } from 'nodemailer'
import { describe, expect, it } from 'vitest'
import { createSimulator } from '../../src/rules/simulator.ts'
import { message, outboxClient, rawClient, testServer } from './_server.ts'

describe('deliveries', () => {
  it('accept the ENVID and the recipients of nodemailer', async () => {
    const asked: unknown[] = []
    await using server = await testServer({
      verdictOf(recipient, transaction) {
        asked.push([recipient, transaction])
        return createSimulator().verdictOf(recipient)?.verdict ?? { action: 'accept' }
      },
    })
    const transport = createTransport({
      host: server.host,
      port: server.port,
      pool: true,
      auth: { user: 'localpost-outbox', pass: 'secret' },
    })
    const info = await transport.sendMail({
      envelope: {
        from: 'a@acme.com',
        to: ['ada@example.com', 'bounce@simulator.localpost'],
        dsn: { id: 'em_01+=' },
      },
      raw: message,
    })
    expect(info.response).toBe('250 2.6.0 OK: delivered')
    expect(info.rejectedErrors?.map(({ response }) => response)).toEqual(['550 5.1.1 No such user'])
    expect(asked.map((call) => (call as string[])[0])).toEqual([
      'ada@example.com',
      'bounce@simulator.localpost',
    ])
    expect(asked).toContainEqual(['ada@example.com', 'em_01+='])
    transport.close()
  })

  it('answer each recipient with the codes of its verdict, store nothing and end with 250', async () => {
    await using server = await testServer()
    const client = await outboxClient(server)
    expect(await client.say('MAIL FROM:<a@acme.com> ENVID=em_1')).toMatch(/^250 /)
    const replies = {
      'ada@example.com': '250 2.1.5 Accepted',
      'success@simulator.localpost': '250 2.1.5 Accepted',
      'bounce@simulator.localpost': '550 5.1.1 No such user',
      'BOUNCE+label@Simulator.AmazonSES.com': '550 5.1.1 No such user',
      'softbounce@simulator.localpost': '451 4.3.0 Try again later',
      'mailboxfull@simulator.localpost': '452 4.2.2 Mailbox full',
      'suppressionlist@simulator.localpost': '550 5.7.1 The address is on the suppression list',
      'delayed@simulator.localpost': '451 4.4.7 Delayed, try again',
      'nobody@simulator.localpost': '550 5.1.1 The simulator has no such user',
    }
    for (const [recipient, reply] of Object.entries(replies))
      expect(await client.say(`RCPT TO:<${recipient}>`)).toBe(reply)
    expect(await client.say('RCPT TO:<delayed@simulator.localpost>')).toBe('250 2.1.5 Accepted')
    expect(await client.say('DATA')).toMatch(/^354 /)
    expect(await client.say(`${message}.`)).toBe('250 2.6.0 OK: delivered')
    expect(server.taken).toEqual([])
  })

  it('pass the ENVID on, and any kind of verdict is sent', async () => {
    const asked: unknown[] = []
    await using server = await testServer({
      verdictOf(recipient, transaction) {
        asked.push([recipient, transaction])
        return { action: 'reject', reply_code: 554, enhanced_code: '5.7.26', text: 'Not\r\n250 allowed' }
      },
    })
    const client = await outboxClient(server)
    await client.say('MAIL FROM:<a@acme.com> ENVID=em_1')
    expect(await client.say('RCPT TO:<ada@example.com>')).toBe('554 5.7.26 Not  250 allowed')
    await client.say('RSET')
    await client.say('MAIL FROM:<a@acme.com>')
    await client.say('RCPT TO:<ada@example.com>')
    expect(asked).toEqual([
      ['ada@example.com', 'em_1'],
      ['ada@example.com', null],
    ])
  })

  it('are tried again where the verdict throws', async () => {
    const fault = new Error('secret detail')
    await using server = await testServer({
      verdictOf() {
        throw fault
      },
    })
    const client = await outboxClient(server)
    await client.say('MAIL FROM:<a@acme.com>')
    expect(await client.say('RCPT TO:<ada@example.com>')).toMatch(/^451 4\.3\.0 /)
    expect(server.errors).toEqual([fault])
  })

  it('apply no verdict to a submission: an app may write to the simulator', async () => {
    await using server = await testServer()
    const client = await rawClient(server)
    await client.say('MAIL FROM:<a@acme.com>')
    expect(await client.say('RCPT TO:<bounce@simulator.localpost>')).toMatch(/^250 /)
  })
})
