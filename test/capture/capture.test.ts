import { createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { createTransport } from 'nodemailer'
import { describe, expect, it } from 'vitest'
import { LocalpostError } from '../../src/errors.ts'
import { CaptureServer } from '../../src/capture/server.ts'
import { simulatorVerdict } from '../../src/capture/verdicts.ts'
import { outboxClient, RawClient, rawClient, testServer } from './_server.ts'

const message = 'From: a@acme.com\r\nTo: b@example.com\r\nSubject: Hi\r\n\r\nHello\r\n'

describe('the greeting and EHLO', () => {
  it('greets within 20 ms, at the median of nine connections', async () => {
    await using server = await testServer()
    const waits = []
    for (let i = 0; i < 9; i++) {
      const client = new RawClient(server)
      const started = performance.now()
      expect(await client.reply()).toBe('220 localhost ESMTP Localpost')
      waits.push(performance.now() - started)
      client.socket.destroy()
    }
    expect(waits.sort((a, b) => a - b)[4]).toBeLessThan(20)
  })

  it('offers exactly what it has', async () => {
    await using server = await testServer()
    const client = new RawClient(server)
    await client.reply()
    expect(await client.say('EHLO client.test')).toBe(
      [
        '250-localhost at your service',
        '250-PIPELINING',
        '250-8BITMIME',
        '250-SMTPUTF8',
        '250-ENHANCEDSTATUSCODES',
        '250-DSN',
        '250-AUTH PLAIN LOGIN',
        '250 SIZE 41943040',
      ].join('\r\n'),
    )
    for (const command of ['WIZ x', 'SHELL', 'KILL', 'STARTTLS', 'XCLIENT NAME=x', 'BDAT 1']) {
      expect(await client.say(command)).toMatch(/^500 5\.5\.2 /)
    }
  })

  it('takes a client that does not wait for the greeting', async () => {
    await using server = await testServer()
    const client = new RawClient(server)
    client.socket.write('EHLO early\r\n')
    expect(await client.reply()).toMatch(/^220 /)
    expect(await client.reply()).toMatch(/^250-/)
  })
})

describe('submissions', () => {
  it('takes a message of nodemailer with its envelope, and answers with the text it is given', async () => {
    await using server = await testServer()
    const transport = createTransport({
      host: server.host,
      port: server.port,
      name: 'app.test',
      auth: { user: 'me', pass: 'anything' },
    })
    const info = await transport.sendMail({
      from: 'a@acme.com',
      to: 'b@example.com',
      cc: 'C@example.com',
      bcc: 'd@example.com',
      subject: 'Hi',
      text: 'Hello',
    })
    expect(info.response).toBe('250 2.6.0 OK: captured as em_1')
    expect(server.taken[0]).toMatchObject({
      envelope: { mail_from: 'a@acme.com', rcpt_to: ['b@example.com', 'C@example.com', 'd@example.com'] },
      session: {
        client_name: 'app.test',
        user: 'me',
        secure: false,
        remote_address: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
      },
      outcome: 'finished',
    })
    expect(server.taken[0]?.bytes.toString()).not.toContain('d@example.com')
    expect(server.errors).toEqual([])
  })

  const bodies: Record<string, Buffer> = {
    'dots at the beginning of lines': Buffer.from('.\r\n..\r\n.a\r\n...\r\n'),
    'octets beyond ASCII': Buffer.from([0xff, 0xfe, 0x80, 0xe9, 0x0d, 0x0a]),
    'NUL octets': Buffer.from('a\0b\0\0\r\n'),
    'bare LF and bare CR': Buffer.from('a\nb\rc\n\rd\r\r\ne\n\r\n'),
    'a line of a megabyte': Buffer.from(`${'x'.repeat(1_000_000)}\r\n`),
    'an empty body': Buffer.from(''),
    'a dot between bare line feeds': Buffer.from('a\n.\nb\r\n'),
    'dots after bare line feeds': Buffer.from('\n..a\n.b\n...\n\r\n..\n..'),
    'a dot between other line ends': Buffer.from('a\n.\r\nb\r.\r\nc\r\n'),
    '300 KB of random octets in lines': Buffer.from(
      Array.from({ length: 300_000 }, (_, i) => (i % 70 === 69 ? 10 : (i * 7919 + (i >> 5)) & 0xff)),
    ).subarray(0, 299_999),
  }
  it.each(Object.entries(bodies))('keeps %s as they are', async (_, body) => {
    await using server = await testServer()
    const bytes = Buffer.concat([Buffer.from(message), body, Buffer.from('\r\n')])
    // A client stuffs the dot of every line that begins after CRLF.
    const stuffed = Buffer.from(bytes.toString('latin1').replace(/(^|\r\n)\./g, '$1..'), 'latin1')
    const client = await rawClient(server)
    await client.say('MAIL FROM:<a@acme.com>')
    await client.say('RCPT TO:<b@example.com>')
    await client.say('DATA')
    for (let at = 0; at < stuffed.length; at += 10_007) {
      client.socket.write(stuffed.subarray(at, at + 10_007))
      if (stuffed.length < 1_000_000) await delay(1)
    }
    expect(await client.say('.')).toBe('250 2.6.0 OK: captured as em_1')
    expect(server.taken[0]?.bytes.equals(bytes)).toBe(true)
  })

  it('takes bytes one at a time', async () => {
    await using server = await testServer()
    const client = await rawClient(server)
    client.socket.setNoDelay(true)
    for (const octet of `MAIL FROM:<a@acme.com>\r\nRCPT TO:<b@example.com>\r\nDATA\r\n${message}..\r\n.\r\n`) {
      client.socket.write(octet)
      await delay(0)
    }
    for (const code of ['250', '250', '354', '250']) expect((await client.reply()).slice(0, 3)).toBe(code)
    expect(server.taken[0]?.bytes.toString()).toBe(`${message}.\r\n`)
  })

  it('takes pipelined transactions in one write', async () => {
    await using server = await testServer()
    const client = await rawClient(server)
    const transaction = `MAIL FROM:<a@acme.com>\r\nRCPT TO:<b@example.com>\r\nDATA\r\n${message}.\r\n`
    client.socket.write(`${transaction.repeat(20)}QUIT\r\n`)
    for (let i = 0; i < 20; i++) {
      for (const code of ['250 2.1.0', '250 2.1.5', '354 ', '250 2.6.0'])
        expect(await client.reply()).toContain(code)
    }
    expect(await client.reply()).toMatch(/^221 /)
    expect(server.taken.map(({ bytes }) => bytes.toString())).toEqual(
      Array.from({ length: 20 }, () => message),
    )
  })

  it('ends a message at CRLF . CRLF only, so that no command can be smuggled', async () => {
    for (const end of ['\n.\n', '\n.\r\n', '\r\n.\n', '\r.\r', '\r\n.\r', '\r.\r\n']) {
      await using server = await testServer()
      const client = await rawClient(server)
      client.socket.write(
        `MAIL FROM:<a@acme.com>\r\nRCPT TO:<b@example.com>\r\nDATA\r\n${message}${end}MAIL FROM:<eve@acme.com>\r\nRCPT TO:<b@example.com>\r\nDATA\r\nsmuggled\r\n.\r\nQUIT\r\n`,
      )
      await client.closed()
      expect(server.taken, JSON.stringify(end)).toHaveLength(1)
      expect(server.taken[0]?.bytes.toString()).toContain('eve@acme.com')
    }
  })

  it('waits for a slow store and loses nothing', async () => {
    let pending = 0
    const pieces: Buffer[] = []
    await using server = await testServer({
      submissions: {
        begin: () => ({
          async write(piece) {
            expect(++pending).toBe(1)
            await delay(2)
            pieces.push(Buffer.from(piece))
            pending--
          },
          finish: async () => `OK: ${pending} pending`,
          discard: async () => {},
        }),
      },
    })
    const client = await rawClient(server)
    await client.say('MAIL FROM:<a@acme.com>')
    await client.say('RCPT TO:<b@example.com>')
    await client.say('DATA')
    const body = `${'0123456789'.repeat(8)}\r\n`.repeat(20_000)
    client.socket.write(body)
    expect(await client.say('.')).toBe('250 2.6.0 OK: 0 pending')
    expect(Buffer.concat(pieces).toString()).toBe(body)
  })

  it('discards what a vanishing client began', async () => {
    await using server = await testServer()
    for (const end of ['destroy', 'end', 'resetAndDestroy'] as const) {
      const client = await rawClient(server)
      client.socket.write(`MAIL FROM:<a@acme.com>\r\nRCPT TO:<b@example.com>\r\nDATA\r\n${message}`)
      await client.reply()
      await client.reply()
      await client.reply()
      await delay(10)
      client.socket[end]()
      await client.closed()
      await expect.poll(() => server.taken.at(-1)?.outcome).toBe('discarded')
    }
    expect(server.taken).toHaveLength(3)
    expect(server.errors).toEqual([])
  })

  const faults = {
    'a full disk': [
      new LocalpostError('store_full', 'full'),
      '452 4.3.1 The disk is full, nothing was stored',
    ],
    'a failed store': [
      new LocalpostError('store_failed', 'no'),
      '451 4.3.0 The message could not be stored, try again',
    ],
    'a fault': [new Error('secret detail'), '451 4.3.0 The message could not be stored, try again'],
    'a closed instance': [new LocalpostError('closed', 'closed'), '421 4.3.2 Localpost is closing'],
    'a message that the store finds too large': [
      new LocalpostError('message_too_large', 'large'),
      '552 5.3.4 The message is too large',
    ],
  } as const
  it.each(Object.entries(faults))('answers for %s, wherever it comes up', async (_, [fault, reply]) => {
    for (const place of ['begin', 'write', 'write later', 'finish']) {
      let discarded = 0
      await using server = await testServer({
        submissions: {
          begin() {
            if (place === 'begin') throw fault
            return {
              write() {
                if (place === 'write') throw fault
                return place === 'write later' ? delay(1).then(() => Promise.reject(fault)) : undefined
              },
              finish: async () => {
                throw fault
              },
              discard: async () => {
                discarded++
              },
            }
          },
        },
      })
      const client = await rawClient(server)
      await client.say('MAIL FROM:<a@acme.com>')
      await client.say('RCPT TO:<b@example.com>')
      await client.say('DATA')
      client.socket.write(message)
      await delay(10)
      expect(await client.say('.'), place).toBe(reply)
      expect(discarded).toBe(place.startsWith('write') ? 1 : 0)
      expect(server.errors).toEqual([fault])
      if (!reply.startsWith('421')) expect(await client.say('NOOP')).toMatch(/^250/)
    }
  })

  it('refuses a message over the size, by MAIL and while it reads, and goes on', async () => {
    await using server = await testServer({ maxSizeBytes: 10_000 })
    const client = await rawClient(server)
    expect(await client.say('MAIL FROM:<a@acme.com> SIZE=10001')).toMatch(/^552 5\.3\.4 /)
    expect(await client.say('MAIL FROM:<a@acme.com> SIZE=10000')).toMatch(/^250 /)
    await client.say('RCPT TO:<b@example.com>')
    await client.say('DATA')
    const line = `${'x'.repeat(78)}\r\n`
    for (let i = 0; i < 20; i++) {
      client.socket.write(line.repeat(100))
      await delay(1)
    }
    await expect.poll(() => server.taken[0]?.outcome).toBe('discarded')
    expect(await client.say('.')).toMatch(/^552 5\.3\.4 /)
    // Exactly the size passes, one octet more does not.
    for (const [size, code] of [
      [10_000, '250'],
      [10_001, '552'],
    ] as const) {
      await client.say('MAIL FROM:<a@acme.com>')
      await client.say('RCPT TO:<b@example.com>')
      await client.say('DATA')
      client.socket.write(`${'x'.repeat(size - 2)}\r\n.\r\n`)
      expect((await client.reply()).slice(0, 3)).toBe(code)
    }
    expect(server.taken.map(({ outcome }) => outcome)).toEqual(['discarded', 'finished', 'discarded'])
  })

  it('takes 1,000 recipients and refuses the next; one in other case is the same', async () => {
    await using server = await testServer()
    const client = await rawClient(server)
    await client.say('MAIL FROM:<>')
    client.socket.write(Array.from({ length: 1000 }, (_, i) => `RCPT TO:<user${i}@example.com>\r\n`).join(''))
    for (let i = 0; i < 1000; i++) expect(await client.reply()).toBe('250 2.1.5 Accepted')
    expect(await client.say('RCPT TO:<more@example.com>')).toMatch(/^452 4\.5\.3 /)
    expect(await client.say('RCPT TO:<USER1@EXAMPLE.COM>')).toMatch(/^250 /)
    await client.say('DATA')
    expect(await client.say(`${message}.`)).toMatch(/^250 /)
    expect(server.taken[0]?.envelope.rcpt_to).toHaveLength(1000)
  })
})

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
    ' <ada@example.com>': 'ada@example.com',
    '<ada@exa_mple.com>': 'ada@exa_mple.com',
  }
  it('takes what real senders use', async () => {
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

  it('refuses what is no address', async () => {
    await using server = await testServer()
    const client = await rawClient(server)
    await client.say('MAIL FROM:<a@acme.com>')
    for (const path of [
      '',
      '<>',
      'ada@example.com',
      '<ada>',
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

  it('takes a UTF-8 address from nodemailer', async () => {
    await using server = await testServer()
    const transport = createTransport({ host: server.host, port: server.port })
    await transport.sendMail({ from: 'jörg@acme.com', to: 'ада@пример.example', subject: 'Hi', text: 'x' })
    expect(server.taken[0]?.envelope).toEqual({
      mail_from: 'jörg@acme.com',
      rcpt_to: ['ада@xn--e1afmkfd.example'],
    })
  })
})

describe('AUTH', () => {
  const plain = (user: string, password: string): string =>
    `AUTH PLAIN ${Buffer.from(`\0${user}\0${password}`).toString('base64')}`
  const passed = '235 2.7.0 Authentication successful'
  const failed = '535 5.7.8 The credentials are not valid'

  it('lets any credentials pass where it is optional, by PLAIN and LOGIN', async () => {
    await using server = await testServer()
    expect(await (await rawClient(server)).say(plain('me', 'x'))).toBe(passed)
    const client = await rawClient(server)
    expect(await client.say('AUTH LOGIN')).toBe('334 VXNlcm5hbWU6')
    expect(await client.say(Buffer.from('me').toString('base64'))).toBe('334 UGFzc3dvcmQ6')
    expect(await client.say(Buffer.from('x').toString('base64'))).toBe(passed)
    expect(await (await rawClient(server)).say('AUTH CRAM-MD5')).toMatch(/^504 /)
  })

  it('wants an API key as password where it is required', async () => {
    await using server = await testServer({ auth: 'required' })
    const client = await rawClient(server)
    expect(await client.say('MAIL FROM:<a@acme.com>')).toMatch(/^530 5\.7\.0 /)
    for (let i = 0; i < 15; i++) expect(await client.say(plain('me', 'wrong'))).toBe(failed)
    expect(await client.say(plain('me', 'lp_key'))).toBe(passed)
    expect(await client.say('MAIL FROM:<a@acme.com>')).toMatch(/^250 /)
  })

  it('keeps the name of the outbox for the outbox', async () => {
    await using server = await testServer()
    expect(await (await rawClient(server)).say(plain('localpost-outbox', 'wrong'))).toBe(failed)
    expect(await (await rawClient(server)).say(plain('localpost-outbox', ''))).toBe(failed)
    expect(await (await rawClient(server)).say(plain('localpost-outbox', 'secret'))).toBe(passed)
    await using strict = await testServer({ auth: 'required' })
    expect(await (await rawClient(strict)).say(plain('localpost-outbox', 'lp_key'))).toBe(failed)
    expect(await (await rawClient(strict)).say(plain('localpost-outbox', 'secret'))).toBe(passed)
  })
})

describe('STARTTLS', () => {
  it('works with a certificate made at the start', async () => {
    await using server = await testServer({ tls: true })
    expect(await (await rawClient(server)).say('EHLO again')).toContain('250-STARTTLS')
    const transport = createTransport({
      host: server.host,
      port: server.port,
      requireTLS: true,
      tls: { rejectUnauthorized: false },
    })
    await transport.sendMail({ from: 'a@acme.com', to: 'b@example.com', subject: 'Hi', text: 'x' })
    expect(server.taken[0]?.session.secure).toBe(true)
  })

  it('works with an own certificate, which a client can verify by name and by address', async () => {
    const { makeCertificate } = await import('../../src/capture/tls.ts')
    const own = await makeCertificate('post.test')
    await using server = await testServer({ tls: own })
    for (const servername of ['localhost', 'post.test', undefined]) {
      const transport = createTransport({
        host: '127.0.0.1',
        port: server.port,
        requireTLS: true,
        tls: { ca: own.cert, servername },
      })
      await transport.sendMail({ from: 'a@acme.com', to: 'b@example.com', subject: 'Hi', text: 'x' })
    }
    expect(server.taken).toHaveLength(3)
  })
})

describe('deliveries', () => {
  it('take the ENVID and the recipients of nodemailer', async () => {
    const asked: unknown[] = []
    await using server = await testServer({
      verdictOf(recipient, deliveryId) {
        asked.push([recipient, deliveryId])
        return simulatorVerdict(recipient)?.verdict ?? { action: 'accept' }
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

  it('give every recipient its verdict with exactly its codes, store nothing and answer 250', async () => {
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

  it('pass the ENVID on, and any verdict goes out as it is', async () => {
    const asked: unknown[] = []
    await using server = await testServer({
      verdictOf(recipient, deliveryId) {
        asked.push([recipient, deliveryId])
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

  it('are tried again where the verdict itself fails', async () => {
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

  it('take no verdict for a submission: an app may write to the simulator', async () => {
    await using server = await testServer()
    const client = await rawClient(server)
    await client.say('MAIL FROM:<a@acme.com>')
    expect(await client.say('RCPT TO:<bounce@simulator.localpost>')).toMatch(/^250 /)
  })
})

describe('listening and closing', () => {
  it('minds no client that resets its connection before the start is done', async () => {
    const real = CaptureServer.prototype.listenForDeliveries
    const broken = new Error('The listener met a fault')
    CaptureServer.prototype.listenForDeliveries = async function (host) {
      // As smtp-server tells of it.
      this.emit('error', Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }))
      this.emit('error', broken)
      return real.call(this, host)
    }
    const errors: unknown[] = []
    try {
      await using server = await testServer({ onError: (error) => errors.push(error) })
      expect(server.accepting()).toBe(true)
    } finally {
      CaptureServer.prototype.listenForDeliveries = real
    }
    expect(errors).toEqual([broken])
  })

  it('names the port that is taken', async () => {
    await using server = await testServer()
    await expect(testServer({ port: server.port })).rejects.toMatchObject({
      code: 'port_in_use',
      message: expect.stringContaining(String(server.port)),
    })
  })

  it('says why an address cannot be listened on', async () => {
    await expect(testServer({ host: '203.0.113.1' })).rejects.toMatchObject({
      code: 'listen_failed',
      message: expect.stringContaining('203.0.113.1'),
    })
    await expect(testServer({ host: 'no-such-host.invalid' })).rejects.toMatchObject({
      code: 'listen_failed',
    })
  })

  it('gives the port free and takes nobody any more', async () => {
    const server = await testServer()
    expect(server.accepting()).toBe(true)
    await Promise.all([server.close(), server.close()])
    expect(server.accepting()).toBe(false)
    const other = createServer()
    await new Promise<void>((resolve) => {
      other.listen(server.port, server.host, resolve)
    })
    await new Promise((resolve) => {
      other.close(resolve)
    })
  })

  it('tells idle clients 421 and is quick', async () => {
    const server = await testServer()
    const clients = [new RawClient(server), await rawClient(server), await outboxClient(server)]
    await clients[0]?.reply()
    const started = performance.now()
    await server.close()
    expect(performance.now() - started).toBeLessThan(900)
    for (const client of clients) {
      expect(await client.reply()).toBe('421 4.3.2 Localpost is closing')
      await client.closed()
    }
  })

  it('lets a message in progress come to its end, then closes the connection', async () => {
    const server = await testServer()
    const client = await rawClient(server)
    await client.say('MAIL FROM:<a@acme.com>')
    await client.say('RCPT TO:<b@example.com>')
    await client.say('DATA')
    const closing = server.close()
    client.socket.write(message)
    await delay(50)
    expect(await client.say('.')).toMatch(/^250 2\.6\.0 /)
    expect(await client.reply()).toMatch(/^421 /)
    await closing
    expect(server.taken[0]?.outcome).toBe('finished')
  })

  it('closes under TLS, and in the middle of a handshake', async () => {
    const server = await testServer({ tls: true })
    const stuck = await rawClient(server)
    await stuck.say('STARTTLS')
    stuck.socket.write(Buffer.from([0x16, 0x03, 0x01]))
    const pool = createTransport({
      host: server.host,
      port: server.port,
      pool: true,
      requireTLS: true,
      tls: { rejectUnauthorized: false },
    })
    await pool.sendMail({ from: 'a@acme.com', to: 'b@example.com', subject: 'Hi', text: 'x' })
    const gone = createTransport({
      host: server.host,
      port: server.port,
      requireTLS: true,
      tls: { rejectUnauthorized: false },
    })
    await gone.sendMail({ from: 'a@acme.com', to: 'b@example.com', subject: 'Hi', text: 'x' })
    const started = performance.now()
    await server.close()
    expect(performance.now() - started).toBeLessThan(2000)
    await stuck.closed()
    pool.close()
    expect(server.errors).toEqual([])
  })

  it('ends a client that does not come to its end, and discards its message', async () => {
    const server = await testServer()
    const client = await rawClient(server)
    client.socket.write(`MAIL FROM:<a@acme.com>\r\nRCPT TO:<b@example.com>\r\nDATA\r\n${message}`)
    await delay(20)
    const started = performance.now()
    await server.close()
    expect(performance.now() - started).toBeLessThan(4000)
    await client.closed()
    await expect.poll(() => server.taken[0]?.outcome).toBe('discarded')
  })
})

describe('rude clients', () => {
  it('are answered or cut, and hurt nobody else', async () => {
    await using server = await testServer()
    const rude = [
      Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'),
      Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * 7919) & 0xff)),
      Buffer.alloc(100_000, 'x'),
      Buffer.from('\r\n'.repeat(100)),
      Buffer.from('EHLO\0\r\nMAIL FROM:<\0@\0>\r\n'),
      Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00]),
    ]
    for (const bytes of rude) {
      const client = new RawClient(server)
      client.socket.write(bytes)
      expect(await client.reply()).toMatch(/^220 /)
      // A TLS hello has no line end to answer to.
      if (bytes[0] !== 0x16) expect(await client.reply()).toMatch(/^[45]\d\d /)
      client.socket.destroy()
    }
    const client = await rawClient(server)
    expect(await client.say('DATA')).toMatch(/^503 /)
    expect(await client.say('RCPT TO:<a@b>')).toMatch(/^503 /)
    expect(await client.say('AUTH PLAIN !!!')).toMatch(/^501 /)
    expect(await client.say('MAIL FROM:<a@b> SIZE=x')).toMatch(/^501 /)
    expect(await client.say('MAIL FROM:<a@b> REQUIRETLS')).toMatch(/^530 /)
    expect(server.taken).toEqual([])
  })
})
