import { describe, expect, it } from 'vitest'
import { startListening } from '../support/instance.ts'
import { objections } from './_axe.ts'
import { frameOf, openPage, panel, rowOf, submit } from './_setup.ts'

describe('a release', () => {
  it('goes to several people, prefilled from the mail, with a result for each, and deletes the mail afterwards', async () => {
    const real = await startListening({
      rules: [{ match: 'eve@example.com', action: 'reject' }],
      rejectSubmissions: true,
    })
    const { post, page } = await openPage({ relay: `smtp://127.0.0.1:${real.smtp?.port}` })
    await submit(post, {
      subject: 'Release me',
      to: ['ada@example.com', 'eve@example.com', 'bounce@simulator.localpost'],
      text: 'x',
    })
    await rowOf(page, 'Release me').click()
    await panel(page).getByText('x', { exact: true }).waitFor()
    await page.keyboard.press('r')
    const dialog = page.getByRole('dialog', { name: 'Release to real addresses' })
    await dialog.getByRole('button', { name: 'Remove eve@example.com' }).waitFor()
    // No mail goes to the simulator.
    expect(await dialog.locator('.chip').allTextContents()).toEqual(['ada@example.com', 'eve@example.com'])
    const field = dialog.getByLabel('Addresses')
    await field.pressSequentially('nobody, Bob <bob@example.com>')
    expect(await field.inputValue()).toBe('nobody, Bob <bob@example.com>')
    await field.press('Enter')
    await dialog.getByRole('alert').getByText('“nobody” is not an address.').waitFor()
    expect(await field.inputValue()).toBe('nobody')
    await field.fill('')
    expect(await objections(page)).toEqual([])
    await dialog.getByLabel('Delete the mail here afterwards').check()
    await dialog.getByRole('button', { name: 'Send to 3' }).click()
    const results = dialog.getByRole('listitem')
    await expect.poll(() => results.count()).toBe(3)
    expect((await results.allTextContents()).join(' ')).toMatch(
      /ada@example\.com: accepted\. The relay replied: 250.*eve@example\.com: .*5\d\d.*bob@example\.com: accepted/s,
    )
    // One failed: the mail stays, and only that one is sent again.
    expect((await post.inbox.list()).count).toBe(1)
    await dialog.getByRole('button', { name: 'Remove eve@example.com' }).click()
    // What is typed becomes recipients in lines of their own, which must not move the button away from the click.
    await field.fill('a.long.address.of.a.reader@news.example.com, another.long.address@news.example.com')
    await dialog.getByRole('button', { name: 'Send', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
    await expect.poll(async () => (await post.inbox.list()).count).toBe(0)
    const sent = await real.inbox.list()
    expect(sent.items.length).toBe(4)
  })
})

describe('a mail as a file', () => {
  it('is saved as HTML, text and .eml, and printed without the page', async () => {
    const { post, page } = await openPage()
    await submit(post, { subject: 'Sum: 1/2', text: 'The text ä', html: '<p>The HTML</p>' })
    await rowOf(page, 'Sum: 1/2').click()
    const expected = [
      ['Save as HTML', /^Sum 1 2\.html$/, /The HTML/],
      ['Save as text', /^Sum 1 2\.txt$/, /The text ä/],
      ['Save as .eml', /^em_\w+\.eml$/, /Subject: Sum: 1\/2/],
    ] as const
    for (const [words, name, content] of expected) {
      await page.getByRole('button', { name: 'Share' }).click()
      const item = page.getByRole('group', { name: 'Share' }).getByText(words)
      const [download] = await Promise.all([page.waitForEvent('download'), item.click()])
      expect(download.suggestedFilename()).toMatch(name)
      const bytes = await (await download.createReadStream()).toArray()
      expect(Buffer.concat(bytes).toString()).toMatch(content)
    }
    await page.emulateMedia({ media: 'print' })
    await expect.poll(() => page.getByRole('navigation', { name: 'Mails' }).isVisible()).toBe(false)
    await expect.poll(() => page.getByRole('tablist').isVisible()).toBe(false)
    await expect.poll(() => page.getByRole('heading', { name: 'Sum: 1/2' }).isVisible()).toBe(true)
    // The sender and the recipient, which search on the page, are printed too.
    await expect.poll(() => page.locator('.search-link:visible').count()).toBeGreaterThan(1)
    await frameOf(page).getByText('The HTML').waitFor()
  })
})

describe('a link to a mail far down a long list', () => {
  it('highlights its row, and the keys go on from there', async () => {
    const { post, page } = await openPage({}, false)
    const ids: string[] = []
    for (let i = 0; i < 1200; i++) {
      const bytes = `From: a@acme.test\r\nTo: b@example.com\r\nSubject: Mail ${i}.\r\n\r\nx\r\n`
      ids.push((await post.inbox.import(Buffer.from(bytes))).id)
    }
    await page.goto(`${post.url}/#/mail/${ids[137]}`)
    const row = rowOf(page, 'Mail 137.')
    await row.waitFor()
    expect(await row.getAttribute('aria-current')).toBe('true')
    await page.keyboard.press('j')
    await page.getByRole('heading', { level: 1, name: 'Mail 136.' }).waitFor()
    await page.keyboard.press('k')
    await page.keyboard.press('k')
    await page.getByRole('heading', { level: 1, name: 'Mail 138.' }).waitFor()
    expect(await rowOf(page, 'Mail 138.').getAttribute('aria-current')).toBe('true')
    // One that the search does not find is open all the same.
    await page.goto(`${post.url}/?query=subject%3A%22Mail+7.%22#/mail/${ids[3]}`)
    await page.getByRole('heading', { level: 1, name: 'Mail 3.' }).waitFor()
    await page.getByText('1 match', { exact: true }).waitFor()
  })
})
