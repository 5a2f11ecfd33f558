import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { Localpost } from '../../src/index.ts'
import { colorOfName } from '../../ui/views/inbox/tag-colors.ts'
import { objections, setWidth } from './_axe.ts'
import { openPage, rowOf, submit } from './_setup.ts'
import { browser } from './context.ts'

const filter = (page: Page, name: string): Locator =>
  page.getByRole('group', { name: 'Filters' }).getByRole('button', { name })
const dialogOf = (page: Page): Locator => page.getByRole('dialog', { name: 'Edit a tag' })
const colorIn = (page: Page, name: string): Locator => dialogOf(page).getByRole('radio', { name })

async function tagged(post: Localpost, tags: string): Promise<void> {
  await submit(post, { subject: `With ${tags}`, text: 'x', headers: { 'X-Tags': tags } })
}

/** The colours in which a page shows a tag: in the row of its mail, and in its filter. */
async function shown(page: Page, tag: string): Promise<(string | null)[]> {
  const chip = rowOf(page, 'With').locator('.chip.tag').filter({ hasText: tag })
  return [
    await chip.first().getAttribute('data-hue'),
    await filter(page, `Tag: ${tag}`).locator('.dot').getAttribute('data-hue'),
  ]
}

async function expectColor(pages: readonly Page[], tag: string, color: string): Promise<void> {
  for (const page of pages) await expect.poll(() => shown(page, tag)).toEqual([color, color])
}

async function openDialog(page: Page): Promise<void> {
  await filter(page, 'All tags').click()
  await page.getByRole('button', { name: 'Edit a tag…' }).click()
  await dialogOf(page).waitFor()
}

describe('the colour of a tag', () => {
  it('is chosen with only the keyboard, and seen at once in another tab, and after a reload', async () => {
    const { post, page } = await openPage()
    await tagged(post, 'invoice')
    const other = await browser.context.newPage()
    await other.goto(page.url())
    const automatic = colorOfName('invoice')
    await expectColor([page, other], 'invoice', automatic)

    await filter(page, 'All tags').focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Edit a tag…' }).focus()
    await page.keyboard.press('Enter')
    const name = dialogOf(page).getByLabel('New name')
    await expect.poll(() => name.evaluate((field) => field === document.activeElement)).toBe(true)
    await page.keyboard.press('Tab')
    expect(await colorIn(page, 'Automatic').evaluate((field) => field === document.activeElement)).toBe(true)
    expect(await colorIn(page, 'Automatic').isChecked()).toBe(true)
    // Gray comes first in the choice, and follows from no name.
    await page.keyboard.press('ArrowRight')
    expect(await colorIn(page, 'gray').isChecked()).toBe(true)
    await page.keyboard.press('Enter')
    await dialogOf(page).waitFor({ state: 'hidden' })
    await expectColor([page, other], 'invoice', 'gray')
    expect(await post.inbox.tags()).toEqual([{ tag: 'invoice', count: 1, color: 'gray' }])
    await page.reload()
    await expectColor([page], 'invoice', 'gray')

    await openDialog(page)
    expect(await colorIn(page, 'gray').isChecked()).toBe(true)
    expect(await dialogOf(page).getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
    await colorIn(page, 'Automatic').check()
    await dialogOf(page).getByRole('button', { name: 'Save' }).click()
    await expectColor([page, other], 'invoice', automatic)
    expect(await post.inbox.tags()).toEqual([{ tag: 'invoice', count: 1 }])
  })

  it('that the server learns otherwise is shown too, also while the dialog is open', async () => {
    const { post, page } = await openPage()
    await tagged(post, 'invoice')
    await expectColor([page], 'invoice', colorOfName('invoice'))
    await openDialog(page)
    await post.inbox.updateTag('Invoice', { color: 'gray' })
    await expect.poll(() => colorIn(page, 'gray').isChecked()).toBe(true)
    await expectColor([page], 'invoice', 'gray')
    await post.reset({ keep: ['domains'] })
    await tagged(post, 'invoice')
    await expectColor([page], 'invoice', colorOfName('invoice'))
  })

  it('stays with a renamed tag, unless the new name has its own colour', async () => {
    const { post, page } = await openPage()
    await tagged(post, 'say "hi"')
    await post.inbox.updateTag('say "hi"', { color: 'gray' })
    await post.inbox.updateTag('taken', { color: 'pink' })
    await expectColor([page], 'say "hi"', 'gray')

    await openDialog(page)
    await dialogOf(page).getByLabel('New name').fill('Taken')
    expect(await colorIn(page, 'pink').isChecked()).toBe(true)
    await dialogOf(page).getByLabel('New name').fill('a,b')
    await dialogOf(page).getByText('cannot contain commas').waitFor()
    await dialogOf(page).getByLabel('New name').fill('Greeting')
    expect(await colorIn(page, 'gray').isChecked()).toBe(true)
    await dialogOf(page).getByRole('button', { name: 'Save' }).click()
    await expectColor([page], 'greeting', 'gray')
    expect((await post.inbox.tags())[0]).toEqual({ tag: 'greeting', count: 1, color: 'gray' })

    await openDialog(page)
    await dialogOf(page).getByLabel('New name').fill('taken')
    await dialogOf(page).getByRole('button', { name: 'Save' }).click()
    await expectColor([page], 'taken', 'pink')

    await openDialog(page)
    await dialogOf(page).getByLabel('New name').fill('later')
    await colorIn(page, 'teal').check()
    await dialogOf(page).getByRole('button', { name: 'Save' }).click()
    await expectColor([page], 'later', 'teal')
  })

  it.each([1280, 390])('has no accessibility violations in its dialog, %i wide', async (width) => {
    const { post, page } = await openPage()
    await setWidth(page, width)
    await tagged(post, 'invoice, receipt')
    await filter(page, 'Tag: invoice').waitFor()
    await openDialog(page)
    await colorIn(page, 'violet').check()
    await dialogOf(page).getByLabel('New name').fill('receipt')
    await dialogOf(page).getByText('the two tags become one').waitFor()
    expect(await objections(page)).toEqual([])
  })
})
