import { expect, it } from 'vitest'
import { mailTabs } from '../../ui/views/inbox/tabs.ts'
import { openPage, panel, rowOf, submit, tab } from './_setup.ts'

const long = `Action required: ${'the ledger of the month could not be reconciled, '.repeat(7)}so please answer`

it('a long subject takes a few lines in the mail and in dialogs, and is shown in full on request', async () => {
  const { post, page } = await openPage()
  await page.setViewportSize({ width: 390, height: 844 })
  await submit(post, { subject: long, text: 'Hello' })
  await rowOf(page, 'Action required').click()
  const heading = page.getByRole('heading', { level: 1 })
  const lines = (): Promise<number> =>
    heading.evaluate((one) =>
      Math.round(one.clientHeight / Number.parseFloat(getComputedStyle(one).lineHeight)),
    )
  await page.getByRole('button', { name: 'Show the whole subject' }).waitFor()
  expect(await lines()).toBe(3)
  await page.getByRole('button', { name: 'Show the whole subject' }).click()
  await expect.poll(lines).toBeGreaterThan(8)
  await page.getByRole('button', { name: 'Show less' }).click()
  await expect.poll(lines).toBe(3)
  await page.getByRole('button', { name: 'Share' }).click()
  await page.getByRole('button', { name: 'Release to a real address' }).click()
  const named = page.getByRole('dialog').getByText('Action required')
  expect((await named.boundingBox())?.height).toBeLessThan(60)
})

it('a short subject has no button to expand it', async () => {
  const { post, page } = await openPage()
  await submit(post, { subject: 'Short', text: 'Hello' })
  await panel(page).getByText('Hello').waitFor()
  await expect.poll(() => page.getByRole('button', { name: 'Show the whole subject' }).count()).toBe(0)
})

it('every tab is in sight at every width', async () => {
  const { post, page } = await openPage()
  await submit(post, { subject: 'Many tabs', text: 'Hello', html: '<p>Hello</p>' })
  await rowOf(page, 'Many tabs').click()
  const tabs = page.getByRole('tablist').getByRole('tab')
  await tabs.nth(4).waitFor()
  for (const width of [390, 768, 1024, 1280]) {
    await page.setViewportSize({ width, height: 844 })
    for (const one of await tabs.all()) {
      const box = await one.boundingBox()
      expect(box?.x, `${width}`).toBeGreaterThanOrEqual(0)
      expect((box?.x ?? 0) + (box?.width ?? width), `${width}`).toBeLessThanOrEqual(width)
    }
  }
})

/** The parts of a mail that are not loaded with the page. */
const later = /\/later-[^/]*\.(?:js|css)$/

it('an open mail keeps its tabs after Localpost stopped', async () => {
  const { post, page } = await openPage({}, false)
  await submit(post, { subject: 'Left alone', text: 'Hello', headers: { 'X-Order': '4711' } })
  const [mail] = (await post.inbox.list()).items
  const ahead = page.waitForResponse(/\/later-[^/]*\.js$/)
  await page.goto(`${post.url}/#/mail/${mail?.id}`)
  await (await ahead).finished()
  // Also where it was stopped in the middle of an answer: the mail is requested again, and does not arrive.
  await page.route(`**/dev/inbox/${mail?.id}`, (route) => route.abort())
  const asked = page.waitForRequest(`**/dev/inbox/${mail?.id}`)
  await post.inbox.update(mail?.id ?? '', { tags: ['changed'] })
  await asked
  await post.close()
  await page.getByText('Disconnected, retrying…').waitFor()
  await tab(page, 'Headers').click()
  await panel(page).getByText('4711').waitFor()
})

it('a tab whose files do not load says so, and loads when it is opened again', async () => {
  const { post, page } = await openPage({}, false)
  await page.route(later, (route) => route.abort())
  await submit(post, { subject: 'Built anew', text: 'Hello', headers: { 'X-Order': '4711' } })
  await page.goto(post.url ?? '')
  await tab(page, 'Headers').click()
  await panel(page).getByRole('alert').getByText('could not be loaded').waitFor()
  await page.unroute(later)
  await tab(page, 'Text').click()
  await tab(page, 'Headers').click()
  await panel(page).getByText('4711').waitFor()
})

it('the sheet of shortcuts lists every key, also those that have no effect at the moment', async () => {
  const { page } = await openPage()
  const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await page.getByRole('heading', { name: 'Ready for the first mail' }).waitFor()
  await page.keyboard.press('?')
  for (const words of ['Next mail', 'Add a tag', ...mailTabs.map((one) => `Show ${one}`)])
    await sheet.getByText(`${words} (not at the moment)`, { exact: true }).waitFor()
  await sheet.getByText('Search mails', { exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await sheet.waitFor({ state: 'detached' })
  await page.keyboard.press('g')
  await page.keyboard.press('d')
  await page.getByRole('heading', { name: 'Domains' }).first().waitFor()
  await page.keyboard.press('?')
  await sheet.getByText('Search mails (not at the moment)').waitFor()
})

it('a selection is deleted by its key while no mail is open', async () => {
  const { post, page } = await openPage()
  await page.setViewportSize({ width: 390, height: 844 })
  await submit(post, { subject: 'Picked', text: 'x' })
  await rowOf(page, 'Picked').waitFor()
  await page.keyboard.press('x')
  await page.getByText('1 selected').waitFor()
  await page.keyboard.press('#')
  await page.getByText('1 mail deleted').waitFor()
})

it('a source that loads slowly has a loading indicator', async () => {
  const { post, page } = await openPage()
  await submit(post, { subject: 'Slow', text: 'Hello' })
  await panel(page).getByText('Hello').waitFor()
  let answer = (): void => undefined
  const answered = new Promise<void>((resolve) => (answer = resolve))
  await page.route('**/raw*', async (route) => {
    await answered
    await route.continue()
  })
  await tab(page, 'Source').click()
  await panel(page).getByText('Loading…').waitFor()
  answer()
  await panel(page).getByText('Subject:').waitFor()
})
