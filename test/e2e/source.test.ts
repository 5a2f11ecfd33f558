import { describe, expect, it } from 'vitest'
import { objections } from './_axe.ts'
import { openPage, panel, rowOf, submit, tab } from './_setup.ts'

describe('the source of a mail', () => {
  it('is its message, its HTML in lines with a search, its text, and its parts with their downloads', async () => {
    const { post, page } = await openPage()
    await submit(post, {
      subject: 'Sources',
      text: 'The plain text, needle in it',
      html: '<table><tr><td>A needle</td><td title="needle">é</td></tr></table><img src="cid:logo">',
      attachments: [
        { filename: 'logo.png', cid: 'logo', content: Buffer.alloc(3000) },
        { filename: 'Datei ä.txt', content: 'Content of the file' },
      ],
    })
    await rowOf(page, 'Sources').click()
    await tab(page, 'Source').click()
    const sides = page.getByRole('radiogroup', { name: 'Show of the source' })
    await panel(page).getByText('Message header').waitFor()

    await sides.getByRole('radio', { name: 'HTML' }).check()
    const code = panel(page).locator('pre')
    await code.getByText('<td>').waitFor()
    // Decoded, and in lines.
    expect(await code.textContent()).toContain('    <td title="needle">\n      é\n')
    const field = page.getByRole('searchbox', { name: 'Find in the HTML' })
    await field.fill('NEEDLE')
    await panel(page).getByText('1 of 2').waitFor()
    await field.press('Enter')
    await panel(page).getByText('2 of 2').waitFor()
    await field.press('Shift+Enter')
    await panel(page).getByText('1 of 2').waitFor()
    const marked = (): Promise<string[]> =>
      page.evaluate(() =>
        [...(CSS.highlights.get('code-current') ?? [])].map(({ startContainer, startOffset, endOffset }) =>
          (startContainer.textContent ?? '').slice(startOffset, endOffset),
        ),
      )
    expect(await marked()).toEqual(['needle'])
    await field.fill('nothing like it')
    await panel(page).getByText('No match').waitFor()
    expect(await objections(page)).toEqual([])

    await sides.getByRole('radio', { name: 'Text' }).check()
    await code.getByText('The plain text, needle in it').waitFor()

    await sides.getByRole('radio', { name: 'Structure' }).check()
    const parts = page.getByRole('list', { name: 'Parts of the message' }).getByRole('listitem')
    await expect.poll(() => parts.count()).toBeGreaterThan(5)
    const texts = await parts.allTextContents()
    expect(texts[0]).toMatch(/^multipart\/mixed/)
    expect(texts.find((text) => text.includes('logo.png'))).toMatch(/image\/png.*base64.*cid:logo.*KB/)
    expect(texts.filter((text) => /The HTML|The text/.test(text))).toHaveLength(2)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      parts.filter({ hasText: 'Datei ä.txt' }).getByRole('link').click(),
    ])
    expect(download.suggestedFilename()).toBe('Datei ä.txt')
    expect(await objections(page)).toEqual([])
    // The side stays from mail to mail, as one compares them.
    await submit(post, { subject: 'Plain one', text: 'Hello' })
    await rowOf(page, 'Plain one').click()
    await expect.poll(() => parts.count()).toBe(1)
    await expect.poll(() => sides.getByRole('radio', { name: 'HTML' }).count()).toBe(0)
  })

  it('of a long HTML is shown without a long wait', async () => {
    const { post, page } = await openPage()
    const html = '<table><tr><td>Cell</td></tr></table>'.repeat(9000)
    await submit(post, { subject: 'Long', html })
    await rowOf(page, 'Long').click()
    await tab(page, 'Source').click()
    await page
      .getByRole('radiogroup', { name: 'Show of the source' })
      .getByRole('radio', { name: 'HTML' })
      .check()
    await panel(page).getByText('Only the beginning is shown').waitFor()
    await page.getByRole('searchbox', { name: 'Find in the HTML' }).fill('cell')
    await panel(page).getByText('1 of 1000+').waitFor()
  })
})
