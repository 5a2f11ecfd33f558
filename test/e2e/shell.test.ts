import { expect, it } from 'vitest'
import { RawClient } from '../capture/_server.ts'
import { enter, openPage, rowOf, send, submit } from './_setup.ts'

it('the navigation marks what needs attention, until it was seen', async () => {
  const { post, page } = await openPage()
  const nav = page.getByRole('navigation', { name: 'Views' })
  await nav.getByRole('link', { name: 'Traffic', exact: true }).waitFor()
  await fetch(`${post.url}/v1/emails`, { method: 'POST' })
  await nav.getByRole('link', { name: /^Traffic\s+new problems$/ }).waitFor()
  await enter(page, 'Traffic')
  await nav.getByRole('link', { name: 'Traffic', exact: true }).waitFor()
  await post.rules.set([{ match: '*@full.example', action: 'reject' }])
  await nav.getByRole('link', { name: /^Rules and faults\b.*\brules are on$/ }).waitFor()
  await post.faults.set({ http: [{ path: '/v1/domains', status: 503 }] })
  await nav.getByRole('link', { name: /^Rules and faults\b.*\bfaults are on$/ }).waitFor()
  await page.reload()
  await nav.getByRole('link', { name: 'Traffic', exact: true }).waitFor()
})

it('the navigation marks an SMTP session with a problem as soon as it ends', async () => {
  const { post, page } = await openPage({}, false)
  // Only the event tells of it.
  await page.route('**/dev/smtp-sessions*', (route) => route.abort())
  await page.goto(post.url ?? '')
  await submit(post, { to: 'ada@example.com', subject: 'Delivered' })
  await rowOf(page, 'Delivered').waitFor()
  const nav = page.getByRole('navigation', { name: 'Views' })
  await nav.getByRole('link', { name: 'Traffic', exact: true }).waitFor()
  const client = new RawClient(post.smtp)
  await client.reply()
  for (const line of ['EHLO app', 'STARTTLS', 'QUIT']) await client.say(line)
  await nav.getByRole('link', { name: /^Traffic\s+new problems$/ }).waitFor()
})

it('the inbox says that faults are on, and turns them off', async () => {
  const { post, page } = await openPage()
  await submit(post, { subject: 'Hello' })
  await post.faults.set({ http: [{ path: '/v1/domains', status: 503 }] })
  await page.getByText('Faults are on: 1 for HTTP.').waitFor()
  await page.getByRole('button', { name: 'Turn off' }).click()
  await page.getByText('Faults are on: 1 for HTTP.').waitFor({ state: 'detached' })
  expect(await post.faults.get()).toBe(null)
  await expect.poll(() => page.evaluate(() => document.activeElement?.role)).toBe('combobox')
})

it('the navigation marks webhooks that fail', async () => {
  const { post, page } = await openPage({ webhooks: [{ url: 'http://127.0.0.1:9/' }] })
  await send(post, { to: 'ada@example.com', subject: 'Told to nobody' })
  await page.getByRole('link', { name: /^Webhooks\s+failing$/ }).waitFor()
})

it('the rail folds to icons, which keep their names, and stays so', async () => {
  const { post, page } = await openPage()
  await submit(post, { to: 'ada@example.com', subject: 'Wide' })
  const link = page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Templates' })
  const widthOf = async (): Promise<number> => (await link.boundingBox())?.width ?? 0
  // Beside the names, the actions of a mail would lose their words.
  await expect.poll(widthOf).toBeLessThan(60)
  await page.setViewportSize({ width: 1440, height: 900 })
  await expect.poll(widthOf).toBeGreaterThan(120)
  await page.getByRole('button', { name: 'Show icons alone' }).click()
  await expect.poll(widthOf).toBeLessThan(60)
  await page.reload()
  await expect.poll(widthOf).toBeLessThan(60)
  await page.getByRole('button', { name: 'Show the names of the views' }).click()
  await expect.poll(widthOf).toBeGreaterThan(120)
  await page.setViewportSize({ width: 1280, height: 800 })
})
