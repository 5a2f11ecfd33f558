import { expect, it } from 'vitest'
import type { Localpost } from '../../src/instance/instance.ts'
import { enter, openPage, rowOf, sender } from './_setup.ts'

const hour = 3_600_000

async function call(post: Localpost, path: string, body: object): Promise<unknown> {
  const headers = { authorization: `Bearer ${post.apiKey}`, 'content-type': 'application/json' }
  const response = await fetch(`${post.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  expect(response.status).toBeLessThan(300)
  return response.json()
}
const later = (subject: string, hours: number): object => ({
  from: sender,
  to: ['ada@example.com'],
  subject,
  text: subject,
  send_at: Date.now() + hours * hour,
})

it('scheduled mails say when, and can be moved, sent and cancelled', async () => {
  const { post, page } = await openPage()
  await call(post, '/dev/emails', later('In two days', 48))
  await enter(page, 'Scheduled')
  const rowFor = (name: string) => page.getByRole('article', { name })
  await rowFor('In two days').getByText('in 2 days').waitFor()
  // They come and go while the list is open.
  await call(post, '/dev/emails', later('In five hours', 5))
  await call(post, '/dev/emails', later('Never', 6))
  await rowFor('In five hours').getByText('in 5 hours').waitFor()
  expect(await page.getByRole('article').first().getAttribute('aria-label')).toBe('In five hours')

  await rowFor('In two days').getByRole('button', { name: 'Change time' }).click()
  const tomorrow = new Date(Date.now() + 24 * hour)
  const local = new Date(tomorrow.getTime() - tomorrow.getTimezoneOffset() * 60_000)
    .toISOString()
    .slice(0, 19)
  await page.getByLabel('Send at').fill(local)
  await page.getByRole('button', { name: 'Save' }).click()
  await rowFor('In two days').getByText('in 24 hours').waitFor()

  await rowFor('Never').getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Cancel the mail' }).click()
  await rowFor('Never').waitFor({ state: 'detached' })
  await rowFor('In five hours').getByRole('button', { name: 'Send now' }).click()
  await page.getByRole('link', { name: 'Open the mail' }).click()
  await page.getByRole('heading', { name: 'In five hours' }).waitFor()
})

it('the next of many scheduled mails comes first, also if it was accepted before all others', async () => {
  const { post, page } = await openPage({}, false)
  await call(post, '/dev/emails', later('The next one', 1))
  for (let at = 0; at < 201; at++) await call(post, '/dev/emails', later(`Mail ${at}`, 2 + at))
  await page.goto(`${post.url}/#/scheduled`)
  const names = page.getByRole('article')
  await expect.poll(() => names.count()).toBe(202)
  expect(await names.first().getAttribute('aria-label')).toBe('The next one')
  expect(await names.last().getAttribute('aria-label')).toBe('Mail 200')
})

it('the suppression list takes and gives back addresses, and says why', async () => {
  const { post, page } = await openPage()
  await call(post, '/dev/suppressions', { address: 'angry@example.com', reason: 'complaint' })
  await enter(page, 'Rules and faults')
  const list = page.getByRole('list', { name: 'Suppressed addresses' }).getByRole('listitem')
  await list.filter({ hasText: 'angry@example.com' }).getByText('Complained').waitFor()
  await page.getByLabel('Address', { exact: true }).fill('gone@example.com')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await list.filter({ hasText: 'gone@example.com' }).getByText('Added by hand').waitFor()
  await page.getByRole('button', { name: 'Remove angry@example.com' }).click()
  await expect.poll(() => list.count()).toBe(1)
})

it("a mail says which provider's API it came by, shows its metadata, and leads to its request", async () => {
  const { post, page } = await openPage()
  const { id } = (await call(post, '/resend/emails', {
    from: sender,
    to: ['ada@example.com'],
    subject: 'By Resend',
    text: 'Hello',
    tags: [{ name: 'category', value: 'confirm' }],
  })) as { id: string }
  await rowOf(page, 'By Resend').click()
  await page.getByRole('button', { name: 'Details' }).click()
  await page.getByText('Resend’s API').waitFor()
  await page.getByText(id).waitFor()
  await page.getByText('confirm').first().waitFor()
  await page.getByRole('button', { name: 'Show the request' }).click()
  await page.getByLabel('Body of the response').getByText(id).waitFor()
  expect(await page.getByText('/resend/emails').count()).toBeGreaterThan(0)
})
