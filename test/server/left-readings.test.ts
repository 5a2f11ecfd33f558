import { writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import type { JobQueue } from '../../src/core/job-queue.ts'
import { createJobThread } from '../../src/core/job-thread.ts'
import type { Localpost } from '../../src/index.ts'
import { jobs, type InstanceThread } from '../../src/instance/jobs.ts'
import { openLocalpost } from '../../src/instance/open.ts'
import { createReadingTurns, type ReadingTurns } from '../../src/reading/turns.ts'
import { readRequests, type ReadRequest } from '../hostile/routes.ts'
import { temporaryFolder } from '../support/folder.ts'
import { goodMail } from '../support/mail.ts'

/** The routes whose answers need no reading of a message. */
const readNothing = [
  '/dev/inbox/bulk',
  '/dev/inbox/export',
  '/dev/inbox/tags',
  '/dev/inbox/{id}/raw',
  '/dev/scheduled',
  '/dev/scheduled/{id}',
  '/v1/emails',
]

/** How long a place may be taken after its caller left. Without an end of the work it would be taken for a minute. */
const leavingMs = 5000
const within = ({ path }: ReadRequest): { message: string; timeout: number; interval: number } => ({
  message: path,
  timeout: leavingMs,
  interval: 5,
})

it(
  'a caller who leaves gives up its place before and during each reading, and causes no fault',
  { timeout: 300_000 },
  async () => {
    const { turns, thread, work, hold, waiting, begun, open } = createWatchedTurns()
    const faults: unknown[] = []
    const post = await openLocalpost(
      { onNotice: (notice) => notice.level === 'error' && faults.push(notice) },
      { deliversFrom: 'start', turns, thread },
    )
    onTestFinished(() => post.close())
    const { url } = await post.listen()
    const ids = await storeLargeMails(post)
    const requests = ids.flatMap((id) => [...firstOfEachRoute(readRequests(id)), ...searches])
    work.isEndless = true

    const readings: ReadRequest[] = []
    for (const one of requests) {
      const before = begun()
      const release = await hold()
      const client = ask(post, url, one)
      await expect.poll(() => client.isAnswered() || waiting() > 0, within(one)).toBe(true)
      if (!client.isAnswered()) readings.push(one)
      client.leave()
      await expect.poll(waiting, within(one)).toBe(0)
      await release()
      await expect.poll(open, within(one)).toBe(0)
      expect(begun(), one.path).toBe(before)
    }
    const reading = new Set(readings.map(({ route }) => route))
    const others = new Set(requests.map(({ route }) => route).filter((route) => !reading.has(route)))
    expect([...others].toSorted()).toEqual(readNothing)

    for (const one of readings) {
      const before = begun()
      const client = ask(post, url, one)
      await expect.poll(begun, within(one)).toBeGreaterThan(before)
      client.leave()
      await expect.poll(open, within(one)).toBe(0)
    }
    expect(faults).toEqual([])
  },
)

function firstOfEachRoute(requests: readonly ReadRequest[]): ReadRequest[] {
  return [...new Map(requests.toReversed().map((one) => [one.route, one])).values()]
}

/** Searches that read messages: their text for a pattern, their header fields, and the names of their attachments. */
const searches: readonly ReadRequest[] = ['body:/x+y/', 'header:x-none:1', 'filename:none.txt'].map(
  (query) => ({
    path: `/dev/inbox?query=${encodeURIComponent(query)}`,
    route: '/dev/inbox',
    needsKey: false,
  }),
)

/** Stores a submission with an attached message, and an API send, both large. @returns Their ids. */
async function storeLargeMails(post: Localpost): Promise<string[]> {
  const filler = 'a line of text\r\n'.repeat(80_000)
  const attached = `Subject: inner\r\nContent-Type: multipart/mixed; boundary=i\r\n\r\n--i\r\nContent-Type: text/html\r\n\r\n<p>x\r\n--i\r\nContent-Type: text/plain; name=a.txt\r\n\r\n${filler}--i--\r\n`
  const message = `From: eve@x.test\r\nTo: ada@example.com\r\nSubject: large\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nHi\r\n--b\r\nContent-Type: message/rfc822\r\n\r\n${attached}\r\n--b--\r\n`
  const imported = await post.inbox.import(Buffer.from(message))
  const sent = await post.emails.send({ ...goodMail, html: filler })
  const status = async (): Promise<string | undefined> =>
    (await post.emails.list()).items[0]?.last_event.status
  await expect.poll(status, { timeout: 60_000 }).toBe('delivered')
  // What reads mail in the background has read them.
  const unread = async (): Promise<number> => (await post.inbox.list({ query: 'line' })).unread_texts ?? 0
  await expect.poll(unread, { timeout: 60_000 }).toBe(0)
  return [imported.id, sent.id]
}

/** Sends a request over a connection of its own. */
function ask({ apiKey }: Localpost, url: string, { path, needsKey }: ReadRequest): Client {
  const headers = needsKey ? { authorization: `Bearer ${apiKey}` } : {}
  let isAnswered = false
  const asked = request(url + path, { agent: false, headers }, (response) => {
    isAnswered = true
    response.on('error', () => undefined).resume()
  })
  asked.on('error', () => undefined).end()
  return { isAnswered: () => isAnswered, leave: () => void asked.destroy() }
}

interface Client {
  isAnswered(): boolean
  leave(): void
}

/** Turns that count what waits and runs in them, and a thread that never ends its work once it is told so. */
function createWatchedTurns(): {
  turns: ReadingTurns
  thread: InstanceThread
  work: { isEndless: boolean }
  /** Takes the place of the large readings. @returns How to give it back. */
  hold(): Promise<() => Promise<void>>
  waiting(): number
  begun(): number
  /** How many calls wait or run. */
  open(): number
} {
  const counts = { waiting: 0, begun: 0, open: 0 }
  const work = { isEndless: false }
  const file = join(temporaryFolder(), 'worker.mjs')
  writeFileSync(
    file,
    `import { parentPort } from 'node:worker_threads'
parentPort.on('message', () => {})
parentPort.postMessage('ready')`,
  )
  const endless = createJobThread(jobs, pathToFileURL(file))
  const here = createJobThread(jobs, null)
  // Without its endless work it reads in this thread, as an instance from sources does.
  const thread: InstanceThread = {
    ...endless,
    run: (...given) => (work.isEndless ? endless : here).run(...given),
  }
  const inner = createReadingTurns(systemClock)
  const watched = (queue: JobQueue): JobQueue => ({
    async run(job, patienceMs, signal) {
      let isWaiting = true
      const began = (): void => {
        if (isWaiting) counts.waiting--
        isWaiting = false
      }
      counts.waiting++
      counts.open++
      try {
        return await queue.run(
          () => {
            began()
            counts.begun++
            return job()
          },
          patienceMs,
          signal,
        )
      } finally {
        began()
        counts.open--
      }
    },
  })
  return {
    // In a turn of `readWhole` a large reading waits for its own.
    turns: { ...inner, large: watched(inner.large) },
    thread,
    work,
    async hold() {
      let release = (): void => undefined
      const held = inner.large.run(
        () => new Promise<void>((resolve) => (release = resolve)),
        Number.POSITIVE_INFINITY,
      )
      await Promise.resolve()
      return async () => {
        release()
        await held
        // All turns are free: no caller who left holds one.
        for (const queue of [inner.wholeReads, inner.wholeWork, inner.large])
          await queue.run(async () => undefined, leavingMs)
      }
    },
    waiting: () => counts.waiting,
    begun: () => counts.begun,
    open: () => counts.open,
  }
}
