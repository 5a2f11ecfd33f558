import { connect } from 'node:net'
import { createTransport } from 'nodemailer'
import { beforeEach, describe, expect, it } from 'vitest'
import { createBudget, noRoom } from '../../src/core/byte-budget.ts'
import { headerBudgetBytes } from '../../src/emails/header-facts.ts'
import { receiveSubmission } from '../../src/emails/receive.ts'
import type { Localpost } from '../../src/instance/instance.ts'
import { openParts } from '../support/deps.ts'
import { start } from '../support/instance.ts'

let post: Localpost
beforeEach(async () => {
  post = await start()
})

/** Submits raw bytes over a socket, and returns the last reply. */
async function submitRaw(
  bytes: Buffer | string,
  from = 'bob@acme.test',
  to: string[] = ['ada@example.com'],
): Promise<string> {
  const socket = connect(post.smtp.port, post.smtp.host)
  let received = ''
  socket.on('data', (piece) => (received += piece.toString()))
  const until = async (code: string, count = 1) => {
    while (received.split('\r\n').filter((line) => line.startsWith(`${code} `)).length < count) {
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
  }
  await until('220')
  const rcpt = to.map((address) => `RCPT TO:<${address}>\r\n`).join('')
  socket.write(`EHLO x\r\nMAIL FROM:<${from}>\r\n${rcpt}DATA\r\n`)
  await until('354')
  received = ''
  socket.write(bytes)
  socket.write('\r\n.\r\n')
  await until('250')
  socket.end('QUIT\r\n')
  return received
}

const rawOf = async (id: string) => Buffer.concat(await (await post.inbox.raw(id)).stream.toArray())

describe('a submission', () => {
  it('becomes an email of the account, with the events of its recipients', async () => {
    await createTransport(post.smtp).sendMail({
      from: '"Bob, the  Builder" <bob@acme.test>',
      to: 'Ada <ada@example.com>, bounce@simulator.localpost',
      bcc: 'audit@example.com',
      subject: 'Žluťoučký kůň',
      text: 'plain',
      html: '<p>rich</p>',
    })
    await post.inbox.waitFor()
    const { items } = await post.emails.list()
    expect(items).toHaveLength(1)
    const email = await post.emails.get(items[0]?.id ?? '')
    expect(email).toMatchObject({
      type: 'transactional',
      to: ['ada@example.com', 'bounce@simulator.localpost'],
      subject: 'Žluťoučký kůň',
      html: '<p>rich</p>',
      text: 'plain',
      template_id: null,
    })
    expect(email.from).toContain('<bob@acme.test>')
    expect(
      email.recipient_statuses.map(({ recipient, events }) => [
        recipient,
        events.map(({ status }) => status),
      ]),
    ).toEqual([
      ['ada@example.com', ['sent', 'delivered']],
      ['bounce@simulator.localpost', ['sent', 'bounced']],
      ['audit@example.com', ['sent', 'delivered']],
    ])
    const domain = await post.domains.get(email.domain_id)
    expect(domain.name).toBe('acme.test')
  })

  it('takes From, To or subject from the envelope where they are missing, or shows nothing', async () => {
    await submitRaw('X-Empty: yes\r\n\r\nbody')
    const [item] = (await post.emails.list()).items
    expect(await post.emails.get(item?.id ?? '')).toMatchObject({
      from: 'bob@acme.test',
      to: ['ada@example.com'],
      subject: '',
      html: '',
    })
  })

  it('without a sender belongs to the built-in domain', async () => {
    for (const from of ['', 'root@localhost']) {
      await submitRaw('Subject: x\r\n\r\nbody', from)
      const [item] = (await post.emails.list()).items
      const email = await post.emails.get(item?.id ?? '')
      expect(email.from).toBe(from)
      expect((await post.domains.get(email.domain_id)).name).toBe('localpost.test')
    }
  })

  it('is accepted whatever the status of its domain', async () => {
    const { id } = await post.domains.create({ name: 'acme.test' })
    await submitRaw('From: bob@acme.test\r\n\r\nbody')
    const [item] = (await post.emails.list()).items
    expect((await post.emails.get(item?.id ?? '')).domain_id).toBe(id)
    expect((await post.domains.get(id)).status).toBe('NOT_STARTED')
  })

  it.each([
    ['binary garbage', Buffer.from([0x00, 0xff, 0xfe, 0x0d, 0x0a, 0x80, 0x81])],
    ['no header at all', Buffer.from('just text\r\nmore')],
    ['bare line feeds', Buffer.from('Subject: x\n\nline\nline')],
    [
      'a broken multipart',
      Buffer.from(
        'Content-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\nContent-Type: text/html\r\n\r\n<b>',
      ),
    ],
  ])('keeps the bytes of %s unchanged', async (_, bytes) => {
    await submitRaw(bytes)
    const [item] = (await post.inbox.list()).items
    expect((await rawOf(item?.id ?? '')).subarray(0, bytes.length).equals(bytes)).toBe(true)
    await post.emails.get(item?.id ?? '')
    await post.inbox.get(item?.id ?? '')
  })

  it('of 20 MB arrives complete', async () => {
    const content = Buffer.alloc(14_000_000, 'abcdefghij')
    await createTransport(post.smtp).sendMail({
      from: 'a@acme.test',
      to: 'b@acme.test',
      attachments: [{ filename: 'big.bin', content }],
    })
    const mail = await post.inbox.waitFor()
    expect(mail.size_bytes).toBeGreaterThan(19_000_000)
    expect((await post.inbox.attachment(mail.id, 0)).content.equals(content)).toBe(true)
  })

  it('leaves nothing behind where the client disconnects in the middle', async () => {
    const socket = connect(post.smtp.port, post.smtp.host)
    socket.write(
      'EHLO x\r\nMAIL FROM:<a@acme.test>\r\nRCPT TO:<b@acme.test>\r\nDATA\r\nSubject: half\r\n\r\nhalf',
    )
    // The message had begun: the server had reached its data, which were in the same write.
    let replies = ''
    socket.on('data', (piece) => (replies += piece.toString()))
    await expect.poll(() => replies).toContain('354 ')
    socket.destroy()
    await submitRaw('Subject: whole\r\n\r\nx')
    expect((await post.emails.list()).items.map(({ subject }) => subject)).toEqual(['whole'])
  })

  it('has its id in the reply', async () => {
    const reply = await submitRaw('Subject: x\r\n\r\nbody')
    const [item] = (await post.emails.list()).items
    expect(reply).toContain(`OK: captured as ${item?.id}`)
    expect(item?.last_event).toMatchObject({
      status: 'delivered',
      smtp_response: reply.trim().split('\r\n').at(-1),
    })
  })
})

it('gives the memory of its long header back if the header cannot be read', async () => {
  const { store, clock, ids, thread } = await openParts()
  const headerBudget = createBudget(headerBudgetBytes)
  const refused = noRoom('Busy.')
  const reception = receiveSubmission(
    { mail_from: 'bob@acme.test', rcpt_to: ['ada@example.com'] },
    {
      store,
      clock,
      ids,
      headerBudget,
      tracer: null,
      hostname: 'localhost',
      thread: { ...thread, run: () => Promise.reject(refused) },
      ensureDomain: () => Promise.reject(new Error('not reached')),
      needsDelivery: () => false,
      wakeOutbox: () => {},
    },
  )
  void reception.write(Buffer.from(`Subject: ${'x'.repeat(300_000)}`))
  expect(headerBudget.used).toBe(300_009)
  await expect(reception.finish()).rejects.toBe(refused)
  expect(headerBudget.used).toBe(0)
})
