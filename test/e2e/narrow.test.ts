import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { mailTabs } from '../../ui/views/inbox/tabs.ts'
import { openPage, panel, searchField, submit, tab } from './_setup.ts'

describe.each([390, 768])('a window of %i pixels', (width) => {
  it('keeps every control within reach', async () => {
    const { post, page } = await openPage()
    await page.setViewportSize({ width, height: 844 })
    const reach = (): Promise<string[]> => outOfReach(page, width)
    await page.getByRole('heading', { name: 'Ready for the first mail' }).waitFor()
    expect(await reach()).toEqual([])

    await submit(post, {
      subject: `A mail with everything ${'and-a-long-word'.repeat(9)}`,
      to: [...simulated, ...Array.from({ length: 20 }, (_, index) => `someone.${index}@example.com`)],
      text: 'Your code is 482913.',
      html: '<p>Your code is 482913.</p><img src="https://example.com/picture.png">',
      attachments: [{ filename: `${'long-name-'.repeat(20)}.txt`, content: 'Hello' }],
    })
    const [mail] = (await post.inbox.list()).items
    await page.goto(`${post.url}/#/mail/${mail?.id}`)
    for (const badge of ['Delivered 20', 'Bounced 2', 'Complaint 1'])
      await page.locator('section.main').getByText(badge).waitFor()
    await page.getByRole('button', { name: '+19 more' }).first().click()
    for (const side of mailTabs) {
      await tab(page, side).click()
      await panel(page).waitFor()
      expect(await reach(), side).toEqual([])
    }
    await page.keyboard.press('Escape')
    await searchField(page).waitFor()
    expect(await reach()).toEqual([])
  })
})

const simulated = ['bounce', 'suppressionlist', 'complaint'].map((name) => `${name}@simulator.localpost`)

/** The visible controls that are partly outside the window. */
function outOfReach(page: Page, width: number): Promise<string[]> {
  return page.evaluate(
    (edge) =>
      [...document.querySelectorAll('button, a, input')].flatMap((control) => {
        const box = control.getBoundingClientRect()
        // Controls in a row that scrolls sideways can be reached.
        const isInScroller = control.closest('.stage') !== null
        const seen = box.width > 0 && control.checkVisibility() && !isInScroller
        return seen && (box.left < 0 || box.right > edge)
          ? [`${control.textContent} ${box.left}–${box.right}`]
          : []
      }),
    width,
  )
}
