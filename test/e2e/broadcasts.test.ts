import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import type { Localpost } from '../../src/index.ts'
import { openPage, rowOf, rowsOf, searchField, submit } from './_setup.ts'

async function sendBroadcast(post: Localpost, count: number, subject = 'Spring news'): Promise<string> {
  const audience = await post.audiences.create({ name: 'Friends' })
  for (let n = 0; n < count; n++)
    await post.audiences.contacts.add(audience.id, { email: `reader${n}@example.com`, first_name: `R${n}` })
  const mail = { from: 'Acme <news@acme.test>', subject, text: 'Hello {{first_name}}' }
  return (await post.broadcasts.send({ ...mail, audience_id: audience.id })).id
}

const groupOf = (page: Page): Locator => rowOf(page, 'Spring news').filter({ hasText: 'recipients' })
const opened = (page: Page): Locator => page.getByText('Broadcast: Spring news')
const lineOf = (page: Page): Locator => page.locator('.line').getByRole('status')

for (const width of [1440, 390])
  it(`shows a broadcast as one row that opens and leads back, at ${width} px`, async () => {
    const { post, page } = await openPage()
    await page.setViewportSize({ width, height: 844 })
    await submit(post, { subject: 'Before', text: 'x' })
    await rowOf(page, 'Before').waitFor()
    const id = await sendBroadcast(post, 30)
    await submit(post, { subject: 'After', text: 'x' })
    await rowOf(page, 'After').waitFor()
    await groupOf(page).waitFor()
    await expect.poll(() => rowsOf(page).count()).toBe(3)
    await expect
      .poll(() => groupOf(page).textContent())
      .toMatch(/Broadcast\..*Spring news.*30 unread.*30 recipients/)
    await expect.poll(() => lineOf(page).textContent()).toBe('32 mails')
    await expect.poll(() => page.title()).toContain('(3')

    await groupOf(page).click()
    await opened(page).waitFor()
    await expect.poll(() => lineOf(page).textContent()).toBe('30 matches')
    expect(await searchField(page).inputValue()).toBe(`broadcast:${id}`)
    expect(await groupOf(page).count()).toBe(0)
    await page.goBack()
    await groupOf(page).waitFor()
    await expect.poll(() => opened(page).count()).toBe(0)
    await groupOf(page).click()
    await page.getByRole('button', { name: 'All mail' }).click()
    await expect.poll(() => lineOf(page).textContent()).toBe('32 mails')
    await expect.poll(() => groupOf(page).evaluate((row) => row === document.activeElement)).toBe(true)
  })

it('opens a broadcast with the keys, and goes back with Escape', async () => {
  const { post, page } = await openPage({}, false)
  await sendBroadcast(post, 12)
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(post.url ?? '')
  await groupOf(page).waitFor()
  for (const key of ['Enter', 'ArrowRight', 'o']) {
    await page.keyboard.press('j')
    await groupOf(page).focus()
    await page.keyboard.press(key)
    await opened(page).waitFor()
    await expect.poll(() => lineOf(page).textContent()).toBe('12 matches')
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
    await page.keyboard.press('Escape')
    await expect.poll(() => lineOf(page).textContent()).toBe('12 mails')
    await groupOf(page).waitFor()
  }
})

it('counts every mail of a broadcast in what it asks before all are deleted', async () => {
  const { post, page } = await openPage()
  await sendBroadcast(post, 7)
  await groupOf(page).waitFor()
  expect(await rowsOf(page).getByRole('checkbox').count()).toBe(0)
  await page.keyboard.press('*')
  await page.keyboard.press('a')
  await page.getByRole('toolbar').getByText('7 selected').waitFor()
  await page.getByRole('toolbar').getByRole('button', { name: 'Delete…' }).click()
  await page.getByText('Delete all 7 mails?').waitFor()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await expect.poll(async () => (await post.inbox.list()).count).toBe(0)
})

it('keeps one row for a broadcast while its mails arrive, change and are removed', async () => {
  const { post, page } = await openPage()
  await submit(post, { subject: 'Before', text: 'x' })
  await rowOf(page, 'Before').waitFor()
  await sendBroadcast(post, 250)
  await groupOf(page).getByText('250 recipients').waitFor()
  expect(await rowsOf(page).count()).toBe(2)
  const { items } = await post.inbox.list({ query: 'type:broadcast', limit: 500 })
  await post.inbox.update(items[9]?.id ?? '', { unread: false })
  await groupOf(page).getByText('249 unread').waitFor()
  await post.inbox.remove(items.at(-1)?.id ?? '')
  await groupOf(page).getByText('249 recipients').waitFor()
  await expect.poll(() => lineOf(page).textContent()).toBe('250 mails')
})

it('opens the mail of an address that names a folded mail, and the mails of a broadcast by their address', async () => {
  const { post, page } = await openPage({}, false)
  const id = await sendBroadcast(post, 5)
  const { items } = await post.inbox.list()
  await page.goto(`${post.url}/#/mail/${items[1]?.id}`)
  await page.getByRole('tabpanel').getByText('Hello R3').waitFor()
  await page.goto(`${post.url}/?query=broadcast:${id}`)
  await opened(page).waitFor()
  await expect.poll(() => rowsOf(page).count()).toBe(5)
})

it('shows the id of a broadcast nowhere as a tag, marks its row, and leads to its other mails', async () => {
  const { post, page } = await openPage({}, false)
  await sendBroadcast(post, 5)
  const [, second] = (await post.inbox.list()).items
  await post.inbox.update(second?.id ?? '', { tags: [...(second?.tags ?? []), 'checked'] })
  await page.goto(`${post.url}/#/mail/${second?.id}`)
  await page.getByRole('button', { name: 'Tag: checked' }).waitFor()
  await page.getByRole('button', { name: 'All tags' }).getByText('All tags (1)').waitFor()
  await expect.poll(() => groupOf(page).getAttribute('aria-current')).toBe('true')
  await page.getByRole('button', { name: 'Tag', exact: true }).click()
  await page.getByRole('combobox', { name: 'New tag' }).fill('also')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Remove the tag also' }).waitFor()
  expect(await page.locator('main').innerText()).not.toContain('bc_')
  // A new tag keeps the mail in its broadcast.
  await page.getByRole('link', { name: 'Broadcast', exact: true }).click()
  await opened(page).waitFor()
  await expect.poll(() => rowsOf(page).count()).toBe(5)
  expect(await rowsOf(page).filter({ hasText: 'bc_' }).count()).toBe(0)
})

it.each([1440, 390])('cuts a long subject of an opened broadcast, at %i px', async (width) => {
  const { post, page } = await openPage({}, false)
  const subject = `Spring news ${'of every kind '.repeat(20)}`
  await sendBroadcast(post, 2, subject)
  await page.setViewportSize({ width, height: 844 })
  await page.goto(post.url ?? '')
  await groupOf(page).click()
  const chip = await opened(page).boundingBox()
  const field = await searchField(page).boundingBox()
  expect((chip?.x ?? 0) + (chip?.width ?? 0)).toBeLessThanOrEqual((field?.x ?? 0) + (field?.width ?? 0))
})
