import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { loadAttachments } from '../../src/attachments/load-attachments.ts'
import { createDownloads } from '../../src/outbox/downloads.ts'
import { testClock } from '../support/clock.ts'
import { start } from '../support/instance.ts'

/** A server that answers `/quick` and lets all else hang. */
async function startServer(): Promise<{
  url: string
  asked(): number
  end(): void
}> {
  let asked = 0
  const server = createServer(({ url }, response) => {
    asked++
    if (url === '/quick') response.end('x')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const end = (): void => {
    server.close()
    server.closeAllConnections()
  }
  onTestFinished(end)
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, asked: () => asked, end }
}

it('the attachments of an email have a time limit together, and its error says how many came', async () => {
  const { url } = await startServer()
  const references = ['data:,x', `${url}/hangs`, `${url}/quick`].map((path) => ({ filename: 'a.txt', path }))
  const sources = { root: null, problemOf: () => null, timeoutMs: 60_000 }
  await expect(loadAttachments(references, sources, 1000, 100)).rejects.toMatchObject({
    code: 'attachment_failed',
    message:
      'The attachments of this email were not fetched within 100 ms, which is the time for all of them; 1 of 3 were.',
  })
})

it('an email that waits ten minutes for the downloads of others fails with the reason', async () => {
  const clock = testClock(0)
  const downloads = createDownloads(clock)
  let finish = (): void => {}
  const held = new Promise<void>((resolve) => (finish = resolve))
  const running = [1, 2].map(() => downloads(() => held))
  const refusal = expect(downloads(() => Promise.resolve())).rejects.toMatchObject({
    code: 'attachment_failed',
    message: expect.stringContaining('waited 10 minutes for those of other emails') as unknown,
  })
  await clock.advance(10 * 60_000)
  await refusal
  finish()
  await Promise.all(running)
})

it('mail is delivered while the servers of the attachments of 70 emails hang, two at a time in all accounts', async () => {
  const { url, asked, end } = await startServer()
  const post = await start({
    attachments: { allowPrivate: true, timeoutMs: 60_000 },
  })
  await post.accounts.create({ name: 'other' })
  const other = post.account('other')
  const mail = { from: 'eve@x.test', to: 'ada@x.test', text: 'x' }
  const attachments = [{ filename: 'a.txt', path: `${url}/hangs` }]
  for (let n = 0; n < 70; n++) await post.emails.send({ ...mail, subject: 'hangs', attachments })
  await expect.poll(asked).toBe(2)
  await other.emails.send({ ...mail, subject: 'hangs', attachments })
  for (const { emails, inbox } of [post, other]) {
    await emails.send({ ...mail, subject: 'plain' })
    await inbox.waitFor('subject:plain')
  }
  expect(asked()).toBe(2)
  end()
  await expect
    .poll(async () => (await other.emails.list()).items.map(({ last_event }) => last_event?.status))
    .toContain('failed')
})
