import { describe, expect, it } from 'vitest'
import { objections, setWidth, widths } from './_axe.ts'
import { openPage, rowOf, submit } from './_setup.ts'

const newsletter = (
  name: string,
  price: number,
  extra = '',
): { subject: string; html: string; text: string } => ({
  subject: 'Your invoice',
  text: `Hello ${name},\nyou owe ${price} EUR.\n`,
  html: `<html lang="en"><body><h1>Hello ${name}</h1>${'<p>The same.</p>'.repeat(30)}<p>You owe ${price} EUR.</p>${extra}</body></html>`,
})
describe('two mails side by side', () => {
  it('are the open one and the last one with its subject, by one click', async () => {
    const { post, page } = await openPage()
    await submit(post, newsletter('Ada', 10))
    await submit(post, { subject: 'Something else', text: 'x' })
    await submit(post, newsletter('Grace', 10, '<p>Thank you!</p>'))
    await rowOf(page, 'Your invoice').nth(1).waitFor()
    await rowOf(page, 'Your invoice').first().click()
    await page.getByRole('link', { name: 'Compare with the last mail with this subject' }).click()
    await page.getByText('2 parts differ: HTML, Text.').waitFor()
    const frames = page.locator('iframe')
    expect(await frames.count()).toBe(2)
    for (const frame of await frames.all())
      expect(await frame.getAttribute('sandbox')).toBe('allow-same-origin')
    await page.frameLocator('iframe >> nth=0').getByText('Hello Ada').waitFor()
    await page.frameLocator('iframe >> nth=1').getByText('Hello Grace').waitFor()

    await page.getByRole('tab', { name: 'HTML' }).click()
    const table = page.getByRole('table', { name: 'HTML of both mails' })
    await table.getByText('Thank you!').waitFor()
    expect(await table.locator('del').allTextContents()).toEqual(['Ada'])
    expect(await table.locator('ins').allTextContents()).toEqual(['Grace'])
    // Not by colour alone: by signs, and in words for a screen reader.
    expect(await table.getByText('Removed:').count()).toBe(1)
    expect(await table.getByText('Added:').count()).toBe(4)
    expect(await table.getByText('The same.').count()).toBeLessThan(30)
    await table
      .getByRole('button', { name: /equal lines/ })
      .first()
      .click()
    await expect.poll(() => table.getByText('The same.').count()).toBeGreaterThanOrEqual(30)

    await page.keyboard.press('Escape')
    await page.getByRole('heading', { name: 'Your invoice' }).waitFor()
    await page.keyboard.press('c')
    await page.getByRole('heading', { name: 'Compare two mails' }).waitFor()
  })

  it('are the two selected rows, the older one on the left; their address leads there again', async () => {
    const { post, page } = await openPage()
    const first = await submit(post, { subject: 'First', text: 'one' })
    const second = await submit(post, { subject: 'Second', text: 'two' })
    await rowOf(page, 'Second').waitFor()
    await page.getByRole('button', { name: 'Select', exact: true }).click()
    for (const box of await page.getByRole('checkbox').all()) await box.check()
    await page
      .getByRole('toolbar', { name: 'Selected mails' })
      .getByRole('button', { name: 'Compare' })
      .click()
    await page.getByRole('cell', { name: 'Removed: one' }).waitFor()
    await page.getByRole('cell', { name: 'Added: two' }).waitFor()
    expect(page.url()).toContain(`#/mail/${second}/compare/${first}`)
    await page.reload()
    await page.getByRole('cell', { name: 'Added: two' }).waitFor()
  })

  it('are in the order of their arrival, whichever of them the address names first', async () => {
    const { post, page } = await openPage({}, false)
    const first = await submit(post, { subject: 'First', html: '<p>one</p>' })
    const second = await submit(post, { subject: 'Second', html: '<p>two</p>' })
    await page.goto(`${post.url}/#/mail/${first}/compare/${second}`)
    await page.frameLocator('[title="The older mail as HTML"]').getByText('one').waitFor()
    await page.frameLocator('[title="The newer mail as HTML"]').getByText('two').waitFor()
    await page.getByRole('tab', { name: 'HTML' }).click()
    await page.getByRole('cell', { name: 'Removed: one' }).waitFor()
    await page.getByRole('cell', { name: 'Added: two' }).waitFor()
    await page.getByRole('checkbox', { name: 'Ignore ids, dates, tokens and codes' }).uncheck()
    await page.getByRole('cell', { name: 'Removed: one' }).waitFor()
    await page.getByRole('button', { name: 'Back to the mail' }).click()
    await page.getByRole('heading', { name: 'First' }).waitFor()
  })

  it('without an earlier one say so', async () => {
    const { post, page } = await openPage()
    await submit(post, { subject: 'Alone', text: 'x' })
    await rowOf(page, 'Alone').click()
    await page.keyboard.press('c')
    await page.getByRole('status').getByText('No earlier mail has this subject.').waitFor()
    await page.getByRole('button', { name: 'Back to the mail' }).click()
    await page.getByRole('heading', { name: 'Alone' }).waitFor()
  })

  it('of two megabytes of text are listed in steps', async () => {
    const { post, page } = await openPage({}, false)
    const textOf = (word: string): string =>
      Array.from({ length: 40_000 }, (_, at) => `${word} in line ${at} of the long text of this mail`).join(
        '\n',
      )
    await submit(post, { subject: 'Long', text: textOf('one') })
    const id = await submit(post, { subject: 'Long', text: textOf('two') })
    let load = (): void => {}
    const held = new Promise<void>((resolve) => (load = resolve))
    await page.route(new RegExp(`/dev/inbox/${id}(?:\\?|$)`), async (route) => {
      await held
      await route.continue()
    })
    await page.goto(`${post.url}/#/mail/${id}`)
    await rowOf(page, 'Long').first().waitFor()
    // A long mail takes its time to open, and the key does not wait for it.
    await page.keyboard.press('c')
    await page.getByRole('heading', { name: 'Compare two mails' }).waitFor()
    load()
    await page.getByText('1 part differs: Text.').waitFor({ timeout: 60_000 })
    const rows = page.getByRole('table').getByRole('row')
    expect(await rows.count()).toBeLessThanOrEqual(502)
    await page.getByRole('button', { name: 'Show more' }).click()
    await expect.poll(() => rows.count()).toBeGreaterThan(900)
  })

  it('begin at one height, whatever is asked above one of them', async () => {
    const { post, page } = await openPage()
    await page.setViewportSize({ width: 1024, height: 800 })
    await submit(post, newsletter('Ada', 10))
    const remote = `<img src="https://images.test/1.png" alt="One"><link rel="stylesheet" href="https://images.test/1.css">
      <style>@font-face { font-family: One; src: url(https://images.test/1.woff2) }</style>`
    const id = await submit(post, newsletter('Grace', 12, remote))
    await page.goto(`${post.url}/#/mail/${id}/compare/previous`)
    await page.getByRole('button', { name: 'Load them' }).waitFor()
    const frames = page.locator('.frames iframe')
    await expect.poll(() => frames.count()).toBe(2)
    const tops = await frames.evaluateAll((all) => all.map((frame) => frame.getBoundingClientRect().top))
    expect(tops[0]).toBe(tops[1])
  })

  it.each(widths)('have no accessibility violations, %i wide', async (width) => {
    const { post, page } = await openPage()
    await setWidth(page, width)
    await submit(post, newsletter('Ada', 10))
    const id = await submit(post, newsletter('Grace', 12))
    await page.goto(`${post.url}/#/mail/${id}/compare/previous`)
    for (const name of ['Rendering', 'HTML', 'Text', 'Headers', 'Structure', 'Attachments']) {
      await page.getByRole('tab', { name }).click()
      await page.getByRole('tabpanel', { name }).waitFor()
      expect(await objections(page), name).toEqual([])
      const { scroll, client } = await page.evaluate(() => {
        const { scrollWidth: scroll, clientWidth: client } = document.documentElement
        return { scroll, client }
      })
      expect(scroll, name).toBeLessThanOrEqual(client)
    }
  })
})
