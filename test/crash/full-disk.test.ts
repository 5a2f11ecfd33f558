import { createHash } from 'node:crypto'
import { readdir, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createTransport } from 'nodemailer'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { isLong, roundsOf, sampleOf } from '../support/long.ts'
import { smallDisk } from '../support/small-disk.ts'
import { runToEnd, startCommand, type Started } from '../cli/command.ts'

const diskBytes = 64 * 1024 * 1024

const text = `${'0123456789abcdef'.repeat(4)}\r\n`.repeat(15_000)

/** Submits mails of 1 MB, one after the other. @returns The replies other than 250. */
async function submit(
  { smtpPort }: Started,
  count: number,
  after = async (): Promise<void> => {},
): Promise<string[]> {
  const transport = createTransport({
    host: '127.0.0.1',
    port: smtpPort,
    pool: true,
    maxConnections: 1,
    ignoreTLS: true,
  })
  const refused: string[] = []
  for (let n = 0; n < count; n++) {
    const mail = { from: 'app@acme.test', to: 'ada@example.com', subject: `mail ${n}`, text }
    await transport.sendMail(mail).catch((error: Error) => refused.push(error.message))
    await after()
  }
  transport.close()
  return refused
}

/** Sends mails of 1 MB with the API, one after the other. @returns The replies other than 200. */
async function post(
  server: Started,
  count: number,
  after = async (): Promise<void> => {},
): Promise<string[]> {
  const refused: string[] = []
  for (let n = 0; n < count; n++) {
    const mail = { from: 'app@acme.test', to: 'ada@example.com', subject: `mail ${n}`, text }
    const answer = await api(server, '/v1/emails', { method: 'POST', body: JSON.stringify(mail) })
    const body = await answer.text()
    if (answer.status !== 200) refused.push(body)
    await after()
  }
  return refused
}

async function api(server: Started, path: string, init: RequestInit = {}): Promise<Response> {
  return await fetch(server.url + path, {
    ...init,
    headers: { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' },
  })
}

/** A digest of all the bytes of each message. */
async function messagesOf(server: Started, mails: readonly { id: string }[]): Promise<string[]> {
  const digests: string[] = []
  for (const { id } of mails) {
    const raw = await api(server, `/dev/inbox/${id}/raw`)
    const bytes = Buffer.from(await raw.arrayBuffer())
    expect(bytes.includes('0123456789abcdef')).toBe(true)
    digests.push(`${bytes.length} ${createHash('sha256').update(bytes).digest('hex')}`)
  }
  return digests
}

async function kill(server: Started): Promise<void> {
  process.kill(server.pid, 'SIGKILL')
  await server.ended
}

test('with --max-emails, mails of 1 MB never fill a disk of 64 MB', { timeout: 120_000 }, async () => {
  const cwd = smallDisk(diskBytes)
  if (!cwd) return
  const server = await startCommand(['--dir=data', '--max-emails=10'], { cwd })
  let most = 0
  const refused = await submit(server, 120, async () => {
    const { blocks, bfree, bsize } = await statfs(cwd)
    most = Math.max(most, (blocks - bfree) * bsize)
  })
  expect(refused).toEqual([])
  console.log(`120 mails of 1 MB, 10 kept: at most ${Math.round(most / 1e6)} MB on the disk`)
  await expect.poll(async () => (await readdir(join(cwd, 'data', 'large'))).length).toBeLessThan(30)
  await kill(server)
})

/** How long the flood lasts; `LOCALPOST_FLOOD=10` is longer still. */
const floodMs = roundsOf('LOCALPOST_FLOOD', { short: 2, long: 5 }) * 1000

/** The ways of sending: a mail of the API has two large files, its content and the message that is written from it. */
const floods: readonly [way: string, files: number, submitSome: typeof submit][] = [
  ['SMTP', 1, submit],
  ['the API', 2, post],
]

/**
 * A client of a flood goes on when no more than this many mails are there. The oldest are removed a quarter of a second after
 * newer ones arrived, and what arrives meanwhile would depend on the speed of the machine.
 */
const mostMails = 30

test.each(sampleOf(floods, 1))(
  'a flood of mails of 1 MB by %s with --max-emails 20 uses the space of what is there, and 48 MB',
  { timeout: 120_000 },
  async (way, files, submitSome) => {
    const cwd = temporaryFolder()
    const server = await startCommand(['--dir=data', '--max-emails=20'], { cwd })
    const until = performance.now() + floodMs
    let sent = 0
    let most = 0
    const refused: string[] = []
    const look = async (): Promise<void> => {
      most = Math.max(most, await bytesIn(join(cwd, 'data')))
      const patience = performance.now() + 5000
      while ((await countOf(server)) > mostMails && performance.now() < patience) await sleep(20)
    }
    const flood = async (): Promise<void> => {
      while (performance.now() < until) {
        refused.push(...(await submitSome(server, 5, look)))
        sent += 5
      }
    }
    await Promise.all([flood(), flood(), flood(), flood()])
    expect(refused).toEqual([])
    console.log(
      `${sent} mails of 1 MB by ${way} in ${floodMs / 1000} s, 20 kept: at most ${Math.round(most / 1e6)} MB in the folder`,
    )
    // Each client may bring one more. 48 MB of removed mails wait for a flush, 4 MB are in reserve, and the log has the rest.
    expect(most).toBeLessThan(((mostMails + 4) * files + 48 + 4 + 12) * 1024 * 1024)
    await expect.poll(() => bytesIn(join(cwd, 'data')), { timeout: 30_000 }).toBeLessThan(60e6)
    await kill(server)
  },
)

async function countOf(server: Started): Promise<number> {
  return ((await (await api(server, '/v1/emails?limit=1')).json()) as { count: number }).count
}

/** The disk usage of the files of a folder, in bytes. */
async function bytesIn(dir: string): Promise<number> {
  let bytes = 0
  for (const entry of await readdir(dir, { recursive: true, withFileTypes: true })) {
    // A file that is deleted meanwhile uses nothing.
    const found = entry.isFile() ? await stat(join(entry.parentPath, entry.name)).catch(() => null) : null
    bytes += (found?.blocks ?? 0) * 512
  }
  return bytes
}

test(
  'a start on a full disk of 64 MB accepts no mail, lets mail be removed, and captures again',
  { timeout: 180_000 },
  async () => {
    const cwd = smallDisk(diskBytes)
    if (!cwd) return
    const listOf = async (server: Started): Promise<{ id: string }[]> =>
      ((await (await api(server, '/dev/inbox?limit=100')).json()) as { emails: { id: string }[] }).emails
    const first = await startCommand(['--dir=data'], { cwd })
    const refused = await submit(first, 75)
    expect(refused.length).toBeGreaterThan(5)
    let kept = await listOf(first)
    expect(kept.length).toBe(75 - refused.length)
    let written = await messagesOf(first, kept)
    await kill(first)
    for (let round = 0; round < (isLong ? 3 : 1); round++) {
      const server = await startCommand(['--dir=data'], { cwd })
      expect(await listOf(server)).toEqual(kept)
      // With less room than the reserve and as much again, what is free is for removing.
      for (const reply of await submit(server, 3)) expect(reply).toMatch(/452 4\.3\.1/)
      expect(await listOf(server)).toEqual(kept)
      for (const { id } of kept.slice(0, 12))
        expect((await api(server, `/dev/inbox/${id}`, { method: 'DELETE' })).status).toBeLessThan(300)
      await expect
        .poll(async () => (await submit(server, 1)).length, { timeout: 30_000, interval: 1000 })
        .toBe(0)
      expect((await submit(server, 75)).length).toBeGreaterThan(5)
      const now = await listOf(server)
      const digests = await messagesOf(server, now)
      for (const [at, { id }] of kept.slice(12).entries())
        expect(digests[now.findIndex((email) => email.id === id)]).toBe(written[12 + at])
      kept = now
      written = digests
      if (round === 0) await kill(server)
      else {
        server.signal('SIGTERM')
        expect((await server.ended).code).toBe(0)
      }
    }
  },
)

test(
  'on a full disk of 64 MB mail can be removed, a start works, and mail is accepted once there is room',
  { timeout: 120_000 },
  async () => {
    const cwd = smallDisk(diskBytes)
    if (!cwd) return
    const first = await startCommand(['--dir=data'], { cwd })
    // A removal is announced, so it stores something too.
    const hook = { url: 'http://127.0.0.1:9/', events: ['*'] }
    expect((await api(first, '/dev/webhooks', { method: 'POST', body: JSON.stringify(hook) })).status).toBe(
      201,
    )
    const refused = await submit(first, 75)
    expect(refused.length).toBeGreaterThan(5)
    for (const reply of refused) expect(reply).toMatch(/452 4\.3\.1/)
    const body = JSON.stringify({ from: 'app@acme.test', to: 'ada@example.com', subject: 'by HTTP', text })
    const posted = await api(first, '/v1/emails', { method: 'POST', body })
    expect({ status: posted.status, body: await posted.json() }).toMatchObject({
      status: 507,
      body: { name: 'store_full' },
    })
    const health = await api(first, '/dev/health')
    expect({ code: health.status, body: await health.json() }).toMatchObject({
      code: 503,
      body: { status: 'refusing' },
    })
    // A second process gets the holder of the folder, and changes nothing.
    const namesNow = async (): Promise<string[]> =>
      (await readdir(join(cwd, 'data'))).filter((name) => !name.endsWith('.tmp'))
    // The first checkpoint of the first process adds files.
    await expect.poll(namesNow, { timeout: 20_000 }).toContain('db.json')
    const names = await namesNow()
    const other = await runToEnd(['--dir=data', '--port=0', '--smtp-port=0'], { cwd })
    expect(other).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is in use by process') as unknown,
    })
    expect(await namesNow()).toEqual(names)
    const { count, emails } = (await (await api(first, '/v1/emails')).json()) as {
      count: number
      emails: { id: string }[]
    }
    expect(count).toBe(75 - refused.length)
    for (const { id } of emails.slice(0, 5))
      expect((await api(first, `/dev/inbox/${id}`, { method: 'DELETE' })).ok).toBe(true)
    const written = await messagesOf(first, emails.slice(5))
    await kill(first)

    const second = await startCommand(['--dir=data'], { cwd })
    expect(((await (await api(second, '/v1/emails')).json()) as { count: number }).count).toBe(count - 5)
    expect(await messagesOf(second, emails.slice(5))).toEqual(written)
    for (const { id } of emails.slice(5, 20))
      expect((await api(second, `/dev/inbox/${id}`, { method: 'DELETE' })).ok).toBe(true)
    await expect
      .poll(async () => (await submit(second, 1)).length, { timeout: 30_000, interval: 1000 })
      .toBe(0)
    await kill(second)
    const third = await startCommand(['--dir=data'], { cwd })
    expect(((await (await api(third, '/v1/emails')).json()) as { count: number }).count).toBe(count - 20 + 1)
    expect(await messagesOf(third, emails.slice(20))).toEqual(written.slice(15))
    expect((await submit(third, 2)).length).toBe(0)
    await kill(third)
  },
)
