import type { Locator } from 'playwright-core'
import { describe, expect, it, vi } from 'vitest'
import { openPage, rowOf, rowsOf, sender, shownFrame, submit } from './_setup.ts'

/** The position of an element, rounded to whole pixels. */
async function placeOf(what: Locator): Promise<{ left: number; top: number; right: number; bottom: number }> {
  const { x, y, width, height } = (await what.boundingBox()) ?? { x: NaN, y: NaN, width: NaN, height: NaN }
  const [left, top, right, bottom] = [x, y, x + width, y + height].map(Math.round)
  return { left: left ?? NaN, top: top ?? NaN, right: right ?? NaN, bottom: bottom ?? NaN }
}

describe('on a phone', () => {
  const phone = { width: 390, height: 844 }

  it('no button moves when the connection is lost', async () => {
    const { post, page } = await openPage()
    await page.setViewportSize(phone)
    await submit(post, { subject: 'Hello' })
    await rowOf(page, 'Hello').waitFor()
    const theme = page.getByRole('button', { name: /^Theme/ })
    const button = await placeOf(theme)
    await post.close()
    await page.getByText('Disconnected').waitFor()
    expect(await placeOf(theme)).toEqual(button)
  })

  it('the error of an action is shown next to the open mail', async () => {
    const { post, page } = await openPage()
    await page.setViewportSize(phone)
    await submit(post, { subject: 'Hello', text: 'Hello' })
    await rowOf(page, 'Hello').click()
    const button = page.getByRole('button', { name: 'Mark unread' })
    await button.waitFor()
    await page.route('**/dev/inbox/*', (route) => route.abort())
    await button.click()
    await page.getByRole('alert').getByText('Localpost does not answer.').waitFor()
  })

  it('the keys of the sheet are above or below each other, never side by side', async () => {
    const { page } = await openPage()
    await page.setViewportSize(phone)
    await page.getByRole('heading', { name: 'Ready for the first mail' }).waitFor()
    await page.keyboard.press('?')
    const keys = page.getByRole('region', { name: 'Shortcuts' })
    await keys.getByText('All commands').scrollIntoViewIfNeeded()
    expect(await keys.evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0)
  })

  it('a webhook has its button next to its URL, and its events below both', async () => {
    const { post, page } = await openPage({}, false)
    const events = ['email.bounced', 'email.complained', 'email.opened', 'email.clicked'] as const
    await post.webhooks.create({ url: `http://127.0.0.1:9/${'long/'.repeat(12)}`, events: [...events] })
    await page.setViewportSize(phone)
    await page.goto(`${post.url}/#/webhooks`)
    const webhook = page.getByRole('list', { name: 'Webhooks' })
    const button = await placeOf(webhook.getByRole('button', { name: /^Remove/ }))
    const url = await placeOf(webhook.locator('strong'))
    expect(button.left).toBeGreaterThanOrEqual(url.right)
    expect(Math.abs(button.top - url.top)).toBeLessThan(8)
    for (const event of events) {
      const { top } = await placeOf(webhook.getByText(event, { exact: true }))
      expect(top, event).toBeGreaterThanOrEqual(Math.max(url.bottom, button.bottom))
    }
  })
})

it('a text is a stop of Tab where it scrolls, and only there', async () => {
  const { post, page } = await openPage({}, false)
  for (const length of [150, 1800])
    await post.webhooks.create({ url: `http://127.0.0.1:9/${'a'.repeat(length)}` })
  await page.goto(`${post.url}/#/webhooks`)
  const urls = page.getByRole('list', { name: 'Webhooks' }).locator('strong')
  await expect
    .poll(() => urls.evaluateAll((all) => all.map(({ tabIndex }) => tabIndex).toSorted()))
    .toEqual([-1, 0])
  await page.getByRole('group', { name: 'URL, longer than its place' }).waitFor()
  // The width decides.
  await page.setViewportSize({ width: 320, height: 800 })
  await post.webhooks.create({ url: `http://127.0.0.1:9/${'b'.repeat(450)}` })
  const one = urls.filter({ hasText: 'bbb' })
  await expect.poll(() => one.evaluate(({ tabIndex }) => tabIndex)).toBe(0)
  await page.setViewportSize({ width: 1280, height: 800 })
  await expect.poll(() => one.evaluate(({ tabIndex }) => tabIndex)).toBe(-1)
})

it('tags fit one line of their row, however long', async () => {
  const { post, page } = await openPage()
  await post.emails.send({
    from: 'a@acme.test',
    to: 'bounce@simulator.localpost',
    subject: 'Tagged',
    text: 'x',
  })
  await post.inbox.waitFor('status:bounced')
  const [mail] = (await post.inbox.list()).items
  await post.inbox.update(mail?.id ?? '', { tags: ['a-rather-long-tag', 'of several-words and more'] })
  const row = rowOf(page, 'Tagged')
  const tags = row.locator('.chip')
  await expect.poll(() => tags.count()).toBe(2)
  // The row may move while the page takes its first mail.
  await vi.waitFor(
    async () => {
      const status = await placeOf(row.getByText('Bounced'))
      for (const tag of await tags.all()) {
        const { top, bottom } = await placeOf(tag)
        expect(bottom - top).toBeLessThan(24)
        expect(Math.abs(top + bottom - status.top - status.bottom)).toBeLessThan(8)
      }
    },
    { timeout: 10_000 },
  )
})

it('direction overrides are shown as text in subjects and names', async () => {
  const { post, page } = await openPage()
  await submit(post, {
    from: { name: '\u202Emoc.knab', address: 'evil@phish.test' },
    subject: 'Invoice \u202Efdp.exe',
    text: 'Hello',
  })
  const row = rowOf(page, 'Invoice [U+202E]fdp.exe')
  await row.getByText('[U+202E]moc.knab').waitFor()
  await row.click()
  await page.getByRole('heading', { name: 'Invoice [U+202E]fdp.exe' }).waitFor()
  await page.getByRole('region', { name: 'Mail', exact: true }).getByText('[U+202E]moc.knab').waitFor()
  expect(await page.title()).toMatch(/^(?:\(1\) )?Invoice \[U\+202E\]fdp\.exe · Localpost$/)
  await expect.poll(() => rowsOf(page).count()).toBe(1)
})

it('the name of a contacts file disappears after the import', async () => {
  const { post, page } = await openPage({}, false)
  const { id } = await post.audiences.create({ name: 'Newsletter' })
  await page.goto(`${post.url}/#/audiences/${id}`)
  const file = page.getByLabel('A CSV file')
  const csv = { name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from('email\nada@example.com') }
  await file.setInputFiles(csv)
  await expect.poll(() => page.getByLabel('Import as CSV').inputValue()).toContain('ada@example.com')
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByRole('button', { name: 'Import 1 row' }).click()
  await page.getByText('1 new contact').waitFor()
  expect(await file.inputValue()).toBe('')
  // The same file can be chosen again.
  await file.setInputFiles(csv)
  await expect.poll(() => page.getByLabel('Import as CSV').inputValue()).toContain('ada@example.com')
})

describe('an unsaved draft', () => {
  it('of a broadcast is kept until it is sent', async () => {
    const { post, page } = await openPage({}, false)
    const { id } = await post.audiences.create({ name: 'Newsletter' })
    await post.audiences.contacts.import(id, [{ email: 'ada@example.com' }])
    const open = async (): Promise<void> => {
      await page.goto(`${post.url}/#/audiences/${id}`)
      await page.getByRole('tab', { name: 'Broadcast' }).click()
    }
    const subject = page.getByLabel('Subject')
    await open()
    await page.getByLabel('From').fill(sender)
    await subject.fill('News')
    await page.getByLabel('Text').fill('Hello')
    await page.getByText('Not sent yet; kept while this tab is open.').waitFor()
    await page.goto(`${post.url}/#/domains`)
    await page.getByRole('heading', { level: 1, name: 'Domains' }).waitFor()
    await open()
    expect(await subject.inputValue()).toBe('News')
    await page.reload()
    await open()
    expect(await subject.inputValue()).toBe('News')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText('Sent to 1 contact.').waitFor()
    await page.reload()
    await open()
    expect(await subject.inputValue()).toBe('')
  })

  it('of the faults is kept until they are switched on or discarded', async () => {
    const { post, page } = await openPage({}, false)
    await post.faults.set({ http: [{ path: '/v1/emails', status: 503 }] })
    await page.goto(`${post.url}/#/rules`)
    const json = page.getByLabel('Faults as JSON')
    await page.getByRole('tab', { name: 'JSON' }).click()
    await expect.poll(() => json.inputValue()).toContain('503')
    await json.fill('{ "http": [')
    await page.getByText('Not on yet; kept while this tab is open.').waitFor()
    await page.goto(`${post.url}/#/domains`)
    await page.getByRole('heading', { level: 1, name: 'Domains' }).waitFor()
    await page.goto(`${post.url}/#/rules`)
    await expect.poll(() => json.inputValue()).toBe('{ "http": [')
    await page.reload()
    await expect.poll(() => json.inputValue()).toBe('{ "http": [')
    await page.getByRole('button', { name: 'Discard changes' }).click()
    expect(await json.inputValue()).toContain('503')
    await page.reload()
    await page.getByRole('tab', { name: 'JSON' }).click()
    await expect.poll(() => json.inputValue()).toContain('503')
  })
})

it('a switch that was just turned on looks so under the pointer', async () => {
  const { post, page } = await openPage()
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await submit(post, { subject: 'Hello' })
  const button = page.getByRole('button', { name: 'Select', exact: true })
  const ground = (): Promise<string> => button.evaluate((one) => getComputedStyle(one).backgroundColor)
  await button.click()
  await page.mouse.move(1000, 600)
  await expect.poll(() => button.evaluate((one) => one.matches(':hover'))).toBe(false)
  const room = page.getByRole('link', { name: /^Inbox/ })
  const on = await room.evaluate((one) => getComputedStyle(one).backgroundColor)
  await expect.poll(ground).toBe(on)
  await button.hover()
  await expect.poll(() => button.evaluate((one) => one.matches(':hover'))).toBe(true)
  await expect.poll(ground).toBe(on)
})

it('the menu of the list aligns with its button, and does not cover the mail', async () => {
  const { post, page } = await openPage()
  await submit(post, { subject: 'Hello' })
  const button = page.getByRole('button', { name: 'More about the list' })
  await button.click()
  const menu = page.getByRole('group', { name: 'More about the list' })
  await expect.poll(async () => (await placeOf(menu)).right).toBe((await placeOf(button)).right)
})

it('the words of the menu Share begin at one edge', async () => {
  const { post, page } = await openPage()
  await submit(post, { subject: 'Hello', text: 'Hello' })
  await rowOf(page, 'Hello').click()
  await page.getByRole('button', { name: 'Share' }).click()
  const edges = await page.getByRole('group', { name: 'Share' }).evaluate((menu) =>
    [...menu.querySelectorAll(':is(a, button)')].map((item) => {
      const range = document.createRange()
      range.selectNodeContents(item.querySelector('span[aria-hidden]') ?? item)
      return Math.round(range.getBoundingClientRect().left)
    }),
  )
  expect(edges.length).toBeGreaterThan(3)
  expect(new Set(edges).size).toBe(1)
})

it('a mail has a dark background to its edges where it supports dark mode, and a white one where it does not', async () => {
  const { post, page } = await openPage()
  const body = '<body style="margin:0"><p>Look</p>'
  await submit(post, { subject: 'White', html: body })
  await submit(post, { subject: 'Knows', html: `<meta name="color-scheme" content="light dark">${body}` })
  const groundOf = async (): Promise<number> => {
    const shot = await page.locator(shownFrame).screenshot({ type: 'png' })
    return page.evaluate(lightnessInCorner, shot.toString('base64'))
  }
  await rowOf(page, 'Knows').click()
  await page.getByRole('button', { name: 'View as' }).click()
  await page.getByRole('radio', { name: 'Dark', exact: true }).check()
  await page.keyboard.press('Escape')
  await expect.poll(groundOf).toBeLessThan(40)
  await rowOf(page, 'White').click()
  await expect.poll(groundOf).toBe(255)
})

it('faults that could not be loaded are shown as neither on nor off, and can be loaded again', async () => {
  const { post, page } = await openPage({}, false)
  await page.route('**/dev/faults', (route) => route.abort())
  await page.goto(`${post.url}/#/rules`)
  const faults = page.getByRole('region', { name: 'Faults' })
  await faults.getByRole('alert').waitFor()
  await expect.poll(() => faults.getByText(/^O(?:n|ff)$/).count()).toBe(0)
  await expect.poll(() => faults.getByLabel('Faults as JSON').count()).toBe(0)
  await page.unroute('**/dev/faults')
  await faults.getByRole('button', { name: 'Try again' }).click()
  await faults.getByText('Off', { exact: true }).waitFor()
  await expect.poll(() => faults.getByRole('alert').count()).toBe(0)
})

/** The lightness of a picture at its lower right corner, from 0 to 255. */
async function lightnessInCorner(png: string): Promise<number> {
  const picture = new Image()
  picture.src = `data:image/png;base64,${png}`
  await picture.decode()
  const canvas = new OffscreenCanvas(1, 1)
  const context = canvas.getContext('2d')
  context?.drawImage(picture, 1 - picture.width + 8, 1 - picture.height + 8)
  return context?.getImageData(0, 0, 1, 1).data[0] ?? NaN
}
