import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { browser } from './context.ts'
import { openPage, rowOf, submit } from './_setup.ts'

const isInbox = /\/dev\/inbox(?:[/?]|$)/
const answers = {
  500: (page: Page) => page.route(isInbox, (route) => route.fulfill({ status: 500, body: 'oops' })),
  503: (page: Page) =>
    page.route(isInbox, (route) =>
      route.fulfill({
        status: 503,
        json: { statusCode: 503, name: 'service_unavailable', message: 'The disk is full.' },
      }),
    ),
  none: (page: Page) => page.route(isInbox, (route) => route.abort()),
} as const

describe.each(Object.keys(answers) as (keyof typeof answers)[])('an inbox that answers: %s', (kind) => {
  it('says so in the list and in an open mail, each with a way back', async () => {
    const { post, page } = await openPage({}, false)
    const errors: string[] = []
    page.on('pageerror', ({ message }) => errors.push(message))
    const id = await submit(post, { subject: 'Still here', text: 'Hello' })
    await answers[kind](page)
    await page.goto(`${post.url}/#/mail/${id}`)
    const list = page.getByRole('navigation', { name: 'Mails' })
    const mail = page.getByRole('region', { name: 'Mail', exact: true })
    for (const pane of [list, mail]) {
      await pane.getByRole('alert').first().waitFor()
      if (kind === 503) await pane.getByText('The disk is full.').waitFor()
    }
    await page.unrouteAll()
    for (const pane of [list, mail]) {
      const again = pane.getByRole('button', { name: 'Try again' })
      // The connection of live events may have loaded it already.
      if (await again.isVisible()) await again.click()
      await expect.poll(() => again.count()).toBe(0)
    }
    await rowOf(page, 'Still here').waitFor()
    await page.getByRole('heading', { level: 1, name: 'Still here' }).waitFor()
    expect(errors).toEqual([])
  })
})

it('a list that is slow shows that it loads, and then its mails', async () => {
  const { post, page } = await openPage({}, false)
  await submit(post, { subject: 'Slow', text: 'Hello' })
  await page.route(isInbox, async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 1000))
    await route.continue()
  })
  await page.goto(post.url ?? '')
  await page.getByRole('list', { name: 'Loading' }).waitFor()
  await rowOf(page, 'Slow').waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
  await page.unrouteAll({ behavior: 'wait' })
})

it('what one tab changes, the other one shows: read, and a mail that is deleted while it is open', async () => {
  const { post, page } = await openPage({}, false)
  const first = await submit(post, { subject: 'The first', text: 'Hello' })
  await submit(post, { subject: 'The second', text: 'Hello' })
  await page.goto(`${post.url}/#/mail/${first}`)
  await page.getByRole('heading', { level: 1, name: 'The first' }).waitFor()
  const other = await browser.context.newPage()
  await other.goto(`${post.url}/#/mail/${first}`)
  await other.getByRole('heading', { level: 1, name: 'The first' }).waitFor()
  // A mail that a link opened is read. Both tabs change the same mail: the last change counts in both.
  for (const [tab, name] of [
    [page, 'Mark unread'],
    [other, 'Mark read'],
    [page, 'Mark unread'],
  ] as const) {
    await tab.getByRole('button', { name, exact: true }).click()
    const next = name === 'Mark read' ? 'Mark unread' : 'Mark read'
    for (const one of [page, other]) await one.getByRole('button', { name: next, exact: true }).waitFor()
  }
  await other.getByRole('button', { name: 'Delete this mail' }).click()
  await page.getByText('This mail is not there any more.').waitFor()
  await expect.poll(() => rowOf(page, 'The first').count()).toBe(0)
  // The other mail may still be unread.
  expect(await page.title()).toMatch(/^(?:\(1\) )?Localpost$/)
  // The other tab has opened the next mail, which is deleted here.
  await rowOf(page, 'The second').click()
  await page.getByRole('heading', { level: 1, name: 'The second' }).waitFor()
  await page.getByRole('button', { name: 'Delete this mail' }).click()
  await expect.poll(() => rowOf(other, 'The second').count()).toBe(0)
  for (const one of [page, other]) expect(await one.getByRole('alert').count()).toBe(0)
  await other.close()
})
