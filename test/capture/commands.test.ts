import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { message, RawClient, rawClient, testServer, type TestServer } from './_server.ts'

const mail = 'MAIL FROM:<a@acme.test>'
const rcpt = 'RCPT TO:<b@example.com>'
const auth = `AUTH PLAIN ${Buffer.from('\0me\0secret').toString('base64')}`

let server: TestServer
beforeAll(async () => {
  server = await testServer()
})
afterAll(() => server.close())

describe('a command', () => {
  // The lines before, the command, and the beginning of its reply.
  it.each<[string[], string, string]>([
    // Parameters: RFC 5321 section 4.1.1.11.
    [[], `${mail} BODY=8BITMIME SIZE=100 SMTPUTF8 RET=HDRS ENVID=x AUTH=<>`, '250 2.1.0 '],
    [[], `${mail} AUTH=ada+40acme.test`, '250 2.1.0 '],
    [[], `${mail} FOO`, '555 5.5.4 '],
    [[], `${mail} FOO=BAR`, '555 5.5.4 '],
    [[], `${mail} SIZE=3 BY=120;R`, '555 5.5.4 '],
    [[], `${mail} HOLDFOR=10`, '555 5.5.4 '],
    [[], `${mail} NOTIFY=NEVER`, '555 5.5.4 '],
    [[], `${mail} REQUIRETLS`, '555 5.5.4 '],
    [[], `${mail} AUTH`, '501 5.5.4 '],
    [[], `${mail} SIZE=x`, '501 5.5.4 '],
    [[], `${mail} SIZE=-1`, '501 5.5.4 '],
    [[], `${mail} SIZE=`, '501 5.5.4 '],
    [[], `${mail} SIZE=999999999999`, '552 5.3.4 '],
    [[], `${mail} SIZE=3 SIZE=3`, '501 5.5.4 '],
    [[], `${mail} size=3 SIZE=3`, '501 5.5.4 '],
    [[], `${mail} BODY=BINARYMIME`, '501 5.5.4 '],
    [[], `${mail} BODY=9BIT`, '501 5.5.4 '],
    [[], `${mail} SMTPUTF8=yes`, '501 5.5.4 '],
    [[], `${mail} RET=ALL`, '501 5.5.4 '],
    [[mail], `${rcpt} NOTIFY=NEVER ORCPT=rfc822;b@example.com`, '250 2.1.5 '],
    [[mail], `${rcpt} SIZE=3`, '555 5.5.4 '],
    [[mail], `${rcpt} FOO=BAR`, '555 5.5.4 '],
    [[mail], `${rcpt} RRVS=2014-04-03T23:01:00Z`, '555 5.5.4 '],
    [[mail], `${rcpt} NOTIFY=NEVER NOTIFY=NEVER`, '501 5.5.4 '],
    [[mail], `${rcpt} NOTIFY=SOMETIMES`, '501 5.5.4 '],
    // Commands out of sequence.
    [[], rcpt, '503 5.5.1 '],
    [[], 'DATA', '503 5.5.1 '],
    [[mail], mail, '503 5.5.1 '],
    [[mail], 'DATA', '503 5.5.1 '],
    [[mail], auth, '503 5.5.1 '],
    [[mail, rcpt], 'AUTH LOGIN', '503 5.5.1 '],
    [[auth], auth, '503 5.5.1 '],
    [[mail, 'RSET'], auth, '235 2.7.0 '],
    // Known commands that this server does not offer.
    [[], 'EXPN staff', '502 5.5.1 '],
    [[], 'expn', '502 5.5.1 '],
    [[], 'STARTTLS', '502 5.5.1 '],
    [[], 'BDAT 3 LAST', '502 5.5.1 '],
    [[], 'ETRN acme.test', '502 5.5.1 '],
    [[], 'TURN', '502 5.5.1 '],
    [[], 'SEND FROM:<a@acme.test>', '502 5.5.1 '],
    [[], 'SOML FROM:<a@acme.test>', '502 5.5.1 '],
    [[], 'SAML FROM:<a@acme.test>', '502 5.5.1 '],
    [[], 'XCLIENT ADDR=127.0.0.1', '502 5.5.1 '],
    // Unknown commands.
    [[], 'FOO', '500 5.5.2 '],
    [[], 'MAILX FROM:<a@acme.test>', '500 5.5.2 '],
    [[], 'constructor', '500 5.5.2 '],
    [[], '', '500 5.5.2 '],
    // Arguments.
    [[], 'NOOP', '250 2.0.0 '],
    [[], 'NOOP what ever', '250 2.0.0 '],
    [[], 'HELP', '214 2.0.0 '],
    [[], 'HELP MAIL', '214 2.0.0 '],
    [[], 'VRFY', '501 5.5.4 '],
    [[], 'VRFY root', '252 2.1.5 '],
    [[], 'RSET', '250 2.0.0 '],
    [[], 'RSET now', '501 5.5.4 '],
    [[mail, rcpt], 'DATA now', '501 5.5.4 '],
    [[mail, rcpt], 'DATA ', '354 '],
    [[], 'AUTH', '504 5.5.4 '],
    [[], 'AUTH CRAM-MD5', '504 5.5.4 '],
    [[], 'AUTH PLAIN !!!', '501 5.5.'],
    [[], 'MAIL', '501 5.1.7 '],
    [[], 'MAIL FROM', '501 5.1.7 '],
    [[], 'MAIL TO:<a@b.test>', '501 5.1.7 '],
    [[mail], 'RCPT', '501 5.1.3 '],
    [[mail], 'RCPT FROM:<a@b.test>', '501 5.1.3 '],
    // The addresses of local tools have no domain.
    [[], 'MAIL FROM:<root>', '250 2.1.0 '],
    [[], 'MAIL FROM:<www-data> SIZE=10', '250 2.1.0 '],
    [[mail], 'RCPT TO:<root>', '250 2.1.5 '],
    [[mail], 'RCPT TO:<Postmaster>', '250 2.1.5 '],
    [[mail], 'RCPT TO:<cron.daily> NOTIFY=NEVER', '250 2.1.5 '],
    [[mail], 'RCPT TO:<"a b">', '250 2.1.5 '],
    [[mail], 'RCPT TO:<a b>', '501 5.1.3 '],
    [[mail], 'RCPT TO:<.a>', '501 5.1.3 '],
    [[mail], `RCPT TO:<${'a'.repeat(65)}>`, '501 5.1.3 '],
  ])('after %j: %j is answered %s', async (before, command, expected) => {
    const client = await rawClient(server)
    for (const line of before) expect(await client.say(line)).toMatch(/^2/)
    expect((await client.say(command)).slice(0, expected.length)).toBe(expected)
    // None of them ends the session.
    if (!expected.startsWith('354')) expect(await client.say('NOOP')).toMatch(/^250 /)
    client.socket.destroy()
  })

  it('before EHLO gets its usual answer, or 503', async () => {
    const client = new RawClient(server)
    await client.reply()
    for (const [command, reply] of [
      [mail, '503'],
      [rcpt, '503'],
      ['DATA', '503'],
      [auth, '503'],
      ['EXPN staff', '502'],
      ['STARTTLS', '502'],
      ['NOOP', '250'],
      ['VRFY root', '252'],
      ['HELP', '214'],
    ] as const)
      expect((await client.say(command)).slice(0, 3), command).toBe(reply)
  })

  it('with a bare local part keeps it in the envelope', async () => {
    const client = await rawClient(server)
    for (const line of ['MAIL FROM:<root>', 'RCPT TO:<root>', 'RCPT TO:<postmaster>', 'DATA'])
      await client.say(line)
    expect(await client.say(`${message}.`)).toMatch(/^250 /)
    await client.say('QUIT')
    expect(server.taken.at(-1)?.envelope).toEqual({ mail_from: 'root', rcpt_to: ['root', 'postmaster'] })
  })
})

/** Proves that an extension works: sent after EHLO, with the beginning of each reply. */
const proofs: Readonly<Record<string, readonly (readonly [say: string, reply: RegExp])[]>> = {
  PIPELINING: [],
  '8BITMIME': [[`${mail} BODY=8BITMIME`, /^250 /]],
  SMTPUTF8: [['MAIL FROM:<jörg@acme.test> SMTPUTF8', /^250 /]],
  ENHANCEDSTATUSCODES: [['NOOP', /^250 2\.\d\.\d /]],
  DSN: [
    [`${mail} RET=HDRS ENVID=x`, /^250 /],
    [`${rcpt} NOTIFY=NEVER ORCPT=rfc822;b@example.com`, /^250 /],
  ],
  AUTH: [[auth, /^235 /]],
  STARTTLS: [['STARTTLS', /^220 /]],
  SIZE: [[`${mail} SIZE=100`, /^250 /]],
  // Extensions of others, which this server never offers.
  REQUIRETLS: [[`${mail} REQUIRETLS`, /^250 /]],
  CHUNKING: [
    [mail, /^250 /],
    [rcpt, /^250 /],
    ['BDAT 0 LAST', /^250 /],
  ],
  BINARYMIME: [[`${mail} BODY=BINARYMIME`, /^250 /]],
  DELIVERBY: [[`${mail} BY=120;R`, /^250 /]],
  FUTURERELEASE: [[`${mail} HOLDFOR=10`, /^250 /]],
  'MT-PRIORITY': [[`${mail} MT-PRIORITY=3`, /^250 /]],
  ETRN: [['ETRN acme.test', /^250 /]],
  EXPN: [['EXPN staff', /^250 /]],
  XCLIENT: [['XCLIENT ADDR=127.0.0.1', /^2/]],
}

describe('what EHLO offers', () => {
  const offersOf = (reply: string): string[] =>
    reply
      .split('\r\n')
      .slice(1)
      .map((line) => line.slice(4).split(' ')[0] ?? '')
  const works = async (client: RawClient, name: string): Promise<boolean> => {
    try {
      for (const [line, reply] of proofs[name] ?? []) if (!reply.test(await client.say(line))) return false
      return true
    } finally {
      client.socket.destroy()
    }
  }

  it.each([
    ['in the clear', { tls: false }, []],
    ['with STARTTLS', { tls: true }, []],
    ['after AUTH', { tls: false }, [auth]],
  ] as const)('is accepted, and nothing else is: %s', async (_, options, before) => {
    await using server = await testServer(options)
    const fresh = async (): Promise<[RawClient, string]> => {
      const client = await rawClient(server)
      for (const line of before) await client.say(line)
      return [client, await client.say('EHLO client.test')]
    }
    const offered = offersOf((await fresh())[1])
    expect(offered.filter((name) => !(name in proofs))).toEqual([])
    const accepted: string[] = []
    for (const name of Object.keys(proofs)) if (await works((await fresh())[0], name)) accepted.push(name)
    expect(accepted.sort()).toEqual(offered.sort())
  })
})
