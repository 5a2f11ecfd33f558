import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { start } from '../support/instance.ts'

it('the attachments of two emails are downloaded at once, others wait, and a mail without downloads does not', async () => {
  const open: ServerResponse[] = []
  let most = 0
  const server = createServer((_, response) => {
    open.push(response)
    most = Math.max(most, open.length)
    // Begun, not ended: its bytes are in memory.
    response.write('beginning, ')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const post = await start({ attachments: { allowPrivate: true } })
  const send = (subject: string, path?: string): Promise<unknown> =>
    post.emails.send({
      from: 'eve@x.test',
      to: 'ada@x.test',
      subject,
      text: 'x',
      ...(path === undefined ? {} : { attachments: [{ filename: 'a.txt', path }] }),
    })
  for (let n = 0; n < 6; n++) await send(`download ${n}`, `http://127.0.0.1:${port}/${n}`)
  await expect.poll(() => open.length).toBe(2)
  await send('plain')
  await post.inbox.waitFor('subject:plain')
  for (let ended = 0; ended < 6; ended++) {
    await expect.poll(() => open.length).toBeGreaterThan(0)
    open.shift()?.end('end')
  }
  await expect.poll(async () => (await post.inbox.list({ query: 'subject:download' })).count).toBe(6)
  expect(most).toBe(2)
})
