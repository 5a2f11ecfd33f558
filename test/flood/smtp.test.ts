import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { start } from '../support/instance.ts'
import { clientInData, residentMiB, smtpClient, watchMemory } from './_flood.ts'

const header = (subject: string): string =>
  `From: app@acme.test\r\nTo: ada@example.com\r\nSubject: ${subject}\r\n\r\n`

test('one client above the maximum gets 421 4.7.0, and its place is free again later', async () => {
  const post = await start({ limits: { smtpClients: 3 } })
  const clients = [1, 2, 3].map(() => smtpClient(post.smtp))
  for (const client of clients) expect(await client.reply()).toMatch(/^220 /)
  for (let i = 0; i < 5; i++) {
    const surplus = smtpClient(post.smtp)
    expect(await surplus.reply()).toMatch(/^421 4\.7\.0 Too many connections/)
    expect(await surplus.reply()).toBe('')
  }
  // Connected clients continue, and the outbox has a place of its own.
  expect(await clients[0]?.say('EHLO client.test')).toMatch(/250 /)
  const { id } = await post.emails.send({
    from: 'a@acme.test',
    to: 'b@example.com',
    subject: 'out',
    text: 'x',
  })
  await expect
    .poll(async () => (await post.emails.get(id)).last_event.status, { timeout: 10_000 })
    .toBe('delivered')
  clients[1]?.socket.destroy()
  await expect
    .poll(async () => (await smtpClient(post.smtp).reply()).slice(0, 3), { timeout: 5000 })
    .toBe('220')
})

test('200 connections at once lose nothing that was acknowledged', { timeout: 60_000 }, async () => {
  const dir = temporaryFolder()
  const post = await start({ dir })
  const taken: string[] = []
  const highest = watchMemory()
  const before = residentMiB()
  await Promise.all(
    Array.from({ length: 200 }, async (_, n) => {
      const client = await clientInData(post.smtp)
      for (let round = 0; round < 3; round++) {
        const subject = `client ${n} mail ${round}`
        const reply = await client.say(`${header(subject)}${'text '.repeat(10_000)}\r\n.`)
        if (reply.startsWith('250')) taken.push(subject)
        for (const line of ['MAIL FROM:<app@acme.test>', 'RCPT TO:<ada@example.com>', 'DATA'])
          await client.say(line)
      }
    }),
  )
  expect(taken).toHaveLength(600)
  expect(highest() - before).toBeLessThan(250)
  await post.close()
  const again = await start({ dir })
  const found = new Set<string>()
  for (let cursor: string | null = null; ;) {
    const page: Awaited<ReturnType<typeof again.inbox.list>> = await again.inbox.list({ cursor, limit: 500 })
    for (const { subject } of page.items) found.add(subject)
    cursor = page.cursor
    if (cursor === null) break
  }
  expect(taken.filter((subject) => !found.has(subject))).toEqual([])
})

test('messages that are being received use limited memory; the rest is written as it arrives', async () => {
  const dir = temporaryFolder()
  const post = await start({ dir, limits: { smtpBytes: 500_000 } })
  const clients = await Promise.all(Array.from({ length: 20 }, () => clientInData(post.smtp)))
  // Each is far below the size of a message with its own file.
  for (const [n, { socket }] of clients.entries())
    socket.write(`${header(`slow ${n}`)}${'x'.repeat(998)}\r\n`)
  const line = `${'y'.repeat(998)}\r\n`
  for (const { socket } of clients) socket.write(line.repeat(100))
  const spooled = (): number => readdirSync(join(dir, 'large')).length
  await expect.poll(spooled, { timeout: 10_000 }).toBeGreaterThan(10)
  expect(spooled()).toBeLessThan(20)
  for (const { socket } of clients) socket.write('.\r\n')
  for (const client of clients) expect(await client.reply()).toMatch(/^250 /)
  const { items, count } = await post.inbox.list()
  expect(count).toBe(20)
  for (const { id, subject } of items) {
    const { stream } = await post.inbox.raw(id)
    const bytes = Buffer.concat(await stream.toArray()).toString()
    expect(bytes).toContain(`Subject: ${subject}`)
    expect(bytes.length).toBe(header(subject).length + 101 * 1000)
  }
})

test('a message above the limit is refused with 452 4.3.1, and is not kept', async () => {
  const dir = temporaryFolder()
  const post = await start({ dir, limits: { pendingBytes: 200_000 } })
  const clients = await Promise.all(Array.from({ length: 40 }, () => clientInData(post.smtp)))
  const replies = await Promise.all(
    clients.map((client, n) => client.say(`${header(`mail ${n}`)}${'z'.repeat(90_000)}\r\n.`)),
  )
  const taken = replies.filter((reply) => reply.startsWith('250'))
  const refused = replies.filter((reply) => reply.startsWith('452 4.3.1'))
  expect(taken.length + refused.length).toBe(40)
  expect(taken.length).toBeGreaterThan(0)
  expect((await post.inbox.list()).count).toBe(taken.length)
  // The same client may try again at once.
  const [client] = clients
  for (const line of ['MAIL FROM:<app@acme.test>', 'RCPT TO:<ada@example.com>', 'DATA'])
    await client?.say(line)
  expect(await client?.say(`${header('again')}short\r\n.`)).toMatch(/^250 /)
})
