import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { rooms } from '../../ui/composables/rooms.ts'
import { openPage } from './_setup.ts'

const focused = (page: Page) => (): Promise<string> =>
  page.evaluate(() => {
    const { activeElement: at } = document
    return (
      at?.ariaLabel ||
      at?.querySelector('.grow')?.textContent?.trim() ||
      at?.textContent?.trim() ||
      at?.id ||
      ''
    )
  })

describe('keyboard use of the pages', () => {
  it('have the same name in the navigation, the palette, the title and the heading', async () => {
    const { page } = await openPage()
    const labels = Object.values(rooms).map(({ label }) => label)
    const nav = page.getByRole('navigation', { name: 'Views' }).getByRole('link')
    await nav.first().waitFor()
    expect(await nav.allInnerTexts()).toEqual(labels)
    for (const label of labels.slice(1)) {
      await page.keyboard.press('Control+k')
      const palette = page.getByRole('combobox', { name: 'Find a command' })
      await palette.fill(label)
      await page.getByRole('option', { selected: true }).getByText(label).waitFor()
      await palette.press('Enter')
      await page.getByRole('heading', { level: 1, name: label }).waitFor()
      expect(await page.title()).toBe(`${label} · Localpost`)
    }
  })

  it('move the focus into the chosen item on a small screen, and back', async () => {
    const { post, page } = await openPage({}, false)
    for (const name of ['acme.com', 'beta.test']) await post.domains.create({ name })
    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto(`${post.url}/#/domains`)
    await page.getByRole('link', { name: 'acme.com' }).press('Enter')
    await page.getByRole('heading', { level: 2, name: 'acme.com' }).waitFor()
    await expect.poll(focused(page)).toBe('Chosen domain')
    await expect.poll(() => page.getByRole('list', { name: 'Domains' }).isVisible()).toBe(false)
    await page.keyboard.press('Tab')
    await expect.poll(focused(page)).toBe('All domains')
    await page.keyboard.press('Enter')
    await expect.poll(focused(page)).toBe('acme.com')
  })

  it('return the focus after a confirmation, and move it where its element is removed', async () => {
    const { post, page } = await openPage({}, false)
    for (const name of ['acme.com', 'beta.test']) await post.domains.create({ name })
    await page.goto(`${post.url}/#/domains`)
    await page.getByRole('link', { name: 'acme.com' }).press('Enter')
    await page.getByRole('button', { name: 'Delete', exact: true }).press('Enter')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(focused(page)).toBe('Delete')
    await page.keyboard.press('Enter')
    await confirmDeletion(page)
    await page.getByRole('link', { name: 'acme.com' }).waitFor({ state: 'detached' })
    await expect.poll(focused(page)).toBe('new-entry')
  })

  it('create a new item with n, also where another one is open on a small screen', async () => {
    const { post, page } = await openPage({}, false)
    await post.templates.put('welcome', { subject: 'Hi' })
    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto(`${post.url}/#/templates/welcome`)
    await page.getByLabel('Subject').waitFor()
    await page.keyboard.press('n')
    await expect.poll(focused(page)).toBe('new-entry')
  })

  it('return the focus when a name is edited, or a contact is removed', async () => {
    const { post, page } = await openPage({}, false)
    const { id } = await post.audiences.create({ name: 'Newsletter' })
    await post.audiences.contacts.import(id, [{ email: 'ada@example.com' }, { email: 'bob@example.com' }])
    await page.goto(`${post.url}/#/audiences/${id}`)
    await page.getByRole('button', { name: 'Rename' }).press('Enter')
    await page.getByLabel('New name').fill('News')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 2, name: 'News', exact: true }).waitFor()
    await expect.poll(focused(page)).toBe('Rename')
    await page.getByRole('button', { name: 'Delete bob@example.com' }).press('Enter')
    await confirmDeletion(page)
    await page.getByRole('button', { name: 'Delete bob@example.com' }).waitFor({ state: 'detached' })
    await expect.poll(focused(page)).toBe('Search contacts')
    expect((await post.audiences.contacts.list(id)).items.map(({ email }) => email)).toEqual([
      'ada@example.com',
    ])
  })
})

/** The dialog focuses its own choice when it opens: a key before that would go there. */
async function confirmDeletion(page: Page): Promise<void> {
  await page.waitForFunction(() => document.querySelector('dialog[open]')?.contains(document.activeElement))
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).press('Enter')
}
