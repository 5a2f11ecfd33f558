import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { enter, openPage, send, submit } from './_setup.ts'

it('says from, to, subject and outcome of requests, sessions and deliveries in one timeline', async () => {
  const { post, page } = await openPage()
  const receiver = createServer((_, response) => response.writeHead(500).end('no such table')).listen(
    0,
    '127.0.0.1',
  )
  onTestFinished(() => void receiver.close())
  await once(receiver, 'listening')
  const { port } = receiver.address() as AddressInfo
  await post.webhooks.create({ url: `http://127.0.0.1:${port}/hooks` })
  await send(post, { to: 'bounce@simulator.localpost', subject: 'By request' })
  await submit(post, { subject: 'By SMTP', to: 'grace@example.com', text: 'Hi' })
  await enter(page, 'Traffic')
  const rows = page.getByRole('list', { name: 'Timeline' }).getByRole('listitem')
  const request = rows.filter({ hasText: 'POST /v1/emails' })
  for (const text of ['By request', 'hello@acme.test', 'to bounce@simulator.localpost', 'Bounced'])
    await request.getByText(text).first().waitFor()
  const session = rows.filter({ hasText: 'By SMTP' }).filter({ hasText: '127.0.0.1' }).last()
  for (const text of ['hello@acme.test', 'to grace@example.com'])
    await session.getByText(text).first().waitFor()
  const choose = (name: string): Promise<void> => page.getByRole('radio', { name }).check({ force: true })
  await choose('Webhooks')
  await request.waitFor({ state: 'detached' })
  const bounced = rows.filter({ hasText: 'email.bounced' })
  await bounced.getByText('the receiver answered 500').waitFor()
  await bounced.getByRole('link').first().click()
  await bounced.getByText('no such table').first().waitFor()
  expect(page.url()).toMatch(/#\/requests\/whd_/)
  await page.reload()
  await bounced.getByText('no such table').first().waitFor()
  await choose('SMTP')
  await bounced.waitFor({ state: 'detached' })
  await page.goBack()
  await bounced.getByText('no such table').first().waitFor()
  // What is not read is not deleted.
  await page.route('**/dev/webhooks', (route) => route.abort())
  await page.reload()
  await page.getByRole('alert').getByRole('button', { name: 'Try again' }).waitFor()
  await bounced.getByText('email.bounced to a webhook').waitFor()
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Try again' }).click()
  await bounced.getByText(`email.bounced to 127.0.0.1:${port}/hooks`).waitFor()
  await page.goto(`${post.url}/#/requests/req_unknown`)
  await page.getByText('There is no entry “req_unknown” here').waitFor()
})

it('brings an entry that a link opens into view once, however far down it is', async () => {
  const { post, page } = await openPage({}, false)
  for (let at = 0; at < 120; at++) await fetch(`${post.url}/v1/emails`, { method: 'POST' })
  const read = await fetch(`${post.url}/dev/requests?limit=500`)
  const { requests } = (await read.json()) as { requests: { id: string }[] }
  const oldest = requests.at(-1)?.id ?? ''
  await page.goto(`${post.url}/#/requests/${oldest}`)
  const opened = page.locator('.entry[aria-current="true"]')
  const topOfOpened = async (): Promise<number> => (await opened.boundingBox())?.y ?? -1
  await expect.poll(topOfOpened).toBeGreaterThanOrEqual(0)
  await expect.poll(topOfOpened).toBeLessThan(700)
  // What a person does next is left where it is.
  const filter = page.getByRole('searchbox', { name: 'Search the timeline' })
  await filter.fill('nothing has this')
  await page.getByText('Nothing matches.').waitFor()
  await filter.fill('')
  await opened.waitFor()
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  )
  expect((await filter.boundingBox())?.y).toBeGreaterThanOrEqual(0)
})
