import type { Locator, Page } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Localpost } from '../../src/instance/instance.ts'
import { movableClock } from '../support/clock.ts'
import { startListening } from '../support/instance.ts'
import { frameOf, openPage, panel, rowOf, rowsOf, searchField, shownFrame, submit, tab } from './_setup.ts'
import { handsOn, type Hands } from './_hands.ts'
import { browser } from './context.ts'

type Way = 'mouse' | 'keyboard'

interface Place {
  page: Page
  post: Localpost
  /** The server that takes released mails. */
  real: Localpost
  hands: Hands
}

interface Task {
  name: string
  /** The subject of the mail that is open in the beginning. */
  subject: string
  limit: number
  mouse(place: Place): Promise<void>
  keyboard(place: Place): Promise<void>
  /** Waits until the page or the instance shows that the task is done. */
  done(place: Place): Promise<void>
}

const code = '482913'
const day = 24 * 60 * 60_000
const files: readonly { filename: string; content: string }[] = [
  { filename: 'terms.txt', content: 'Our terms' },
  { filename: 'invoice.pdf', content: '%PDF-1.7' },
]
const button = (page: Page, name: string): Locator => page.getByRole('button', { name, exact: true })

const tasks: readonly Task[] = [
  {
    name: 'open the verification link',
    subject: 'Verify your address',
    limit: 2,
    // The first link of the mail is that of the logo.
    mouse: ({ page, hands }) => opensVerification(() => hands.click(frameOf(page).getByText('Verify me'))),
    keyboard: ({ hands }) => opensVerification(() => hands.press('l', '2')),
    done: async () => undefined,
  },
  {
    name: 'copy the code',
    subject: 'Verify your address',
    limit: 2,
    mouse: ({ page, hands }) => hands.click(button(page, 'Copy the code')),
    keyboard: ({ hands }) => hands.press('y'),
    done: ({ page }) => expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(code),
  },
  {
    name: 'see why it bounced',
    subject: 'Payment reminder',
    limit: 0,
    mouse: async () => undefined,
    keyboard: async () => undefined,
    async done({ page }) {
      const reason = page.getByRole('status').filter({ hasText: 'bounce@simulator.localpost' })
      await reason.getByText(/550 5\.1\.1/).waitFor()
      await expect.poll(() => isInSight(reason)).toBe(true)
    },
  },
  {
    name: 'see it at the width of a phone',
    subject: 'Verify your address',
    limit: 2,
    // Beside seven tabs there is room for the menu only.
    async mouse({ page, hands }) {
      await hands.click(button(page, 'View as'))
      await hands.click(page.getByRole('radio', { name: '375' }))
    },
    keyboard: ({ hands }) => hands.press('w', 'w'),
    done: ({ page }) =>
      expect.poll(() => page.locator(shownFrame).evaluate((frame) => frame.clientWidth)).toBe(375),
  },
  {
    name: 'see the decoded HTML',
    subject: 'Verify your address',
    limit: 2,
    async mouse({ page, hands }) {
      await hands.click(tab(page, 'Source'))
      await hands.click(panel(page).getByRole('radio', { name: 'HTML' }))
    },
    keyboard: ({ hands }) => hands.press('3', '3'),
    done: ({ page }) => panel(page).getByText('grüner Knopf').first().waitFor(),
  },
  {
    name: 'get an attachment',
    subject: 'Verify your address',
    limit: 2,
    mouse: ({ page, hands }) =>
      getsInvoice(page, () => hands.click(page.getByRole('link', { name: 'Download invoice.pdf' }))),
    keyboard: ({ page, hands }) => getsInvoice(page, () => hands.press('a', '2')),
    done: async () => undefined,
  },
  {
    name: 'see who clicked',
    subject: 'News of autumn',
    limit: 1,
    mouse: ({ page, hands }) => hands.click(button(page, 'Clicked 2')),
    keyboard: ({ hands }) => hands.press('6'),
    async done({ page }) {
      for (const name of clickers) {
        const heading = panel(page).getByRole('heading', { name })
        await heading.getByText('Clicked').waitFor()
        await expect.poll(() => isInSight(heading)).toBe(true)
      }
    },
  },
  {
    name: 'find a mail by recipient and date',
    subject: 'News of autumn',
    limit: 2,
    async mouse({ page, hands }) {
      await hands.click(searchField(page))
      await hands.type(search)
    },
    async keyboard({ hands }) {
      await hands.press('/')
      await hands.type(search)
    },
    async done({ page }) {
      await page.getByText('1 match', { exact: true }).waitFor()
      await rowOf(page, 'Long ago').waitFor()
    },
  },
  {
    name: 'release to two people',
    subject: 'Verify your address',
    limit: 3,
    async mouse({ page, hands }) {
      await hands.click(button(page, 'Release to a real address'))
      await expect.poll(() => isFocused(page.getByRole('dialog').getByRole('textbox'))).toBe(true)
      await hands.type(people.join(', '))
      await hands.click(page.getByRole('dialog').getByRole('button', { name: 'Send' }))
    },
    async keyboard({ page, hands }) {
      await hands.press('r')
      await expect.poll(() => isFocused(page.getByRole('dialog').getByRole('textbox'))).toBe(true)
      await hands.type(people.join(', '))
      await hands.press('Enter')
    },
    done: ({ real }) =>
      expect
        .poll(async () => {
          const { items } = await real.inbox.list()
          const mails = await Promise.all(items.map(({ id }) => real.inbox.get(id)))
          return mails.flatMap(({ envelope }) => envelope.rcpt_to).sort()
        })
        .toEqual(people),
  },
  {
    name: 'filter by a tag',
    subject: 'Payment reminder',
    limit: 1,
    mouse: ({ page, hands }) =>
      hands.click(page.getByRole('group', { name: 'Filters' }).getByRole('button', { name: 'Tag: billing' })),
    keyboard: ({ hands }) => hands.press('T'),
    async done({ page }) {
      await page.getByText('1 match', { exact: true }).waitFor()
      await rowOf(page, 'Payment reminder').waitFor()
    },
  },
  {
    name: 'mark it unread',
    subject: 'News of autumn',
    limit: 1,
    mouse: ({ page, hands }) => hands.click(button(page, 'Mark unread')),
    keyboard: ({ hands }) => hands.press('u'),
    done: ({ post }) =>
      expect
        .poll(async () => (await post.inbox.list({ query: 'is:unread' })).items.map(({ subject }) => subject))
        .toEqual(['News of autumn']),
  },
  {
    name: 'delete all mails',
    subject: 'Verify your address',
    limit: 2,
    async mouse({ page, hands }) {
      await hands.click(button(page, 'Delete all…'))
      await hands.click(page.getByRole('dialog').getByRole('button', { name: 'Delete' }))
    },
    async keyboard({ page, hands }) {
      await hands.press('D')
      await page.getByRole('dialog').waitFor()
      await hands.press('y')
    },
    async done({ page, post }) {
      await expect.poll(() => rowsOf(page).count()).toBe(0)
      await expect.poll(async () => (await post.inbox.list()).count).toBe(0)
    },
  },
]

const people = ['ann@real.example', 'bob@real.example']
const clickers = ['reader.7@example.com', 'reader.11@example.com']
const search = 'to:ada@example.com before:10d'

describe.each(['mouse', 'keyboard'] as const)('with the %s', (way) => {
  it('twelve usual tasks take few clicks or keys', async () => {
    const place = await open()
    await browser.context.grantPermissions(['clipboard-read', 'clipboard-write'])
    onTestFinished(() => browser.context.clearPermissions())
    const counts: string[] = []
    for (const task of tasks) counts.push(await countOf(task, way, place))
    expect(counts.length).toBe(12)
    process.stdout.write(`\n${way}\n${counts.join('\n')}\n`)
  })
})

/** Does a task in a page that was just loaded, and returns its line of the table. */
async function countOf(task: Task, way: Way, { post, real, page }: Place): Promise<string> {
  const [mail] = (await post.inbox.list({ query: `subject:"${task.subject}"` })).items
  await post.inbox.updateMatching(null, { unread: false })
  await page.goto('about:blank')
  await page.goto(`${post.url}/#/mail/${mail?.id}`)
  await page.getByRole('heading', { level: 1, name: task.subject }).waitFor()
  await rowOf(page, task.subject).waitFor()
  await page.getByText('Live', { exact: true }).waitFor()
  const place = { page, post, real, hands: handsOn(page) }
  await task[way](place)
  await task.done(place)
  await page.evaluate(() => localStorage.clear())
  const { count } = place.hands
  expect(count, task.name).toBeLessThanOrEqual(task.limit)
  return `  ${task.name.padEnd(34)} ${count} (at most ${task.limit})`
}

async function opensVerification(act: () => Promise<void>): Promise<void> {
  const opened = browser.context.waitForEvent('page')
  await act()
  const popup = await opened
  await popup.waitForURL(/verify=me/)
  await popup.close()
}

/** A PDF that is opened is a download, or a tab in a browser that shows PDF. */
async function getsInvoice(page: Page, act: () => Promise<void>): Promise<void> {
  const download = page.waitForEvent('download').then((one) => one.suggestedFilename())
  const tab = browser.context.waitForEvent('page').then(async (one) => {
    const answer = await page.request.get(one.url())
    await one.close()
    return /filename="?([^";]+)/.exec(answer.headers()['content-disposition'] ?? '')?.[1]
  })
  // The other one never comes.
  for (const one of [download, tab]) one.catch(() => {})
  await act()
  expect(await Promise.race([download, tab])).toBe('invoice.pdf')
}

const isFocused = (what: Locator): Promise<boolean> => what.evaluate((one) => one === document.activeElement)

/** Whether an element is in the window as a whole, and nothing is above it. */
const isInSight = (what: Locator): Promise<boolean> =>
  what.evaluate((one) => {
    const { left, top, right, bottom, height } = one.getBoundingClientRect()
    const above = document.elementFromPoint((left + right) / 2, (top + bottom) / 2)
    return height > 0 && top >= 0 && bottom <= innerHeight && right <= innerWidth && one.contains(above)
  })

/** A page on an instance with a mail of each kind that the tasks are about. */
async function open(): Promise<Place> {
  const clock = movableClock()
  const real = await startListening()
  const { post, page } = await openPage({ clock, relay: `smtp://127.0.0.1:${real.smtp?.port}` }, false)
  for (const to of ['ada@example.com', 'grace@example.com'])
    await submit(post, { subject: 'Long ago', to, text: 'x' })
  clock.advance(20 * day)
  const readers = Array.from({ length: 12 }, (_, index) => `reader.${index}@example.com`)
  await submit(post, {
    subject: 'News of autumn',
    to: readers,
    html: '<p>News</p><a href="https://acme.test/autumn">Read on</a>',
  })
  const news = await post.inbox.waitFor('status:delivered subject:"News of autumn"')
  for (const recipient of clickers)
    await post.emails.addEvent(news.id, { recipient, status: 'clicked', link: 'https://acme.test/autumn' })
  await submit(post, {
    subject: 'Payment reminder',
    to: 'bounce@simulator.localpost',
    headers: { 'X-Tags': 'billing' },
    text: 'Invoice 2026-0911 is overdue.',
  })
  await post.inbox.waitFor('status:bounced')
  const site = `${post.url}/favicon.svg`
  await submit(post, {
    subject: 'Verify your address',
    to: 'success@simulator.localpost',
    text: `Your code is ${code}. Verify your address: ${site}?verify=me`,
    html: `<a href="${site}?logo"><b>Acme</b></a><p>Your code is ${code}.</p>
      <!-- grüner Knopf --><a href="${site}?verify=me">Verify me</a> <a href="${site}?help">Help</a>`,
    attachments: [...files],
  })
  await submit(post, { subject: 'Newest of all', to: 'ada@example.com', text: 'x' })
  return { post, real, page, hands: handsOn(page) }
}
