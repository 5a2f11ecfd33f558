import { describe, expect, it } from 'vitest'
import { frameOf, openPage, panel, rowOf, shownFrame, submit, tab } from './_setup.ts'

describe('a mail', () => {
  it('shows a mail as HTML in a frame without rights, as text, as source, and its events', async () => {
    const { post, page } = await openPage()
    await submit(post, {
      subject: 'Four sides',
      html: '<h1>The HTML side</h1>',
      text: 'The text side',
      envelope: { from: 'bounces@acme.test', to: ['grace@example.com', 'bounce@simulator.localpost'] },
    })
    await rowOf(page, 'Four sides').click()
    await page.getByRole('heading', { level: 1, name: 'Four sides' }).waitFor()
    await frameOf(page).getByRole('heading', { name: 'The HTML side' }).waitFor()
    expect(await page.locator(shownFrame).getAttribute('sandbox')).toBe('allow-same-origin')
    await page.getByRole('button', { name: 'Details' }).click()
    expect(await page.locator('article dl').first().innerText()).toContain(
      'bounces@acme.test → grace@example.com',
    )

    await page.locator('section.main').getByText('Delivered 1').waitFor()
    await page.locator('section.main').getByText('Bounced 1').waitFor()

    await tab(page, 'Text').click()
    await panel(page).getByText('The text side').waitFor()
    await tab(page, 'Source').click()
    await panel(page).getByText('Subject: Four sides').waitFor()
    await tab(page, 'Events').click()
    const headings = panel(page).getByRole('heading')
    await expect
      .poll(async () => (await headings.allInnerTexts()).slice(0, 2).join())
      .toMatch(/bounce@simulator\.localpost\s+Bounced,grace@example\.com\s+Delivered/)
  })

  it('links to its trace, if the page of one is known', async () => {
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
    const { post, page } = await openPage({ traceUrl: 'http://127.0.0.1:9/trace/{trace_id}' })
    const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` }
    await submit(post, { to: 'ada@example.com', subject: 'Traced', text: 'x', headers })
    await rowOf(page, 'Traced').click()
    await page.getByRole('button', { name: 'Details' }).click()
    const link = page.locator('article dl').first().getByRole('link', { name: traceId })
    expect(await link.getAttribute('href')).toBe(`http://127.0.0.1:9/trace/${traceId}`)
    expect(await link.getAttribute('rel')).toBe('noopener noreferrer')
  })

  it('says that its recipients are undisclosed where it has no To, and shows them as Bcc', async () => {
    const { post, page } = await openPage()
    await submit(post, {
      envelope: { from: 'hi@acme.test', to: ['ada@example.com'] },
      raw: 'From: hi@acme.test\r\nSubject: To nobody\r\n\r\nx\r\n',
    })
    await rowOf(page, 'To nobody').getByText('undisclosed recipients').waitFor()
    await rowOf(page, 'To nobody').click()
    await page.getByRole('button', { name: 'Details' }).click()
    const fields = page.locator('article dl').first()
    await fields.getByText('undisclosed recipients').waitFor()
    expect(await fields.innerText()).toMatch(/Bcc\s+ada@example\.com/)
  })

  it('marks a mail as read when it is opened, and not before', async () => {
    const { post, page } = await openPage()
    await submit(post, { subject: 'Opened by the page', text: 'x' })
    await panel(page).getByText('x', { exact: true }).waitFor()
    await submit(post, { subject: 'Unread so far', text: 'x' })
    const row = rowOf(page, 'Unread so far')
    await row.getByText('Unread.').waitFor({ state: 'attached' })
    await row.click()
    await row.getByText('Unread.').waitFor({ state: 'detached' })
    const [mail] = (await post.inbox.list()).items
    expect(mail?.unread).toBe(false)
  })

  it('stays unread when only the page opened it, and after it was marked so', async () => {
    const { post, page } = await openPage()
    await submit(post, { subject: 'Opened by the page', text: 'x' })
    await panel(page).getByText('x', { exact: true }).waitFor()
    await page.reload()
    await panel(page).getByText('x', { exact: true }).waitFor()
    expect((await post.inbox.list()).items[0]?.unread).toBe(true)
    await page.getByRole('button', { name: 'Mark read' }).click()
    await page.getByRole('button', { name: 'Mark unread' }).click()
    await expect.poll(async () => (await post.inbox.list()).items[0]?.unread).toBe(true)
    await page.reload()
    await panel(page).getByText('x', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Mark read' }).waitFor()
    expect((await post.inbox.list()).items[0]?.unread).toBe(true)
  })

  it('shows failures in front, and lists and filters the events of 1,000 recipients', async () => {
    const { post, page } = await openPage()
    const to = Array.from({ length: 998 }, (_, index) => `r${index}@example.com`)
    to.push('bounce@simulator.localpost', 'complaint@simulator.localpost')
    await submit(post, { subject: 'To all', envelope: { from: 'a@acme.test', to }, text: 'x' })
    await rowOf(page, 'To all').click()
    const failure = page.locator('article').getByText('bounce@simulator.localpost')
    await failure.first().waitFor()
    const line = 'Bounced: bounce@simulator.localpost 550 5.1.1 No such user caused by the simulator address'
    await page.getByText(line).first().waitFor()
    await page.getByRole('button', { name: /^Bounced 1/ }).click()
    const headings = panel(page).getByRole('heading')
    await panel(page).getByText('1 recipient', { exact: true }).waitFor()
    expect((await headings.allInnerTexts())[0]).toContain('bounce@simulator.localpost')
    // The key of the tab shows all of them.
    await page.keyboard.press('6')
    await panel(page).getByText('1,000 recipients', { exact: true }).waitFor()
    expect((await headings.allInnerTexts())[0]).toContain('bounce@simulator.localpost')
    await expect.poll(() => headings.count()).toBeLessThan(60)
    await page.getByRole('searchbox', { name: 'Filter by recipient' }).fill('r997@')
    await expect.poll(async () => (await headings.allInnerTexts())[0]).toContain('r997@example.com')
    await page.getByRole('searchbox', { name: 'Filter by recipient' }).fill('')
    await page.getByRole('combobox', { name: 'Filter by status' }).selectOption('complained')
    await panel(page).getByText('1 recipient', { exact: true }).waitFor()
  })

  it('offers attachments under their original name', async () => {
    const { post, page } = await openPage()
    const attachments = [{ filename: 'Rechnung für Ada.txt', content: 'Hello file' }]
    await submit(post, { subject: 'With a file', text: 'See the file', attachments })
    await rowOf(page, 'With a file').click()
    await tab(page, 'Attachments').click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download Rechnung für Ada.txt' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('Rechnung für Ada.txt')
  })

  it('shows why a mail failed, and no message tabs where no message was written', async () => {
    const { post, page } = await openPage()
    await post.emails.send({
      from: 'Acme <hello@acme.test>',
      to: 'ada@example.com',
      subject: 'Never written',
      text: 'x',
      attachments: [{ filename: 'a.pdf', path: 'http://127.0.0.1:1/none.pdf' }],
    })
    await rowOf(page, 'Never written').click()
    await page.locator('article').getByText('Failed: ada@example.com').waitFor()
    await page.locator('section.main').getByText('cannot be fetched').waitFor()
    await expect.poll(() => page.getByRole('link', { name: '.eml' }).count()).toBe(0)
    await tab(page, 'Source').click()
    await panel(page).getByText('was never written; see its events').waitFor()
  })

  it('opens a mail without a body at its source', async () => {
    const { post, page } = await openPage()
    await submit(post, { subject: 'No body' })
    await rowOf(page, 'No body').click()
    await panel(page).getByText('Subject: No body').waitFor()
    expect(await tab(page, 'Source').getAttribute('aria-selected')).toBe('true')
    await page.getByRole('button', { name: 'Share' }).click()
    await page.getByRole('link', { name: 'Save as .eml' }).waitFor()
  })

  it('shows the first of many recipients, and all on request', async () => {
    const { post, page } = await openPage()
    const to = Array.from({ length: 50 }, (_, index) => `r${index}@example.com`)
    await submit(post, { subject: 'To many', to, text: 'x' })
    await rowOf(page, 'To many').click()
    const fields = page.locator('article header')
    await page.getByRole('button', { name: '+46 more' }).click()
    expect(await fields.innerText()).toContain('r49@example.com')
    await page.getByRole('button', { name: 'Show fewer' }).click()
    expect(await fields.innerText()).not.toContain('r4@example.com')
  })

  it('shows one pane at a time on a phone, with a way back', async () => {
    const { post, page } = await openPage()
    await page.setViewportSize({ width: 390, height: 844 })
    await submit(post, { subject: `Small screen ${'very-long-word'.repeat(30)}`, text: 'Hello' })
    await rowOf(page, 'Small screen').click()
    await panel(page).getByText('Hello').waitFor()
    await expect.poll(() => rowOf(page, 'Small screen').isVisible()).toBe(false)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
    await page.getByRole('button', { name: 'Mails' }).click()
    await rowOf(page, 'Small screen').waitFor()
    await expect.poll(() => panel(page).isVisible()).toBe(false)
    await page.goBack()
    await panel(page).getByText('Hello').waitFor()
  })
})
