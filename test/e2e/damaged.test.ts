import { expect, it } from 'vitest'
import { damagedFolder } from '../inbox/_damaged.ts'
import { frameOf, openPage, panel, rowOf, rowsOf, searchField, submit, tab } from './_setup.ts'

it('marks a damaged mail in the reading pane and in the list, and everything else works', async () => {
  const { dir } = await damagedFolder()
  const { post, page } = await openPage({ dir })
  await expect.poll(() => rowsOf(page).count()).toBe(3)
  for (const subject of ['By SMTP', 'By API']) {
    await rowOf(page, subject).click()
    const alert = page.locator('section.main').getByRole('alert')
    await expect
      .poll(() => alert.innerText())
      .toMatch(/\d{6}\.log:\d+: the \d+ bytes of a message .*localpost doctor/)
    await rowOf(page, subject).getByText('Damaged: the message cannot be read').waitFor()
    await page.locator('section.main').getByRole('button', { name: 'Try again' }).click()
    await expect.poll(() => alert.innerText()).toMatch(/\.log:\d+/)
  }
  // The undamaged one can be read in all views, and is not marked.
  await rowOf(page, 'Whole').click()
  await page.getByRole('heading', { level: 1, name: 'Whole' }).waitFor()
  for (const name of ['Text', 'Source'] as const) {
    await tab(page, name).click()
    await panel(page).getByText('Good').waitFor()
  }
  expect(await rowOf(page, 'Whole').innerText()).not.toContain('Damaged')
  // Mail still arrives and is shown, and searches use the records.
  await submit(post, { subject: 'Later', html: '<h1>New one</h1>' })
  await rowOf(page, 'Later').click()
  await tab(page, 'HTML').click()
  await frameOf(page).getByRole('heading', { name: 'New one' }).waitFor()
  await searchField(page).fill('subject:By')
  await expect.poll(() => rowsOf(page).count()).toBe(2)
  // A damaged mail can be deleted.
  await searchField(page).fill('subject:SMTP')
  await page.getByText('1 match', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Delete matches…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('No mail matches this search.').waitFor()
  await searchField(page).fill('')
  await expect.poll(() => rowsOf(page).count()).toBe(3)
})
