import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { openPage, rowOf, submit } from './_setup.ts'

const field = (page: Page): Locator => page.getByRole('combobox', { name: 'Find a command' })
const chosen = (page: Page): Promise<string | null> =>
  page.locator('dialog [role=option][aria-selected=true] .words').textContent()
async function type(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Control+k')
  await field(page).fill(text)
}

it('commands find mails by subject and person, settings, client previews, domains and templates', async () => {
  const { post, page } = await openPage()
  await post.templates.put('order-shipped', { subject: 'Hi', text: 'x' })
  await post.domains.create({ name: 'created.test' })
  await submit(post, {
    to: 'Grace Hopper <grace@example.com>',
    subject: 'Quarterly figures',
    html: '<p>x</p>',
  })
  await submit(post, { to: 'ada@example.com', subject: 'Newest', html: '<p>x</p>' })
  await rowOf(page, 'Newest').click()
  await page.getByRole('heading', { level: 1, name: 'Newest' }).waitFor()
  for (const typed of ['quarterly', 'grace@example', 'hopper']) {
    await type(page, typed)
    await page.getByRole('option', { name: 'Quarterly figures' }).waitFor()
    await page.keyboard.press('Escape')
  }
  await type(page, 'quarterly')
  await page.getByRole('option', { name: 'Quarterly figures' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Quarterly figures' }).waitFor()

  await type(page, 'outlook')
  expect(await chosen(page)).toContain('View as Outlook for Windows')
  await page.keyboard.press('Enter')
  await page.getByText('An approximation of Outlook').waitFor()

  await type(page, 'dark')
  await page.keyboard.press('Enter')
  await expect.poll(() => page.evaluate(() => document.documentElement.dataset['theme'])).toBe('dark')
  await page.getByRole('button', { name: 'Theme: dark' }).waitFor()

  await type(page, 'created.t')
  await page.getByRole('option', { name: 'created.test' }).waitFor()
  await field(page).fill('order-sh')
  await page.getByRole('option', { name: 'order-shipped' }).waitFor()
  await page.keyboard.press('Enter')
  await expect.poll(() => page.url()).toContain('#/templates/order-shipped')
})

it('what was run last comes first, and nothing that deletes is selected by itself', async () => {
  const { post, page } = await openPage()
  await submit(post, { subject: 'Hello', text: 'x' })
  await page.getByRole('heading', { level: 1, name: 'Hello' }).waitFor()
  await type(page, 'webhooks')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor()
  await page.keyboard.press('Control+k')
  await expect.poll(() => chosen(page)).toContain('Webhooks')
  await page.keyboard.press('Escape')
  await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Inbox' }).click()
  await rowOf(page, 'Hello').waitFor()
  await type(page, 'delete what')
  await page.getByRole('option', { name: 'Delete what the list shows' }).waitFor()
  expect(await page.locator('dialog [role=option][aria-selected=true]').count()).toBe(0)
  await page.keyboard.press('Enter')
  await field(page).waitFor()
  await page.keyboard.press('ArrowDown')
  expect(await chosen(page)).toContain('Delete what the list shows')
  await page.keyboard.press('Escape')
  expect((await post.inbox.list()).count).toBe(1)
})

it('a search for mails is cancelled by the next one', async () => {
  const { post, page } = await openPage()
  await submit(post, { subject: 'First thing', text: 'x' })
  await submit(post, { subject: 'Second thing', text: 'x' })
  await rowOf(page, 'Second').waitFor()
  const asked: string[] = []
  let release = (): void => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  const cancelled = page.waitForEvent('requestfailed', (request) => request.url().includes('first'))
  await page.route(/query=subject/, async (route) => {
    const query = new URL(route.request().url()).searchParams.get('query') ?? ''
    asked.push(query)
    if (query.includes('first')) await held
    // The page may have cancelled it.
    await route.continue().catch(() => undefined)
  })
  await page.keyboard.press('Control+k')
  await field(page).pressSequentially('first', { delay: 10 })
  // Not one for each letter.
  await expect.poll(() => asked).toEqual(['subject:"first"'])
  await field(page).fill('second')
  await cancelled
  release()
  await page.getByRole('option', { name: 'Second thing' }).waitFor()
  expect(await page.getByRole('option', { name: 'First thing' }).count()).toBe(0)
})
