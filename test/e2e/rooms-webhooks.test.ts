import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
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
    await page.getByText('No delivery is delivered.').waitFor()
    await page.getByLabel('State').selectOption('pending')
    await created.waitFor()
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
