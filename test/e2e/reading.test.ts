import { describe, expect, it } from 'vitest'
import { frameOf, openPage, panel, rowOf, shownFrame, submit, tab } from './_setup.ts'
import { browser } from './context.ts'

const paragraphs = '<p>Some words of the mail.</p>'.repeat(80)
const wide = { width: 1440, height: 900 }

describe('an HTML mail', () => {
  it('begins in the upper quarter of the window and is as tall as it needs', async () => {
    const { post, page } = await openPage()
    await page.setViewportSize(wide)
    const html = `<!doctype html>${paragraphs}<img src="https://img.acme.test/a.png"><p style="height:100vh">End</p>`
    await submit(post, {
      subject: 'Your code is 123456',
      text: 'Your code is 123456',
      html,
      cc: 'grace@example.com',
    })
    await rowOf(page, 'Your code').click()
    await frameOf(page).getByText('End').waitFor({ state: 'attached' })
    const frame = page.locator(shownFrame)
    expect((await frame.boundingBox())?.y).toBeLessThanOrEqual(220)
    const inner = (): Promise<number> =>
      frame.evaluate((one) => {
        const root = one instanceof HTMLIFrameElement ? one.contentDocument?.documentElement : null
        return root ? root.scrollHeight - root.clientHeight : Number.NaN
      })
    await expect.poll(inner).toBe(0)
    const height = (await frame.boundingBox())?.height ?? 0
    expect(height).toBeGreaterThan(2000)
    await page.setViewportSize({ width: 1200, height: 700 })
    await expect.poll(inner).toBe(0)
    expect(Math.abs(((await frame.boundingBox())?.height ?? 0) - height)).toBeLessThan(100)
  })

  it.each([
    ['in quirks mode', ''],
    [
      'of the height of its window',
      '<!doctype html><style>html,body{height:100%;min-height:100vh;margin:0}</style>',
    ],
  ])('has no scroll area of its own: %s', async (_, beginning) => {
    const { post, page } = await openPage()
    await submit(post, { subject: 'Tall', html: beginning + paragraphs })
    await rowOf(page, 'Tall').click()
    await expect
      .poll(() =>
        page.locator(shownFrame).evaluate((one) => {
          const { contentDocument: content } = one as HTMLIFrameElement
          const scroller = content?.scrollingElement
          if (!scroller || content.querySelectorAll('p').length < 80) return null
          const isHidden = getComputedStyle(content.documentElement).overflowY === 'hidden'
          const rest = scroller.scrollHeight - scroller.clientHeight
          return isHidden && rest < 64 ? 0 : rest
        }),
      )
      .toBe(0)
  })

  it('fills its place with its background, however short it is', async () => {
    const { post, page } = await openPage()
    await submit(post, { subject: 'Short', html: '<body style="background: #f3ede4"><p>Short</p>' })
    await rowOf(page, 'Short').click()
    await frameOf(page).getByText('Short').waitFor()
    const bottomOf = async (what: string): Promise<number> => {
      const box = await page.locator(what).boundingBox()
      return Math.round((box?.y ?? 0) + (box?.height ?? 0))
    }
    await expect.poll(() => bottomOf(shownFrame)).toBe(await bottomOf('section.main'))
  })

  it('lets its head scroll away, and keeps a slim bar with the subject and the actions', async () => {
    const { post, page } = await openPage()
    await submit(post, { subject: 'A long letter', html: paragraphs })
    await rowOf(page, 'A long letter').click()
    for (const size of [wide, { width: 390, height: 844 }]) {
      await page.setViewportSize(size)
      await page.locator('section.main').evaluate((pane) => pane.scrollTo({ top: 0 }))
      const heading = page.getByRole('heading', { name: 'A long letter' })
      await expect.poll(() => heading.isVisible()).toBe(true)
      await page.mouse.move(size.width - 60, 600)
      await page.mouse.wheel(0, 600)
      const bar = page.locator('article .bar', { hasText: 'A long letter' })
      await bar.waitFor()
      expect((await heading.boundingBox())?.y).toBeLessThan(0)
      const box = await bar.boundingBox()
      expect(box?.height).toBeLessThanOrEqual(48)
      await expect.poll(() => page.getByRole('button', { name: 'Delete this mail' }).isVisible()).toBe(true)
    }
  })

  it('is shown alone at full screen and in a tab of its own, where the keys go on', async () => {
    const { post, page } = await openPage()
    await submit(post, { subject: 'Older', html: '<p>One</p>' })
    await submit(post, { subject: 'Newer', html: '<p>Two</p>' })
    await rowOf(page, 'Newer').click()
    await page.getByRole('button', { name: 'Full screen' }).click()
    await expect.poll(async () => (await page.locator(shownFrame).boundingBox())?.width).toBe(1280)
    // The keys of the page work in the mail, too.
    await frameOf(page).getByText('Two').click()
    await page.keyboard.press('j')
    await frameOf(page).getByText('One').waitFor()
    await page.keyboard.press('f')
    await rowOf(page, 'Older').waitFor()
    const opened = browser.context.waitForEvent('page')
    await page.getByRole('link', { name: 'Open in a new tab' }).click()
    const popup = await opened
    await frameOf(popup).getByText('One').waitFor()
    expect((await popup.locator(shownFrame).boundingBox())?.x).toBe(0)
  })

  it('opens a tracked link with and without counting', async () => {
    const { post, page } = await openPage({}, false)
    const { id } = await post.domains.create({ name: 'acme.test' })
    await post.domains.verify(id, { status: 'SUCCESS' })
    await post.domains.update(id, { click_tracking_enabled: true })
    const target = `${post.url}/favicon.svg?of=mail`
    const html = `<p><a href="${target}">Start here</a></p>`
    const sent = await post.emails.send({
      from: 'hi@acme.test',
      to: 'ada@example.com',
      subject: 'Tracked',
      html,
    })
    const statuses = async (): Promise<string[]> =>
      (await post.inbox.get(sent.id)).recipients.flatMap(({ events }) => events.map(({ status }) => status))
    await expect.poll(statuses).toContain('delivered')
    await page.goto(`${post.url}/#/mail/${sent.id}`)
    const opens = async (work: () => Promise<void>): Promise<void> => {
      const opened = browser.context.waitForEvent('page')
      await work()
      const popup = await opened
      await popup.waitForURL(target)
      await popup.close()
    }
    const link = frameOf(page).getByText('Start here')
    await link.hover()
    const card = page.locator('article').getByRole('status')
    await card.getByText(target).waitFor()
    await opens(() => card.getByRole('button', { name: 'Open without counting' }).click())
    await opens(() => link.click({ modifiers: ['Shift'] }))
    expect(await statuses()).not.toContain('clicked')
    await opens(() => link.click())
    await expect.poll(statuses).toContain('clicked')
  })

  it('shows where a link leads, and whether it pretends', async () => {
    const { post, page } = await openPage()
    const html = `<p><a href="https://evil.test/a?long=1">https://paypal.com</a></p><p><a href="/nowhere">none</a></p>`
    await submit(post, { subject: 'Pretends', html })
    await rowOf(page, 'Pretends').click()
    const frame = frameOf(page)
    await frame.getByText('paypal').hover()
    const card = page.locator('article').getByRole('status')
    await card.getByText('https://evil.test/a?long=1').waitFor()
    await card.getByText('The text says paypal.com').waitFor()
    await frame.getByText('none').hover()
    await card.getByText('This address is not opened').waitFor()
    await frame.getByText('paypal').focus()
    await card.getByText('https://evil.test/a?long=1').waitFor()
  })
})

it('offers no side of a mail that is empty, and shows all of the others on a phone', async () => {
  const { post, page } = await openPage()
  // First: a wide page opens the mail by itself, and a narrow one shows no list beside it.
  await page.setViewportSize({ width: 390, height: 844 })
  await submit(post, { subject: 'Text alone', text: 'See https://acme.test/verify?a=b.' })
  await rowOf(page, 'Text alone').click()
  await panel(page).getByText('See').waitFor()
  expect(await page.getByRole('tab').allInnerTexts()).toEqual([
    'Text',
    'Source',
    'Headers',
    'Events',
    'Checks',
  ])
  for (const one of await page.getByRole('tab').all()) {
    const box = await one.boundingBox()
    expect((box?.x ?? -1) >= 0 && (box?.x ?? 0) + (box?.width ?? 999) <= 390).toBe(true)
  }
  const link = panel(page).getByRole('link', { name: 'https://acme.test/verify?a=b', exact: true })
  expect(await link.getAttribute('rel')).toBe('noopener noreferrer')
  expect(await link.getAttribute('target')).toBe('_blank')
  await tab(page, 'Events').click()
})
