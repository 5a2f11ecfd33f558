import { expect, it } from 'vitest'
import { openPage, panel, rowOf, rowsOf, searchField, submit, tab } from './_setup.ts'

it('Enter opens the first result, and its words are marked in the list and in the mail', async () => {
  const { post, page } = await openPage()
  for (const [subject, text] of [
    ['Your invoice', 'The invoice is attached.'],
    ['Welcome', 'Hello'],
  ] as const)
    await submit(post, { to: 'ada@example.com', subject, text })
  await rowOf(page, 'Welcome').waitFor()
  await searchField(page).fill('invoice')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Your invoice' }).waitFor()
  await expect.poll(() => page.evaluate(() => document.activeElement?.id ?? '')).toMatch(/^mail-em_/)
  await expect.poll(() => rowsOf(page).locator('mark').allTextContents()).toEqual(['invoice', 'invoice'])
  await expect.poll(() => panel(page).locator('mark').allTextContents()).toEqual(['invoice'])
})

it('the suggestions for a search cover no result', async () => {
  const { post, page } = await openPage()
  await submit(post, { to: 'ada@example.com', subject: 'Friday', text: 'fr' })
  await rowOf(page, 'Friday').waitFor()
  await searchField(page).pressSequentially('fr')
  await page.getByRole('option', { name: /^from:/ }).waitFor()
  const menu = await page.getByRole('listbox', { name: 'Suggestions' }).boundingBox()
  const row = await rowOf(page, 'Friday').boundingBox()
  expect((menu?.y ?? 0) + (menu?.height ?? 0)).toBeLessThanOrEqual((row?.y ?? 0) + 1)
})

it('an address of a mail searches for its mails', async () => {
  const { post, page } = await openPage()
  await submit(post, { to: 'ada@example.com', subject: 'To Ada', text: 'x' })
  await submit(post, { to: 'bob@example.com', subject: 'To Bob', text: 'x' })
  await rowOf(page, 'To Ada').click()
  await page.getByRole('button', { name: 'ada@example.com' }).click()
  await expect.poll(() => searchField(page).inputValue()).toBe('to:ada@example.com')
  await rowOf(page, 'To Bob').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'hello@acme.test' }).click()
  await expect.poll(() => searchField(page).inputValue()).toBe('from:hello@acme.test')
  await rowOf(page, 'To Bob').waitFor()
})

it('problems of a mail stand in front: open placeholders, and the checks that fail', async () => {
  const { post, page } = await openPage()
  await submit(post, { to: 'ada@example.com', subject: 'Hello {{name}}', html: '<p>Order {{order.id}}</p>' })
  await rowOf(page, 'Hello').click()
  const note = page.getByRole('status').filter({ hasText: '2 placeholders were not filled in' })
  await note.getByText('{{order.id}}').waitFor()
  await tab(page, 'Checks')
    .getByText(/error|warning/)
    .waitFor({ state: 'attached' })
})

it('the empty inbox names the newest problem, and sends a test mail', async () => {
  const { post, page } = await openPage()
  await page.getByText('Waiting for the first mail').waitFor()
  await fetch(`${post.url}/v1/emails`, { method: 'POST' })
  await page.getByRole('region', { name: 'Newest problem' }).getByText('A request had no API key.').waitFor()
  await page.getByRole('button', { name: 'Send a test mail' }).click()
  await rowOf(page, 'A test mail from Localpost').waitFor()
})
