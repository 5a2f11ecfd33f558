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
  await page.getByRole('combobox', { name: 'Mail client' }).selectOption('Gmail, web')
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

it('shows a mail in five clients side by side', async () => {
  const { post, page } = await openPage()
  await submit(post, { subject: 'Styled', html: '<p style="position: absolute">Hello</p>' })
  await rowOf(page, 'Styled').click()
  await page.getByRole('button', { name: 'View as' }).click()
  await page.getByRole('button', { name: 'Five clients side by side' }).click()
  const dialog = page.getByRole('dialog', { name: 'Five clients side by side' })
  const frames = dialog.locator('iframe')
  await expect.poll(() => frames.count()).toBe(5)
  const positions = async (): Promise<string[]> => {
    const found = Array.from({ length: 5 }, (_, at) => frames.nth(at).contentFrame().getByText('Hello'))
    return Promise.all(found.map((one) => one.evaluate((element) => getComputedStyle(element).position)))
  }
  await expect.poll(async () => new Set(await positions()).has('static')).toBe(true)
  // A short mail fills its column: the page measures a mail several times, and the height of the frame stays the same.
  const heights = (): Promise<number[][]> =>
    frames.evaluateAll((all) =>
      all.map((frame) =>
        [frame, frame.closest('.window')].map((one) => one?.getBoundingClientRect().height ?? 0),
      ),
    )
  await expect
    .poll(async () => (await heights()).filter(([frame = 0, column = 0]) => frame < column - 4))
    .toEqual([])

  await dialog.getByRole('button', { name: 'Show the mail as Gmail, web' }).click()
  await page.getByText('An approximation of Gmail, Desktop Webmail').waitFor()
})
