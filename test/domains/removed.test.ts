import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { start } from '../support/instance.ts'

test('a removed domain is not added again while one of its emails is pending', async () => {
  const post = await start()
  let deliver = (): void => {}
  const asked = new Promise<void>((resolve) => {
    const server = createServer((_, response) => {
      deliver = () => response.end('late')
      resolve()
    }).listen(0, '127.0.0.1', () => {
      port = (server.address() as AddressInfo).port
      isListening()
    })
    onTestFinished(() => void server.close())
  })
  let port = 0
  let isListening = (): void => {}
  await new Promise<void>((resolve) => (isListening = resolve))
  const { id: domainId } = await post.domains.create({ name: 'acme.test' })
  await post.domains.verify(domainId, { status: 'SUCCESS' })
  const { id } = await post.emails.send({
    from: 'Acme <hi@acme.test>',
    to: 'ada@example.com',
    subject: 'Hi',
    text: 'x',
    attachments: [{ filename: 'late.txt', path: `http://127.0.0.1:${port}/late` }],
  })
  await asked
  await post.domains.remove(domainId)
  deliver()
  await expect
    .poll(async () => (await post.emails.get(id)).last_event.status, { timeout: 10_000 })
    .toBe('delivered')
  expect((await post.domains.list()).items).toEqual([])
  // The email keeps the id, and is signed for its domain.
  expect((await post.emails.get(id)).domain_id).toBe(domainId)
  const { headers } = await post.inbox.get(id)
  expect(headers.find(([name]) => name.toLowerCase() === 'dkim-signature')?.[1]).toContain('d=acme.test')
})
