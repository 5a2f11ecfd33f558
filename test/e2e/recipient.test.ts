import { describe, expect, it } from 'vitest'
import { frameOf, openPage, panel, shownFrame, submit, tab } from './_setup.ts'

describe('a mail as its recipient sees it', () => {
  it('is shown at the widths of devices, and in dark mode as designed and as inverted', async () => {
    const { post, page } = await openPage()
    await submit(post, {
      subject: 'In the dark',
      html: '<style>p { color: rgb(1, 1, 1) } @media (prefers-color-scheme: dark) { p { color: rgb(250, 250, 250) } }</style><p>Look</p>',
    })
    const text = frameOf(page).getByText('Look')
    const colour = (): Promise<string> => text.evaluate((element) => getComputedStyle(element).color)
    // The system's own dark mode does not apply to the mail.
    await page.emulateMedia({ colorScheme: 'dark' })
    await expect.poll(colour).toBe('rgb(1, 1, 1)')
    await page.getByRole('button', { name: 'View as' }).click()
    await page.getByRole('radio', { name: 'Dark', exact: true }).check()
    await expect.poll(colour).toBe('rgb(250, 250, 250)')
    await page.getByRole('radio', { name: 'Dark, inverted' }).check()
    await expect.poll(colour).toBe('rgb(1, 1, 1)')
    expect(await page.locator(shownFrame).evaluate((frame) => getComputedStyle(frame).filter)).toContain(
      'invert(1)',
    )
    for (const width of [320, 375, 768]) {
      await page.getByRole('radio', { name: String(width) }).check()
      await expect.poll(() => page.locator(shownFrame).evaluate((frame) => frame.clientWidth)).toBe(width)
    }
  })

  it('shows cid images, and records opens and clicks only on request', async () => {
    const { post, page } = await openPage({}, false)
    const { id } = await post.domains.create({ name: 'acme.test' })
    await post.domains.verify(id, { status: 'SUCCESS' })
    await post.domains.update(id, { open_tracking_enabled: true, click_tracking_enabled: true })
    const sent = await post.emails.send({
      from: 'Acme <hello@acme.test>',
      to: ['ada@example.com', 'grace@example.com'],
      subject: 'Tracked',
      html: '<p>Hello</p><a href="https://example.com/start">Start here</a>',
    })
    const statuses = async (recipient: string): Promise<string[]> =>
      (await post.inbox.get(sent.id)).recipients
        .find((one) => one.recipient === recipient)
        ?.events.map(({ status }) => status) ?? []
    await expect.poll(() => statuses('grace@example.com')).toContain('delivered')
    await page.goto(`${post.url}/#/mail/${sent.id}`)
    await frameOf(page).getByText('Hello').waitFor()
    await tab(page, 'Events').click()
    await page.getByRole('button', { name: 'Open as recipient… grace@example.com' }).click()
    await page.getByRole('button', { name: 'Open the mail' }).click()
    await page.getByText('Opened', { exact: true }).first().waitFor()
    await page.getByRole('button', { name: 'Click Start here' }).click()
    await page.getByText('Clicked “Start here”').waitFor()
    expect(await statuses('grace@example.com')).toEqual(['sent', 'delivered', 'opened', 'clicked'])
    expect(await statuses('ada@example.com')).toEqual(['sent', 'delivered'])
    expect(new URL(page.url()).origin).toBe(new URL(post.url ?? '').origin)
  })

  it('adds possible events of a recipient, and explains why where an event is not possible', async () => {
    const { post, page } = await openPage()
    await submit(post, { subject: 'Simulated', text: 'See https://example.com/start' })
    await tab(page, 'Events').click()
    const simulate = async (words: string): Promise<void> => {
      await page.getByRole('button', { name: 'Simulate for ada@example.com' }).click()
      await page.getByRole('group').getByRole('button', { name: words }).click()
    }
    await simulate('Open')
    await panel(page).getByText('Opened', { exact: true }).first().waitFor()
    await simulate('Click: https://example.com/start')
    await panel(page).getByText('Clicked', { exact: true }).first().waitFor()
    const name = 'Simulate for ada@example.com'
    await page.getByRole('button', { name }).click()
    const bounce = page.getByRole('group').getByRole('button', { name: 'Bounce permanently' })
    await expect.poll(() => bounce.isDisabled()).toBe(true)
    expect(await bounce.getAttribute('title')).toBe('The mail is delivered already.')
    // As on a page that has not loaded the delivery yet.
    await bounce.evaluate((button) => button.removeAttribute('disabled'))
    await bounce.click()
    const section = panel(page).locator('section').filter({ hasText: 'ada@example.com' })
    await section.getByRole('alert').getByText('is delivered already').waitFor()
  })
})
