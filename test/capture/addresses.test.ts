import { createTransport } from 'nodemailer'
import { describe, expect, it } from 'vitest'
import { start } from '../support/instance.ts'
import { message, rawClient, testServer } from './_server.ts'

describe('addresses', () => {
  const accepted: Record<string, string> = {
    '<root@localhost>': 'root@localhost',
    '<"a b"@example.com>': '"a b"@example.com',
    '<"a@b>c\\"d"@example.com>': '"a@b>c\\"d"@example.com',
    '<jörg@example.com>': 'jörg@example.com',
    '<ada@müller.example>': 'ada@xn--mller-kva.example',
    '<ada@xn--mller-kva.example>': 'ada@xn--mller-kva.example',
    '<ada@[127.0.0.1]>': 'ada@[127.0.0.1]',
    '<@relay.example,@other.example:ada@example.com>': 'ada@example.com',
    '<user.@example.com>': 'user.@example.com',
    '<a+b=c@Example.COM>': 'a+b=c@Example.COM',
    '<postmaster>': 'postmaster',
    '<ada>': 'ada',
    '<"a b">': '"a b"',
    ' <ada@example.com>': 'ada@example.com',
    '<ada@exa_mple.com>': 'ada@exa_mple.com',
  }
  it('accepts the addresses that real senders use', async () => {
    await using server = await testServer()
    const client = await rawClient(server)
    await client.say('MAIL FROM:<> BODY=8BITMIME SMTPUTF8 RET=HDRS')
    for (const path of Object.keys(accepted))
      expect(await client.say(`RCPT TO:${path} NOTIFY=NEVER`), path).toMatch(/^250 /)
    await client.say('DATA')
    await client.say(`${message}.`)
    expect(server.taken[0]?.envelope).toEqual({
      mail_from: '',
      rcpt_to: [...new Set(Object.values(accepted))],
    })
  })

  it('refuses invalid addresses', async () => {
    await using server = await testServer()
    const client = await rawClient(server)
    await client.say('MAIL FROM:<a@acme.com>')
    for (const path of [
      '',
      '<>',
      'ada@>',
      'ada@example.com>',
      'ada@ex<ample.com',
      'ada@',
      '@example.com',
      'a@b@c',
      '<ada@>',
      '<@example.com>',
      '<a@b@c>',
      '<a b@c>',
      '<a@b',
      '<a@b>x',
      '<<a@b>>',
      '<a\u200bb@example.com>',
      '<a\x01@b>',
      `<${'a'.repeat(600)}@b>`,
    ]) {
      expect(await client.say(`RCPT TO:${path}`), path).toMatch(/^501 5\.1\.3 /)
    }
    expect(await client.say('RCPT TO <a@b>')).toMatch(/^501 /)
    expect(await client.say('RCPT TO:<a@b> NOTIFY=NEVER,DELAY')).toMatch(/^501 /)
    expect(await client.say('RCPT TO:<a@b> NOTIFY=NEVER NOTIFY=NEVER')).toMatch(/^501 /)
    expect(await client.say('MAIL FROM:<a@b')).toMatch(/^501 5\.1\.7 /)
  })

  const bare: Record<string, string> = {
    root: 'root',
    ' root': 'root',
    'root NOTIFY=NEVER': 'root',
    'ada@example.com': 'ada@example.com',
    'ada@example.com NOTIFY=NEVER': 'ada@example.com',
    'ada@müller.example': 'ada@xn--mller-kva.example',
    'ada@[127.0.0.1]': 'ada@[127.0.0.1]',
    '@relay.example:ada@example.com': 'ada@example.com',
  }

  it('without angle brackets are accepted, as Postfix does, with a warning in the transcript', async () => {
    const post = await start()
    const client = await rawClient(post.smtp)
    expect(await client.say('MAIL FROM:cron@localhost SIZE=10')).toMatch(/^250 /)
    for (const path of Object.keys(bare)) expect(await client.say(`RCPT TO:${path}`), path).toMatch(/^250 /)
    await client.say('DATA')
    const [id = ''] = /em_\w+/.exec(await client.say(`${message}.`)) ?? []
    const mail = await post.inbox.get(id)
    expect(mail.envelope).toEqual({
      mail_from: 'cron@localhost',
      rcpt_to: [...new Set(Object.values(bare))],
    })
    const lines = mail.transcript ?? []
    const at = lines.findIndex(({ text }) => text === 'MAIL FROM:cron@localhost SIZE=10')
    expect(lines[at + 1]?.text).toContain('RFC 5321 section 4.1.2 wants angle brackets')
    expect(lines[at + 2]?.text).toMatch(/^250 /)
  })

  it('without angle brackets are refused with strict', async () => {
    const post = await start({ strict: true })
    const client = await rawClient(post.smtp)
    expect(await client.say('MAIL FROM:cron@localhost')).toMatch(/^501 5\.1\.7 /)
    expect(await client.say('MAIL FROM:<cron@localhost>')).toMatch(/^250 /)
    for (const path of Object.keys(bare)) expect(await client.say(`RCPT TO:${path}`), path).toMatch(/^501 /)
    expect(await client.say('RCPT TO:<root>')).toMatch(/^250 /)
  })

  it('accepts a UTF-8 address from nodemailer', async () => {
    await using server = await testServer()
    const transport = createTransport({ host: server.host, port: server.port })
    await transport.sendMail({ from: 'jörg@acme.com', to: 'ада@пример.example', subject: 'Hi', text: 'x' })
    expect(server.taken[0]?.envelope).toEqual({
      mail_from: 'jörg@acme.com',
      rcpt_to: ['ада@xn--e1afmkfd.example'],
    })
  })
})
