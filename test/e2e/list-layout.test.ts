import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { createClock } from '../../src/core/manual-clock.ts'
import type { Localpost } from '../../src/instance/instance.ts'
import { objections } from './_axe.ts'
import { chooseMore, openPage, rowOf, rowsOf, submit, topOf } from './_setup.ts'

const noon = new Date(2026, 10, 20, 12).getTime()
const day = 86_400_000

/** An instance with one mail on each of these days before {@link noon}, the oldest first. */
async function openDays(ages: readonly number[]): Promise<{ post: Localpost; page: Page }> {
  const clock = createClock({ now: noon - (ages[0] ?? 0) * day })
  const { post, page } = await openPage({ clock }, false)
  for (const [at, age] of ages.entries()) {
    await clock.advance(noon - age * day + at - clock.now())
    await submit(post, { subject: `Mail ${at}.`, to: 'ada@example.com', text: 'x' })
  }
  // Time goes on: Vue compares the times of events.
  await page.clock.setSystemTime(noon + day / 4)
  await page.goto(post.url ?? '')
  await rowOf(page, `Mail ${ages.length - 1}.`).waitFor()
  return { post, page }
}
const widthOf = async (page: Page): Promise<number> =>
  (await page.locator('section.side').boundingBox())?.width ?? 0

it('the edge between list and mail is moved by keys and by the pointer, within bounds, and is remembered', async () => {
  const { post, page } = await openPage()
  await submit(post, { subject: 'Hello', text: 'x' })
  const edge = page.getByRole('separator', { name: 'Width of the list' })
  await edge.waitFor()
  const usual = await widthOf(page)
  await edge.focus()
  await page.keyboard.press('ArrowRight')
  await expect.poll(() => widthOf(page)).toBe(usual + 16)
  expect(await edge.getAttribute('aria-valuenow')).toBe(String(usual + 16))
  await page.keyboard.press('Home')
  await expect.poll(() => widthOf(page)).toBe(256)
  await page.keyboard.press('End')
  await expect.poll(() => widthOf(page)).toBe(Number(await edge.getAttribute('aria-valuemax')))

  const { x = 0, y = 0 } = (await edge.boundingBox()) ?? {}
  await page.mouse.move(x + 4, y + 300)
  await page.mouse.down()
  await page.mouse.move(x - 100, y + 300, { steps: 3 })
  await page.mouse.up()
  const dragged = await widthOf(page)
  expect(dragged).toBeGreaterThan(300)
  await page.reload()
  await expect.poll(() => widthOf(page)).toBe(dragged)
  await edge.dblclick()
  await expect.poll(() => widthOf(page)).toBe(usual)

  // A phone shows one of both.
  await page.setViewportSize({ width: 390, height: 844 })
  await edge.waitFor({ state: 'hidden' })
  await page.setViewportSize({ width: 1280, height: 800 })
})

it('the list has the whole width while no mail is open, where a person chose that', async () => {
  const { post, page } = await openPage()
  await submit(post, { subject: 'Hello', text: 'x' })
  await page.getByRole('heading', { level: 1, name: 'Hello' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Use the whole width for the list' }).click()
  await expect.poll(() => widthOf(page)).toBeGreaterThan(1000)
  await rowOf(page, 'Hello').and(page.locator(':focus')).waitFor()
  await page.reload()
  await rowOf(page, 'Hello').click()
  await page.getByRole('heading', { level: 1, name: 'Hello' }).waitFor()
  expect(await widthOf(page)).toBeLessThan(500)
  await page.keyboard.press('Escape')
  await expect.poll(() => widthOf(page)).toBeGreaterThan(1000)
  await chooseMore(page, 'Keep room for a mail beside the list')
  await expect.poll(() => widthOf(page)).toBeLessThan(500)
})

it('the list has a heading for each day, which stays at the top, and no row moves when older ones are loaded', async () => {
  const ages = [400, 12, 12, ...Array.from({ length: 70 }, () => 5), 1, 0, 0]
  const { post, page } = await openDays(ages)
  const list = page.getByRole('navigation', { name: 'Mails' })
  await list.getByRole('heading', { level: 2, name: 'Today' }).waitFor()
  await list.getByRole('heading', { level: 2, name: 'Yesterday' }).waitFor()
  await list.getByRole('heading', { level: 2, name: 'Sunday' }).waitFor()
  // Under its heading a mail has the time of day.
  await rowOf(page, 'Mail 72.').getByText('12:00').waitFor()
  expect(await objections(page)).toEqual([])

  const box = page.locator('nav .box')
  await box.evaluate((element) => element.scrollTo(0, 1500))
  await expect.poll(() => page.locator('.stuck').innerText()).toBe('Sunday')
  await box.evaluate((element) => element.scrollTo(0, element.scrollHeight))
  await rowOf(page, 'Mail 0.').waitFor()
  await list.getByRole('heading', { name: '16 October 2025' }).waitFor()
  await list.getByRole('heading', { name: 'Sunday 8 November' }).waitFor()
  const top = await topOf(rowOf(page, 'Mail 1.'))
  await submit(post, { subject: 'Arrives above', text: 'x' })
  await page.getByRole('button', { name: '1 new' }).waitFor()
  expect(Math.abs((await topOf(rowOf(page, 'Mail 1.'))) - top)).toBeLessThan(2)

  // The keyboard brings each row below the heading.
  await rowOf(page, 'Mail 0.').focus()
  for (let step = 0; step < 12; step++) await page.keyboard.press('ArrowUp')
  const stuck = await page.locator('.stuck .day').boundingBox()
  const focused = await page.evaluate(() => document.activeElement?.getBoundingClientRect().top ?? 0)
  expect(focused).toBeGreaterThanOrEqual((stuck?.y ?? 0) + (stuck?.height ?? 0) - 1)
})

it('a row counts the tags that have no room', async () => {
  const { post, page } = await openPage()
  const id = await submit(post, { subject: 'Tagged', text: 'x' })
  await rowOf(page, 'Tagged').waitFor()
  const more = rowOf(page, 'Tagged').locator('.more')
  for (const [tags, words] of [
    [['a', 'b'], null],
    [['a', 'b', 'c', 'd'], '+2 more tags'],
    [Array.from({ length: 50 }, (_, at) => `tag-${at}`), '+48 more tags'],
    // Each is too wide to stand beside the other.
    [['w'.repeat(90), 'v'.repeat(90)], null],
  ] as const) {
    await post.inbox.update(id, { tags: [...tags] })
    if (words === null) await expect.poll(() => more.count()).toBe(0)
    else await expect.poll(() => more.textContent()).toBe(words)
  }
  await page.setViewportSize({ width: 320, height: 700 })
  await page.keyboard.press('Escape')
  await expect.poll(() => more.textContent()).toBe('+1 more tag')
  await page.setViewportSize({ width: 1280, height: 800 })
})

it('a row that has room for no tag counts all of them, and names them to who hears it', async () => {
  const { post, page } = await openPage()
  await page.setViewportSize({ width: 320, height: 700 })
  const { id } = await post.emails.send({
    from: 'a@acme.test',
    to: ['bounce@simulator.localpost', 'ada@example.com', 'complaint@simulator.localpost'],
    subject: 'Hello {{first_name_of_the_customer}}',
    text: 'x',
  })
  await post.inbox.waitFor('status:bounced')
  await post.inbox.update(id, { tags: ['orders-of-today', 'backup-of-orders'] })
  const row = rowOf(page, 'Hello')
  await expect
    .poll(() => row.locator('.more').textContent())
    .toBe('2 tags: orders-of-today, backup-of-orders')
  // The outcome takes the place of the other problem, for the eye alone.
  const placeholder = row.getByText('Placeholder', { exact: false })
  expect((await placeholder.first().boundingBox())?.width).toBeLessThanOrEqual(1)
  expect(await row.ariaSnapshot()).toContain('is not filled in')
})

it('the mails of a conversation are one row, where that is switched on', async () => {
  const { post, page } = await openPage()
  const mails = [
    ['Ada <ada@acme.test>', 'bob@acme.test', 'My order'],
    ['Shop <shop@acme.test>', 'ada@acme.test', 'Your code'],
    ['bob@acme.test', 'ada@acme.test', 'Re: My order'],
    ['Shop <shop@acme.test>', 'ada@acme.test', 'Your code'],
    ['ada@acme.test', 'bob@acme.test', 'AW: Re: my order'],
    // Of other people.
    ['eve@acme.test', 'bob@acme.test', 'Re: My order'],
  ] as const
  for (const [from, to, subject] of mails) await submit(post, { from, to, subject, text: 'x' })
  await expect.poll(() => rowsOf(page).count()).toBe(6)
  await chooseMore(page, 'Group conversations')
  await expect.poll(() => rowsOf(page).count()).toBe(4)
  const row = rowOf(page, 'AW: Re: my order')
  await row.getByText('3 mails of a conversation').waitFor()
  await row.getByText('3 unread', { exact: true }).waitFor()
  await row.getByText('bob@acme.test +1').waitFor()
  expect(await rowsOf(page).first().getAttribute('aria-setsize')).toBe('4')
  await row.click()
  await page.getByText('Conversation: My order').waitFor()
  await expect.poll(() => rowsOf(page).count()).toBe(3)
  expect(await rowOf(page, 'eve@acme.test').count()).toBe(0)
  await page.getByRole('button', { name: 'All mail' }).click()
  await rowOf(page, 'Your code').first().waitFor()
  await expect.poll(() => page.url()).not.toContain('query=')
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent ?? '')).toContain('AW: Re')
  await page.reload()
  await rowOf(page, 'AW: Re').waitFor()
  await expect.poll(() => rowsOf(page).count()).toBe(4)
  await chooseMore(page, 'Show each mail of a conversation')
  await expect.poll(() => rowsOf(page).count()).toBe(6)
})

it('before all mail is deleted, the page offers what else there is', async () => {
  const { post, page } = await openPage()
  await post.domains.create({ name: 'created.test' })
  await submit(post, { from: 'a@met.test', subject: 'Hello', text: 'x' })
  await rowOf(page, 'Hello').waitFor()
  const domains = async (): Promise<string[]> => (await post.domains.list()).items.map(({ name }) => name)
  await expect.poll(domains).toContain('met.test')
  await page.getByRole('button', { name: 'Delete all…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete all 1 mail?' })
  await dialog.getByLabel('Domains only seen in mail').check()
  await dialog.getByLabel('Requests and SMTP sessions').check()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('Ready for the first mail').waitFor()
  await expect.poll(domains).toEqual(['created.test'])
  const sessions = await fetch(`${post.url}/dev/smtp-sessions`)
  expect(await sessions.json()).toMatchObject({ count: 0 })
})

it('words without a space and hundreds of tags fit in a window of 320 pixels', async () => {
  const { post, page } = await openPage({}, false)
  const long = 'x'.repeat(2000)
  const id = await submit(post, {
    from: { name: long, address: 'a@acme.test' },
    to: { name: long, address: 'b@acme.test' },
    subject: long,
    text: long,
    html: `<p>${long}</p>`,
  })
  await post.inbox.update(id, { tags: Array.from({ length: 50 }, (_, at) => `${'t'.repeat(90)}${at}`) })
  await page.setViewportSize({ width: 320, height: 700 })
  for (const hash of ['', `#/mail/${id}`]) {
    await page.goto(`${post.url}/${hash}`)
    await page.getByText(/xxx/).filter({ visible: true }).first().waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Find a command' }).fill('xxxx')
    await page.getByRole('option', { name: /^Open/ }).waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth), hash).toBe(320)
    await page.keyboard.press('Escape')
  }
  await page.goto(`${post.url}/?query=to%3A${'y'.repeat(300)}#/`)
  await page.getByText('Why is there no mail to').waitFor()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
  await page.setViewportSize({ width: 1280, height: 800 })
})
