import { execFile } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { browser } from './context.ts'
import { enter, openPage, send } from './_setup.ts'

describe('the Webhooks page', () => {
  it('adds a webhook, shows its deliveries, and sends one again', async () => {
    const ids: unknown[] = []
    const receiver = createServer((request, response) => {
      ids.push(request.headers['webhook-id'])
      request.resume().on('end', () => response.end('taken'))
    })
    await new Promise<void>((resolve) => void receiver.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void receiver.close())
    const { post, page } = await openPage()
    await enter(page, 'Webhooks')
    await page.getByLabel('URL').fill(`http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`)
    await page.getByRole('button', { name: 'Add' }).click()
    await page.getByText('whsec_').waitFor()
    await send(post, { to: 'ada@example.com', subject: 'Hello' })
    const deliveries = page.getByRole('list', { name: 'Deliveries' }).getByRole('listitem')
    const delivered = deliveries.filter({ hasText: 'email.delivered' })
    // The recipient, and the mail.
    await delivered.getByText('email.delivered ada@example.com').waitFor()
    await delivered.getByText('Hello', { exact: true }).waitFor()
    await delivered.getByText('1 try').click()
    await delivered.getByText('taken').waitFor()
    await delivered.getByRole('button', { name: 'Replay' }).click()
    await expect.poll(() => ids.length - new Set(ids).size).toBe(1)
    await expect.poll(() => delivered.count()).toBe(2)
  })

  it('sends a test event, and has its body and a signed request to copy', async () => {
    const received: { body: string; headers: Record<string, unknown> }[] = []
    const receiver = createServer(async (request, response) => {
      received.push({ body: await text(request), headers: request.headers })
      response.end()
    })
    await new Promise<void>((resolve) => void receiver.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void receiver.close())
    const { post, page } = await openPage({}, false)
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/it's`
    const { secret } = await post.webhooks.create({ url })
    await browser.context.grantPermissions(['clipboard-read', 'clipboard-write'])
    onTestFinished(() => browser.context.clearPermissions())
    await page.goto(`${post.url}/#/webhooks`)
    await page.getByRole('button', { name: 'Send a test event' }).click()
    const sent = page
      .getByRole('list', { name: 'Deliveries' })
      .getByRole('listitem')
      .filter({ hasText: 'email.sent' })
    await sent.getByText('1 try').click()
    // It is read later than the signature is valid.
    const later = Date.now() + 3_600_000
    await page.clock.setFixedTime(later)
    await sent.getByRole('button', { name: 'Copy the body' }).click()
    const copied = (): Promise<string> => page.evaluate(() => navigator.clipboard.readText())
    const sentBody = received.find(({ body }) => body.includes('email.sent'))?.body
    await expect.poll(copied).toBe(sentBody)
    await sent.getByRole('button', { name: 'Copy as curl, signed' }).click()
    await expect.poll(copied).toMatch(/^curl /)
    const before = received.length
    await promisify(execFile)('bash', ['-c', await copied()])
    await expect.poll(() => received.length).toBe(before + 1)
    const { body, headers } = received.at(-1) ?? { body: '', headers: {} }
    expect(body).toBe(sentBody)
    const signed = [headers['webhook-id'], headers['webhook-timestamp'], body].join('.')
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
    const signature = createHmac('sha256', key).update(signed).digest('base64')
    expect(headers['webhook-signature']).toBe(`v1,${signature}`)
    expect(headers['webhook-timestamp']).toBe(String(Math.floor(later / 1000)))
    // By its link, with deliveries that are read before the webhooks.
    const { items } = await post.webhooks.deliveries()
    await page.route('**/dev/webhooks', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 300))
      await route.continue()
    })
    await page.goto(`${post.url}/#/requests/${items[0]?.id}`)
    await page.getByText(/^\s*To a webhook/).waitFor()
    await page.getByRole('button', { name: 'Copy as curl, signed' }).waitFor()
  })

  it('says that a webhook exists already, and shows the deliveries of domain events', async () => {
    const { post, page } = await openPage()
    await enter(page, 'Webhooks')
    const add = async (): Promise<void> => {
      await page.getByLabel('URL').fill('http://127.0.0.1:9/hook')
      await page.getByRole('button', { name: 'Add' }).click()
    }
    await add()
    await page.getByText('whsec_').waitFor()
    await add()
    await page
      .getByRole('alert')
      .getByText('There is a webhook to "http://127.0.0.1:9/hook" already')
      .waitFor()
    await post.domains.create({ name: 'acme.com' })
    const deliveries = page.getByRole('list', { name: 'Deliveries' }).getByRole('listitem')
    const created = deliveries.filter({ hasText: 'domain.created' })
    await created.getByText('domain.created acme.com').waitFor()
    await page.getByLabel('State').selectOption('delivered')
    await page.getByText('Nothing was delivered.').waitFor()
    await page.getByLabel('State').selectOption('pending')
    await created.waitFor()
  })

  it('says the same of a receiver that does not run: at the webhook, at the try, in Traffic', async () => {
    const receiver = createServer()
    await new Promise<void>((resolve) => void receiver.listen(0, '127.0.0.1', resolve))
    const { port } = receiver.address() as AddressInfo
    await new Promise((resolve) => void receiver.close(resolve))
    const words = `connection refused, nothing listens at 127.0.0.1:${port}`
    const { post, page } = await openPage({ webhookRetryDelaysMs: [3_600_000] }, false)
    await post.webhooks.create({ url: `http://127.0.0.1:${port}/`, events: ['email.sent'] })
    await send(post, { to: 'ada@example.com', subject: 'Told to nobody' })
    await page.goto(`${post.url}/#/webhooks`)
    await page.getByText(`Failing: ${words}`).waitFor()
    const deliveries = page.getByRole('list', { name: 'Deliveries' }).getByRole('listitem')
    await deliveries.first().getByText('1 try').click()
    await deliveries.first().locator('.said').getByText(words, { exact: true }).waitFor()
    await enter(page, 'Traffic')
    await page.getByText(`email.sent → ${words}`).waitFor()
  })

  it('adds a webhook for chosen events only', async () => {
    const { post, page } = await openPage()
    await enter(page, 'Webhooks')
    await page.getByLabel('URL').fill('http://127.0.0.1:9/hook')
    await page.getByLabel('Events', { exact: true }).selectOption('some')
    await expect.poll(() => page.getByRole('button', { name: 'Add' }).isDisabled()).toBe(true)
    await page.getByLabel('email.bounced').check()
    await page.getByLabel('domain.verified').check()
    await page.getByRole('button', { name: 'Add' }).click()
    await page.getByText('whsec_').waitFor()
    expect((await post.webhooks.list()).items.map(({ events }) => events)).toEqual([
      ['email.bounced', 'domain.verified'],
    ])
  })
})
