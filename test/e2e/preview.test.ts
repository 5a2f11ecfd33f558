import { expect, it } from 'vitest'
import { frameOf, openPage, rowOf, submit, tab } from './_setup.ts'

it('shows a mail as a client does, and lists what the client ignores', async () => {
  const { post, page } = await openPage()
  const html =
    '<style>.a { text-shadow: 1px 1px red } .b { color: rgb(0, 0, 255) }</style>\n' +
    '<p class="a b" style="position: absolute">Hello</p>'
  await submit(post, { subject: 'Styled', html })
  await rowOf(page, 'Styled').click()
  const hello = frameOf(page).getByText('Hello')
  const styleOf = (name: string): Promise<string> =>
    hello.evaluate((element, property) => getComputedStyle(element).getPropertyValue(property), name)
  expect(await styleOf('position')).toBe('absolute')

  await page.getByRole('button', { name: 'View as' }).click()
  await page.getByLabel('Show as a mail client does').selectOption('Gmail, web')
  await page.getByText('An approximation of Gmail, Desktop Webmail').waitFor()
  await page.keyboard.press('Escape')
  await expect.poll(() => styleOf('position')).toBe('static')
  expect([await styleOf('text-shadow'), await styleOf('color')]).toEqual(['none', 'rgb(0, 0, 255)'])
  await page.getByText('Removed: 2 features').click()
  await page.getByText('Line 2 position: absolute').waitFor()
  await page.getByText('Line 1 text-shadow: 1px 1px red').waitFor()

  // The note belongs to the HTML alone.
  await tab(page, 'Headers').click()
  await expect.poll(() => page.getByText('An approximation of').count()).toBe(0)
})
