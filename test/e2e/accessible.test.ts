import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { mailTabs } from '../../ui/views/inbox/tabs.ts'
import { objections, setWidth, widths } from './_axe.ts'
import { panel, searchField, submit, tab } from './_setup.ts'
import { browser } from './context.ts'
import { startListening } from '../support/instance.ts'
import { sampleOf } from '../support/long.ts'

describe.each(sampleOf(widths, 1))('the inbox, %i wide, in light and in dark', (width) => {
  const open = async (): Promise<{
    page: Page
    url: string
    fill: () => Promise<void>
  }> => {
    const post = await startListening({})
    const page = await browser.context.newPage()
    await setWidth(page, width)
    await page.goto(post.url ?? '')
    const fill = async (): Promise<void> => {
      await submit(post, { subject: 'Older', text: 'Plain' })
      await submit(post, {
        subject: 'A mail with everything',
        to: ['ada@example.com', 'bounce@simulator.localpost'],
        text: 'Your code is 482913. See https://example.com/start',
        html: '<p>Your code is 482913.</p><a href="https://example.com/start">Start</a><img src="https://example.com/a.png">',
        attachments: [{ filename: 'file.txt', content: 'Hello' }],
      })
      const [mail] = (await post.inbox.list()).items
      await post.inbox.update(mail?.id ?? '', { tags: ['orders'] })
    }
    return { page, url: post.url ?? '', fill }
  }

  it('has no accessibility violations: empty, list, search, selection', async () => {
    const { page, fill } = await open()
    await page.getByRole('heading', { name: 'Ready for the first mail' }).waitFor()
    expect(await objections(page), 'empty').toEqual([])
    await fill()
    await page.getByText('2 mails', { exact: true }).waitFor()
    expect(await objections(page), 'list').toEqual([])
    await searchField(page).click()
    await page.getByRole('option').first().waitFor()
    expect(await objections(page), 'search').toEqual([])
    await searchField(page).fill('nothing-like-it')
    await page.getByText('No mail matches this search.').waitFor()
    expect(await objections(page), 'no match').toEqual([])
    await page.getByRole('button', { name: 'Clear the search' }).first().click()
    await page.getByText('2 mails', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Select', exact: true }).click()
    await page.getByRole('checkbox').first().check()
    await page.getByRole('toolbar', { name: 'Selected mails' }).waitFor()
    expect(await objections(page), 'selection').toEqual([])
    await page.getByRole('button', { name: 'Clear the selection' }).click()
    await page.getByRole('button', { name: 'Delete all…' }).click()
    expect(await objections(page), 'question').toEqual([])
  })

  it('has no accessibility violations: each tab of a mail, its menus and dialogs', async () => {
    const { page, url, fill } = await open()
    await fill()
    await page.getByText('2 mails', { exact: true }).waitFor({ state: 'attached' })
    const [link] = await page
      .locator('nav.list a')
      .evaluateAll((all) => all.map((one) => one.getAttribute('href')))
    await page.goto(`${url}/${link}`)
    for (const side of mailTabs) {
      await tab(page, side).click()
      await panel(page).locator('*').first().waitFor()
      expect(await objections(page), side).toEqual([])
    }
    await page.getByRole('button', { name: '1 link' }).click()
    await page.getByRole('button', { name: 'Tag', exact: true }).click()
    expect(await objections(page), 'links and tags').toEqual([])
    await page.keyboard.press('Escape')
    await tab(page, 'Events').click()
    await page.getByRole('button', { name: 'Simulate for ada@example.com' }).click()
    expect(await objections(page), 'simulate').toEqual([])
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Open as recipient… ada@example.com' }).click()
    await page.getByText('This copy carries no tracking').waitFor()
    expect(await objections(page), 'recipient').toEqual([])
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Share' }).click()
    expect(await objections(page), 'share').toEqual([])
    await page.getByRole('button', { name: 'Release to a real address' }).click()
    await page.getByRole('dialog').getByText('This instance has no relay').waitFor()
    expect(await objections(page), 'release').toEqual([])
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Find a command' }).waitFor()
    expect(await objections(page), 'palette').toEqual([])
    await page.keyboard.press('Escape')
    await page.keyboard.press('?')
    await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor()
    expect(await objections(page), 'shortcuts').toEqual([])
  })
})
