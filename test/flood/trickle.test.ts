import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createTransport } from 'nodemailer'
import { expect, onTestFinished, test } from 'vitest'
import { start } from '../support/instance.ts'
import { residentMiB, smtpClient } from './_flood.ts'

/** Sockets that each send the beginning of a session octet by octet, and reconnect when they are closed. */
async function trickleClients(count: number, server: { host: string; port: number }): Promise<void> {
  const text = 'EHLO trickle.test\r\nMAIL FROM:<a@acme.test>\r\nRCPT TO:<b@example.com>\r\nDATA\r\nSubject: '
  const all = new Map<Socket, number>()
  let isOver = false
  const open = (): Promise<void> =>
    new Promise((resolve) => {
      const socket = connect(server.port, server.host, resolve)
      all.set(socket, 0)
      socket.on('error', () => {})
      socket.on('data', () => {})
      socket.on('close', () => {
        all.delete(socket)
        resolve()
        if (!isOver) void open()
      })
    })
  const timer = setInterval(() => {
    for (const [socket, at] of all) {
      socket.write(text.charAt(at) || 'x')
      all.set(socket, at + 1)
    }
  }, 500)
  onTestFinished(() => {
    isOver = true
    clearInterval(timer)
    for (const socket of all.keys()) socket.destroy()
  })
  await Promise.all(Array.from({ length: count }, open))
}

// The long variant takes half a minute, so that each message arrives at another point of the trickling sessions.
const isLong = process.env['LOCALPOST_HOSTILE'] === '1'

test(
  '500 trickling clients of one address do not block a well-behaved one',
  { timeout: 120_000 },
  async () => {
    const post = await start()
    const before = residentMiB()
    await trickleClients(500, post.smtp)
    const transport = createTransport({ host: post.smtp.host, port: post.smtp.port })
    const until = performance.now() + (isLong ? 30_000 : 0)
    let sent = 0
    // As a client that tries again after a temporary error.
    const send = (): Promise<unknown> =>
      transport.sendMail({ from: 'app@acme.test', to: 'ada@example.com', subject: `mail ${sent}`, text: 'x' })
    do {
      await expect
        .poll(() => send().then(String, String), { timeout: 15_000, interval: 250 })
        .toContain('object')
      sent++
    } while (performance.now() < until)
    expect((await post.inbox.list()).count).toBe(sent)
    // Not only once: a client that stays connected may continue. It tries again after a temporary error, too.
    let client = smtpClient(post.smtp)
    let greeting = await client.reply()
    for (let tries = 1; greeting.startsWith('421') && tries < 60; tries++) {
      await sleep(250)
      client = smtpClient(post.smtp)
      greeting = await client.reply()
    }
    expect(greeting).toMatch(/^220/)
    expect(await client.say('EHLO honest.test')).toMatch(/^250-/)
    expect(residentMiB() - before).toBeLessThan(400)
  },
)
