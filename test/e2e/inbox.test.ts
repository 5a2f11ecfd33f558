import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { unzipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { chooseMore, openPage, panel, rowOf, rowsOf, searchField, submit, tab } from './_setup.ts'
import { browser } from './context.ts'
import { temporaryFolder } from '../support/folder.ts'
import { startListening } from '../support/instance.ts'

describe('the inbox', () => {
  it('opens on the newest mail, and never replaces the mail that is being read', async () => {
    const { post, page } = await openPage({}, false)
    await submit(post, { subject: 'Older', text: 'Older text' })
    await submit(post, { subject: 'Newest', text: 'Newest text' })
    await page.goto(post.url ?? '')
    await page.getByRole('heading', { level: 1, name: 'Newest' }).waitFor()
    await submit(post, { subject: 'Later still', text: 'x' })
    await rowOf(page, 'Later still').waitFor()
    await panel(page).getByText('Newest text').waitFor()
  })

  it('can be used with only the keyboard: move, select, tag, delete, search, find commands', async () => {
    const { post, page } = await openPage({}, false)
    for (const subject of ['One', 'Two', 'Three', 'Four']) await submit(post, { subject, text: subject })
    await page.goto(post.url ?? '')
    await page.getByRole('heading', { level: 1, name: 'Four' }).waitFor()
    await page.keyboard.press('t')
    await page.keyboard.type('orders')
    await page.keyboard.press('Enter')
    await rowOf(page, 'Four').getByText('orders').waitFor()

    await page.keyboard.press('x')
    await page.keyboard.press('j')
    await page.keyboard.press('x')
    await page.getByText('2 selected').waitFor()
    await page.keyboard.press('#')
    await page.getByText('2 mails deleted').waitFor()
    await page.getByText('2 mails', { exact: true }).waitFor()
    expect((await post.inbox.list()).items.map(({ subject }) => subject)).toEqual(['Two', 'One'])

    await page.keyboard.press('/')
    await page.keyboard.type('subj')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    expect(await searchField(page).inputValue()).toBe('subject:')
    await page.keyboard.type('one')
    await page.getByText('1 match', { exact: true }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'One' }).waitFor()
    await page.keyboard.press('/')
    // They clear the search, leave it, and close the mail.
    for (let press = 0; press < 3; press++) await page.keyboard.press('Escape')
    await page.getByText('2 mails', { exact: true }).waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1 }).waitFor()

    await page.keyboard.press('Control+k')
    await page.getByRole('listbox', { name: 'Commands' }).waitFor()
    await page.keyboard.type('headers')
    await page
      .getByRole('option', { name: /headers/i })
      .first()
      .waitFor()
    await page.keyboard.press('Enter')
    await expect.poll(() => tab(page, 'Headers').getAttribute('aria-selected')).toBe('true')
    await page.keyboard.press('g')
    await page.keyboard.press('i')
    await page.getByText('No mail is open.').waitFor()
  })

  it('lets single keys be turned off, and remembers it', async () => {
    const { post, page } = await openPage()
    await submit(post, { subject: 'Stays', text: 'x' })
    await page.getByRole('heading', { level: 1, name: 'Stays' }).waitFor()
    await page.keyboard.press('?')
    await page.getByRole('checkbox', { name: /Single keys/ }).uncheck()
    await page.keyboard.press('Escape')
    await page.reload()
    await page.getByRole('heading', { level: 1, name: 'Stays' }).waitFor()
    await page.keyboard.press('#')
    await page.keyboard.press('?')
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
    await rowOf(page, 'Stays').waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Find a command' }).waitFor()
    await page.evaluate(() => localStorage.clear())
  })

  it('selects a range with Shift, all matches with one press, and applies one action to all', async () => {
    const { post, page } = await openPage({}, false)
    for (let i = 0; i < 70; i++)
      await post.emails.send({ from: 'a@acme.test', to: 'ada@example.com', subject: `Mail ${i}.`, text: 'x' })
    await page.goto(post.url ?? '')
    await page.getByText('70 mails', { exact: true }).waitFor()
    await rowOf(page, 'Mail 68.').hover()
    await page.getByRole('checkbox', { name: 'Select: Mail 68.' }).check()
    await rowOf(page, 'Mail 65.').click({ modifiers: ['Shift'] })
    await page.getByText('4 selected').waitFor()
    await page.getByRole('button', { name: 'Select all 70' }).click()
    await page.getByText('70 selected').waitFor()
    await page.getByRole('button', { name: 'Read', exact: true }).click()
    await expect.poll(async () => (await post.inbox.list({ query: 'is:unread' })).count).toBe(0)
    await page.getByRole('toolbar').waitFor({ state: 'detached' })
  })

  it('exports the selection, and imports it again', async () => {
    const { post, page } = await openPage()
    await submit(post, { subject: 'Kept', text: 'Take me along' })
    await submit(post, { subject: 'Other', text: 'x' })
    await rowOf(page, 'Kept').waitFor()
    await page.getByRole('button', { name: 'Select', exact: true }).click()
    await page.getByRole('checkbox', { name: 'Select: Kept' }).check()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export', exact: true }).click(),
    ])
    expect(download.suggestedFilename()).toBe('mails.zip')
    const archive = join(temporaryFolder(), 'mails.zip')
    await download.saveAs(archive)
    const files = unzipSync(readFileSync(archive))
    expect(Object.values(files).map((bytes) => Buffer.from(bytes).toString())).toEqual([
      expect.stringContaining('Subject: Kept'),
    ])
    await post.inbox.removeMatching(null)
    await rowOf(page, 'Kept').waitFor({ state: 'detached' })
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      chooseMore(page, 'Import .eml files…'),
    ])
    await chooser.setFiles(
      Object.values(files).map((bytes) => ({
        name: 'kept.eml',
        mimeType: 'message/rfc822',
        buffer: Buffer.from(bytes),
      })),
    )
    await rowOf(page, 'Kept').click()
    await panel(page).getByText('Take me along').waitFor()
  })

  it('follows the system’s theme until the user chooses one', async () => {
    const { page } = await openPage()
    const ground = (): Promise<string> => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    await page.emulateMedia({ colorScheme: 'light' })
    const light = await ground()
    await page.emulateMedia({ colorScheme: 'dark' })
    const dark = await ground()
    expect(dark).not.toBe(light)
    await page.getByRole('button', { name: 'Theme: as the system' }).click()
    expect(await ground()).toBe(light)
    await page.reload()
    await page.getByRole('button', { name: 'Theme: light' }).click()
    expect(await ground()).toBe(dark)
    await page.evaluate(() => localStorage.clear())
  })
})

describe('a mail', () => {
  it('shows its header fields, its source with folds, its checks, and its codes to copy', async () => {
    const post = await startListening({})
    const page = await browser.context.newPage()
    await page.goto(post.url ?? '')
    await submit(post, {
      subject: 'Sides',
      text: 'Your code is 482913. See https://example.com/start',
      headers: { 'X-Order': '4711' },
      attachments: [{ filename: 'large.bin', content: Buffer.alloc(9000, 7) }],
    })
    await page.getByRole('button', { name: 'Copy the code' }).waitFor()
    await page.getByRole('button', { name: '1 link' }).click()
    await page.getByText('https://example.com/start').first().waitFor()
    await tab(page, 'Headers').click()
    await page.getByRole('searchbox', { name: 'Filter the header fields' }).fill('order')
    await panel(page).getByText('4711').waitFor()
    await expect.poll(() => panel(page).locator('dt').count()).toBe(1)
    await tab(page, 'Source').click()
    const fold = panel(page).getByRole('button', { name: /lines of base64/ })
    expect(await fold.getAttribute('aria-expanded')).toBe('false')
    const folded = (await panel(page).innerText()).length
    await fold.click()
    await expect.poll(async () => (await panel(page).innerText()).length).toBeGreaterThan(folded + 9000)
    await tab(page, 'Checks').click()
    await panel(page).getByRole('heading', { name: 'Fine' }).click()
    await panel(page).getByText('The mail has a text part', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Share' }).click()
    await page.getByRole('button', { name: 'Release to a real address' }).click()
    await page.getByRole('dialog').getByText('This instance has no relay').waitFor()
  })
})

describe('the inbox on a phone', () => {
  it('selects, opens and tags by touch', async () => {
    const { post, page } = await openPage()
    await page.setViewportSize({ width: 390, height: 844 })
    await submit(post, { subject: 'One', text: 'First' })
    await submit(post, { subject: 'Two', text: 'Second' })
    await rowOf(page, 'Two').waitFor()
    await page.getByRole('button', { name: 'Select', exact: true }).click()
    await page.getByRole('checkbox', { name: 'Select: One' }).check()
    await page.getByRole('button', { name: 'Tag…' }).click()
    await page.getByLabel('Tag for the selected mails').fill('phone')
    await page.getByRole('button', { name: 'Add tag' }).click()
    await rowOf(page, 'One').getByText('phone').waitFor()
    await rowOf(page, 'One').click()
    await page.getByRole('button', { name: 'Remove the tag phone' }).click()
    await expect.poll(async () => (await post.inbox.list()).items.flatMap(({ tags }) => tags)).toEqual([])
    await expect.poll(() => rowsOf(page).first().isVisible()).toBe(false)
  })
})
