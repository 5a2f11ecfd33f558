import { expect, it } from 'vitest'
import { objections } from './_axe.ts'
import { openPage, panel, rowOf, submit, tab } from './_setup.ts'

it('the checks of a mail say which mail clients ignore what its HTML uses, and where', async () => {
  const { post, page } = await openPage()
  await submit(post, { subject: 'Sale', html: '<div>\n<i style="display: flex">Now</i>\n</div>' })
  await rowOf(page, 'Sale').click()
  await tab(page, 'Checks').click()
  await panel(page).getByRole('heading', { name: 'Mail clients' }).waitFor()
  await panel(page)
    .getByText(/^\d+ of 100$/)
    .waitFor()
  const matrix = panel(page).getByRole('region', { name: 'Support by mail client' })
  const row = matrix.getByRole('row').filter({ hasText: 'display:flex' })
  expect(await row.getByRole('rowheader').innerText()).toContain('line 2: display: flex')
  const makers = await matrix.getByRole('columnheader').allInnerTexts()
  const cells = await row.getByRole('cell').allTextContents()
  expect(makers).toHaveLength(cells.length + 1)
  expect(cells[makers.indexOf('Outlook') - 1]).toBe('~partly')
  expect(cells[makers.indexOf('Apple Mail') - 1]).toBe('✓not ignored')
  const flex = panel(page).getByRole('group').filter({ hasText: 'display:flex' })
  await flex.getByText('display:flex', { exact: true }).click()
  await flex.getByText('line 2: display: flex').waitFor()
  expect(await flex.getByRole('definition').first().innerText()).toContain('Outlook (Windows')
  const link = flex.getByRole('link', { name: 'display:flex on Can I email' })
  expect(await link.getAttribute('href')).toBe('https://www.caniemail.com/features/css-display-flex/')
  expect(await link.getAttribute('rel')).toBe('noopener noreferrer')
  expect(await objections(page)).toEqual([])
})

it('a mail without HTML has no such part', async () => {
  const { post, page } = await openPage()
  await submit(post, { subject: 'Plain', text: 'Hello' })
  await rowOf(page, 'Plain').click()
  await tab(page, 'Checks').click()
  await panel(page).getByRole('heading', { name: 'Fine' }).waitFor()
  await expect.poll(() => panel(page).getByRole('heading', { name: 'Mail clients' }).count()).toBe(0)
})
