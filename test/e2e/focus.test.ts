import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { openPage, panel, rowOf, submit, tab } from './_setup.ts'

const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const { activeElement: one } = document
    return one?.getAttribute('aria-label') ?? one?.getAttribute('title') ?? one?.textContent?.trim() ?? ''
  })
const press = async (page: Page, name: string): Promise<void> => {
  await page.getByRole('button', { name, exact: true }).first().focus()
  await page.keyboard.press('Enter')
}

describe('the focus moves on when the focused element disappears', () => {
  it('from a tag, and from the offer of remote images', async () => {
    const { post, page } = await openPage()
    await submit(post, {
      subject: 'Tagged',
      headers: { 'X-Tags': 'one' },
      html: '<p>Hello</p><img src="http://127.0.0.1:9/a.png">',
    })
    await press(page, 'Remove the tag one')
    await expect.poll(() => focused(page)).toBe('Tag')
    await press(page, 'Load them')
    await expect.poll(() => focused(page)).toBe('The mail as HTML')
  })

  it('from a search without a match to the field', async () => {
    const { post, page } = await openPage()
    await submit(post, { subject: 'Here', text: 'x' })
    await rowOf(page, 'Here').waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('nothing-like-it')
    await page.getByText('No mail matches this search.').waitFor()
    const button = page
      .getByRole('navigation', { name: 'Mails' })
      .getByRole('button', { name: 'Clear the search' })
    await button.focus()
    await page.keyboard.press('Enter')
    await rowOf(page, 'Here').waitFor()
    expect(await focused(page)).toBe('Search mails')
  })

  it('from the note about faults, also when they are turned off elsewhere', async () => {
    const { post, page } = await openPage()
    await post.faults.set({ http: [{ path: '/v1/domains', status: 503 }] })
    const off = page.getByRole('button', { name: 'Turn off' })
    await off.focus()
    await post.faults.clear()
    await off.waitFor({ state: 'detached' })
    await expect.poll(() => focused(page)).toBe('Search mails')
  })

  it('from the bar over a selection to the button that opened it, and to the list', async () => {
    const { post, page } = await openPage()
    for (const subject of ['One', 'Two']) await submit(post, { subject, text: 'x' })
    await rowOf(page, 'Two').click()
    await panel(page).getByText('x', { exact: true }).waitFor()
    await page.keyboard.press('x')
    await press(page, 'Tag…')
    await page.getByLabel('Tag for the selected mails').waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => focused(page)).toBe('Tag…')
    await press(page, 'Clear the selection')
    await expect.poll(() => focused(page)).toContain('Two')
    await page.keyboard.press('x')
    await page.getByRole('toolbar').getByRole('button', { name: 'Unread' }).press('Enter')
    await page.getByRole('toolbar').waitFor({ state: 'detached' })
    await expect.poll(() => focused(page)).toContain('Two')
  })
})

it('a menu begins with what can be seen, and arrow keys stay in a choice that they change', async () => {
  const { post, page } = await openPage()
  await submit(post, { subject: 'Framed', html: '<p>Hello</p>' })
  await rowOf(page, 'Framed').click()
  const widthsOf = (name: string) =>
    page.getByRole('group', { name: 'View as' }).getByRole('radiogroup', { name })
  for (const [width, first] of [
    [1920, 'Mail client'],
    [390, 'full'],
  ] as const) {
    await page.setViewportSize({ width, height: 800 })
    await press(page, 'View as')
    const isFirst = () =>
      page.evaluate(
        () => (document.activeElement as HTMLInputElement | null)?.value ?? document.activeElement?.tagName,
      )
    await expect.poll(isFirst, { message: first }).toBe(width === 390 ? first : '')
    if (width === 390) {
      await page.keyboard.press('ArrowRight')
      await page.keyboard.press('ArrowDown')
      expect(await widthsOf('Width in pixels').getByRole('radio').nth(2).isChecked()).toBe(true)
    }
    await page.keyboard.press('Escape')
  }
  await page.evaluate(() => localStorage.clear())
  await press(page, 'Share')
  await page.getByRole('group', { name: 'Share' }).evaluate((menu) => {
    ;(document.activeElement as HTMLElement).blur()
    menu.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowUp', bubbles: true }))
  })
  await expect.poll(() => focused(page)).toBe('Release to a real address…')
  await page.keyboard.press('ArrowDown')
  await expect.poll(() => focused(page)).toBe('Copy the link')
  await page.keyboard.press('ArrowUp')
  await expect.poll(() => focused(page)).toBe('Release to a real address…')
})

it('every control of the mail is at least 24 pixels high and wide', async () => {
  const { post, page } = await openPage()
  await submit(post, {
    subject: 'Targets',
    text: 'Your code is 482913. See https://example.com/start',
    html: '<p>Your code is 482913.</p><a href="https://example.com/start">Start</a><img src="http://127.0.0.1:9/a.png">',
    headers: { 'X-Tags': 'one' },
    attachments: [{ filename: 'large.bin', content: Buffer.alloc(9000, 7) }],
  })
  for (const side of ['HTML', 'Source', 'Headers', 'Attachments', 'Events', 'Checks'] as const) {
    await tab(page, side).click()
    await panel(page).locator('button, a, summary, p, iframe').first().waitFor()
    expect(await smallTargets(page), side).toEqual([])
  }
})

/** Controls below the size of WCAG 2.2; links in a line of text are exempt. */
function smallTargets(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [
      ...document.querySelectorAll(
        'section.main :is(button, a, summary, select, input:not([type=radio]), label)',
      ),
    ]
      .filter((one) => one.checkVisibility() && !one.closest('dd:not(.mono)'))
      .map((one) => (one.matches('[type=checkbox]') ? (one.closest('label') ?? one) : one))
      .filter((one) => {
        const { width, height } = one.getBoundingClientRect()
        return width > 1 && (width < 24 || height < 24)
      })
      .map((one) => one.outerHTML.slice(0, 120)),
  )
}

it('the page also has a heading while a mail is loading, and where there is none', async () => {
  const { post, page } = await openPage({}, false)
  await submit(post, { subject: 'Slow to come', text: 'x' })
  const [mail] = (await post.inbox.list()).items
  let release = (): void => undefined
  const held = new Promise<void>((resolve) => (release = resolve))
  await page.route(`**/dev/inbox/${mail?.id}`, async (route) => {
    await held
    await route.continue()
  })
  await page.goto(`${post.url}/#/mail/${mail?.id}`)
  await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
  release()
  await page.getByRole('heading', { level: 1, name: 'Slow to come' }).waitFor()
  await expect.poll(() => page.getByRole('heading', { level: 1 }).count()).toBe(1)
  await page.goto(`${post.url}/#/mail/em_none`)
  await page.getByText('This mail is not there any more.').waitFor()
  expect(await page.getByRole('heading', { level: 1 }).allTextContents()).toEqual(['Inbox'])
})

it('the focus is visible on every element that Tab reaches', async () => {
  const { post, page } = await openPage({}, false)
  await post.templates.put('broken', { subject: 'Hi {{name}', text: 'Hello {{first name}}' })
  await submit(post, { subject: 'Hello', text: 'Hello' })
  for (const path of ['', 'templates/broken', 'webhooks', 'rules', 'requests', 'connect']) {
    await page.goto(`${post.url}/#/${path}`)
    await page.getByText('Live', { exact: true }).waitFor()
    await expect.poll(() => page.getByText('Loading…').count()).toBe(0)
    if (path === 'templates/broken') await page.getByRole('list', { name: 'Broken placeholders' }).waitFor()
    const begin = await page.getByRole('link').first().elementHandle()
    await begin?.focus()
    const unseen: string[] = []
    for (let stops = 0; stops < 60; stops++) {
      await page.keyboard.press('Tab')
      const ring = await page.evaluate(() => {
        const { activeElement: one } = document
        if (!one || one === document.body || one instanceof HTMLIFrameElement) return null
        const choice = one.nextElementSibling
        // The label next to a hidden input shows its focus.
        const drawn = one instanceof HTMLInputElement && one.type === 'radio' && choice ? choice : one
        return { words: one.textContent || one.outerHTML, style: getComputedStyle(drawn).outlineStyle }
      })
      if (ring === null) break
      if (ring.style === 'none') unseen.push(ring.words.trim())
    }
    expect(unseen, path).toEqual([])
  }
})
