import { describe, expect, it } from 'vitest'
import { rawClient, testServer } from './_server.ts'

describe('AUTH', () => {
  const plain = (user: string, password: string): string =>
    `AUTH PLAIN ${Buffer.from(`\0${user}\0${password}`).toString('base64')}`
  const passed = '235 2.7.0 Authentication successful'
  const failed = '535 5.7.8 The credentials are not valid'

  it('accepts any credentials where it is optional, by PLAIN and LOGIN', async () => {
    await using server = await testServer()
    expect(await (await rawClient(server)).say(plain('me', 'x'))).toBe(passed)
    const client = await rawClient(server)
    expect(await client.say('AUTH LOGIN')).toBe('334 VXNlcm5hbWU6')
    expect(await client.say(Buffer.from('me').toString('base64'))).toBe('334 UGFzc3dvcmQ6')
    expect(await client.say(Buffer.from('x').toString('base64'))).toBe(passed)
    expect(await (await rawClient(server)).say('AUTH CRAM-MD5')).toMatch(/^504 /)
  })

  it.each([
    ['PLAIN', [plain('', 'x')]],
    ['LOGIN with an empty line', ['AUTH LOGIN', '', 'eA==']],
    ['LOGIN with a line of white space', ['AUTH LOGIN', ' ', 'eA==']],
    ['LOGIN with an equals sign', ['AUTH LOGIN', '=', 'eA==']],
    ['LOGIN with an empty initial response', ['AUTH LOGIN =', 'eA==']],
    ['login in small letters', ['auth login =', 'eA==']],
    ['LOGIN without a password', ['AUTH LOGIN', '', '']],
  ])('accepts an empty user name by %s', async (_, lines) => {
    await using server = await testServer()
    const client = await rawClient(server)
    for (const line of lines.slice(0, -1)) expect(await client.say(line)).toMatch(/^334 /)
    expect(await client.say(lines.at(-1) ?? '')).toBe(passed)
    expect(await client.say('MAIL FROM:<a@acme.com>')).toMatch(/^250 /)
  })

  it('judges an empty user name where AUTH is required, and lets the client abort', async () => {
    await using server = await testServer({ auth: 'required' })
    const client = await rawClient(server)
    const base64 = (text: string): string => Buffer.from(text).toString('base64')
    for (const [name, password, reply] of [
      ['=', '*', /^501 /],
      ['*', null, /^501 /],
      ['!', null, /^501 /],
      ['=', base64('wrong'), /^535 /],
      ['', base64('lp_key'), /^235 /],
    ] as const) {
      expect(await client.say('AUTH LOGIN')).toBe('334 VXNlcm5hbWU6')
      if (password !== null) expect(await client.say(name)).toBe('334 UGFzc3dvcmQ6')
      expect(await client.say(password ?? name)).toMatch(reply)
    }
    expect(await client.say('AUTH LOGIN =')).toMatch(/^503 /)
  })

  it('requires an API key as password where it is required', async () => {
    await using server = await testServer({ auth: 'required' })
    const client = await rawClient(server)
    expect(await client.say('MAIL FROM:<a@acme.com>')).toMatch(/^530 5\.7\.0 /)
    for (let i = 0; i < 15; i++) expect(await client.say(plain('me', 'wrong'))).toBe(failed)
    expect(await client.say(plain('me', 'lp_key'))).toBe(passed)
    expect(await client.say('MAIL FROM:<a@acme.com>')).toMatch(/^250 /)
  })

  it('refuses an API key that may not send, with a notice that names the user', async () => {
    for (const auth of ['optional', 'required'] as const) {
      const notices: string[] = []
      await using server = await testServer({ auth, onClientFault: (message) => notices.push(message) })
      const client = await rawClient(server)
      expect(await client.say(plain('ci', 'lp_read'))).toBe(
        '535 5.7.8 The API key has the scope read; sending needs send or full',
      )
      expect(notices).toEqual([expect.stringMatching(/"ci".*scope "read"/)])
      expect(notices.join()).not.toContain('lp_read')
      expect(await client.say(plain('ci', 'lp_send'))).toBe(passed)
    }
  })

  it('names the user of wrong credentials in a notice', async () => {
    const notices: string[] = []
    await using server = await testServer({
      auth: 'required',
      onClientFault: (message) => notices.push(message),
    })
    expect(await (await rawClient(server)).say(plain('ada', 'hunter2'))).toBe(failed)
    expect(notices).toEqual([expect.stringContaining('user name "ada"')])
    expect(notices.join()).not.toContain('hunter2')
  })

  it('reserves the user name of the outbox', async () => {
    await using server = await testServer()
    expect(await (await rawClient(server)).say(plain('localpost-outbox', 'wrong'))).toBe(failed)
    expect(await (await rawClient(server)).say(plain('localpost-outbox', ''))).toBe(failed)
    expect(await (await rawClient(server)).say(plain('localpost-outbox', 'secret'))).toBe(passed)
    await using strict = await testServer({ auth: 'required' })
    expect(await (await rawClient(strict)).say(plain('localpost-outbox', 'lp_key'))).toBe(failed)
    expect(await (await rawClient(strict)).say(plain('localpost-outbox', 'secret'))).toBe(passed)
  })
})
