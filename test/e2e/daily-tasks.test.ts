import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Locator, Page } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { RawClient } from '../capture/_server.ts'
import type { Localpost } from '../../src/instance/instance.ts'
import { handsOn, type Hands, keysOn } from './_hands.ts'
import { openPage, rowOf, searchField, send, shownFrame, submit } from './_setup.ts'
import { browser } from './context.ts'

interface Place {
  page: Page
  post: Localpost
  hands: Hands
}

interface Task {
  name: string
  limit: number
  /** Where it begins; default: the newest mail, beside the list. */
  at?: (post: Localpost) => Promise<string>
  width?: number
  mouse(place: Place): Promise<void>
  /** Absent where a task has no keys of its own: then Tab and Enter do what the mouse does, however often. */
  keyboard?(place: Place): Promise<void>
  /** Waits until the page or the instance shows that the task is done. */
  done(place: Place): Promise<unknown>
}

const button = (page: Page, name: string | RegExp): Locator => page.getByRole('button', { name, exact: true })
const room = (page: Page, name: string): Locator =>
  page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name })
const heading = (page: Page, name: string): Promise<void> =>
  page.getByRole('heading', { level: 1, name }).waitFor()
const mailAt = async (post: Localpost, subject: string): Promise<string> => {
  const { items } = await post.inbox.list({ query: `subject:"${subject}"` })
  return `mail/${items[0]?.id}`
}
const copied = (page: Page): Promise<string> => page.evaluate(() => navigator.clipboard.readText())

const tasks: readonly Task[] = [
  {
    name: 'see the newsletter as Outlook does',
    limit: 2,
    at: (post) => mailAt(post, 'News of autumn'),
    async mouse({ page, hands }) {
      await hands.click(button(page, 'View as'))
      await hands.choose(page.getByRole('combobox', { name: 'Mail client' }), /^Outlook for Windows$/)
    },
    done: ({ page }) =>
      page
        .locator(`${shownFrame}[src*="client=outlook"], ${shownFrame}[title*="Outlook"]`)
        .or(page.getByText(/Outlook, Windows/).first())
        .first()
        .waitFor(),
  },
  {
    name: 'give a colleague the bounced mail as a link',
    limit: 2,
    at: (post) => mailAt(post, 'Payment reminder'),
    async mouse({ page, hands }) {
      await hands.click(button(page, 'Share'))
      await hands.click(page.getByRole('button', { name: 'Copy the link' }))
    },
    done: ({ page }) => expect.poll(() => copied(page)).toMatch(/#\/mail\/em_/),
  },
  {
    name: 'find the mail with the coupon',
    limit: 2,
    async mouse({ page, hands }) {
      await hands.click(searchField(page))
      await hands.type('SPRING25')
    },
    async keyboard({ hands }) {
      await hands.press('/')
      await hands.type('SPRING25')
    },
    async done({ page }) {
      await page.getByText('1 match', { exact: true }).waitFor()
      await rowOf(page, 'News of autumn').waitFor()
    },
  },
  {
    name: 'make a domain and mark it as verified',
    limit: 4,
    async mouse({ page, hands }) {
      await hands.click(room(page, 'Domains'))
      await hands.click(page.getByLabel('New domain'))
      await hands.type('acme.example')
      await hands.click(button(page, 'Create as verified'))
    },
    done: ({ post }) =>
      expect
        .poll(
          async () => (await post.domains.list()).items.find(({ name }) => name === 'acme.example')?.status,
        )
        .toBe('SUCCESS'),
  },
  {
    name: 'see why the webhook failed',
    limit: 2,
    mouse: ({ page, hands }) => hands.click(room(page, 'Webhooks')),
    keyboard: ({ hands }) => hands.press('g', 'w'),
    done: ({ page }) => page.getByText(/^Failing: the receiver answered 500/).waitFor(),
  },
  {
    name: 'have a slow SMTP server',
    limit: 3,
    async mouse({ page, hands }) {
      await hands.click(room(page, 'Rules and faults'))
      await hands.click(button(page, 'Slow SMTP, 5 s'))
    },
    async done({ post }) {
      await expect
        .poll(() => post.faults.get())
        .toMatchObject({ smtp: [{ stage: 'connect', delay_ms: 5000 }] })
      await post.faults.clear()
    },
  },
  {
    name: 'open the mail of an API request',
    limit: 1,
    at: () => Promise.resolve('requests/requests'),
    mouse: ({ page, hands }) => hands.click(page.getByRole('link', { name: 'Open the mail' })),
    done: ({ page }) => heading(page, 'Sent by request'),
  },
  {
    name: 'open the request of a mail',
    limit: 1,
    at: (post) => mailAt(post, 'Sent by request'),
    mouse: ({ page, hands }) => hands.click(button(page, 'Request')),
    done: ({ page }) => page.getByRole('region', { name: 'Response' }).getByText('"id"').waitFor(),
  },
  {
    name: 'see all mail to one person',
    limit: 1,
    at: (post) => mailAt(post, 'News of autumn'),
    mouse: ({ page, hands }) => hands.click(button(page, 'ada@example.com').first()),
    done: ({ page }) => page.getByText('2 matches', { exact: true }).waitFor(),
  },
  {
    name: 'read the next mail on a phone',
    limit: 1,
    width: 390,
    at: (post) => mailAt(post, 'Sent by request'),
    mouse: ({ page, hands }) => hands.click(button(page, 'Next mail')),
    done: ({ page }) => heading(page, 'Payment reminder'),
  },
]

describe.each(['mouse', 'keyboard'] as const)('with the %s', (way) => {
  it('daily tasks take few clicks or keys, and none needs a mouse', async () => {
    const { post, page } = await open()
    await browser.context.grantPermissions(['clipboard-read', 'clipboard-write'])
    onTestFinished(() => browser.context.clearPermissions())
    const counts: string[] = []
    for (const task of tasks) {
      const isByTab = way === 'keyboard' && !task.keyboard
      const work = way === 'mouse' ? task.mouse : (task.keyboard ?? task.mouse)
      await page.setViewportSize({ width: task.width ?? 1280, height: 800 })
      await page.goto('about:blank')
      const path = await (task.at ?? ((one) => mailAt(one, 'Newest of all')))(post)
      await page.goto(`${post.url}/#/${path}`)
      await page.getByText('Live', { exact: true }).waitFor()
      if (path.startsWith('mail/'))
        await page
          .getByRole('article')
          .or(page.getByRole('heading', { level: 1 }))
          .first()
          .waitFor()
      if (path.startsWith('requests'))
        await page.getByRole('list', { name: 'Timeline' }).getByText('Sent by request').click()
      const place = { page, post, hands: isByTab ? keysOn(page) : handsOn(page) }
      await work(place)
      await task.done(place)
      await page.evaluate(() => localStorage.clear())
      if (!isByTab) expect(place.hands.count, task.name).toBeLessThanOrEqual(task.limit)
      const most = isByTab ? 'by Tab' : `at most ${task.limit}`
      counts.push(`  ${task.name.padEnd(44)} ${place.hands.count} (${most})`)
    }
    process.stdout.write(`\n${way}\n${counts.join('\n')}\n`)
  })

  it('a deletion is undone by one of them', async () => {
    const { page } = await open()
    await rowOf(page, 'Newest of all').waitFor()
    await heading(page, 'Newest of all')
    await page.keyboard.press('#')
    await button(page, /^Undo/).waitFor()
    const hands = handsOn(page)
    await (way === 'mouse' ? hands.click(button(page, /^Undo/)) : hands.press('z'))
    await rowOf(page, 'Newest of all').waitFor()
    expect(hands.count).toBe(1)
  })
})

it('mail that does not arrive because of TLS is explained where its reader looks, without a step', async () => {
  const { post, page } = await openPage()
  const client = new RawClient(post.smtp)
  await client.reply()
  for (const line of ['EHLO app', 'STARTTLS', 'QUIT']) await client.say(line)
  await page.getByText('STARTTLS was refused.').first().waitFor()
  await page
    .getByText(/turn TLS and STARTTLS off/)
    .first()
    .waitFor()
})

/** A page on an instance with what the tasks are about. */
async function open(): Promise<{ post: Localpost; page: Page }> {
  const receiver = createServer((_, response) => response.writeHead(500).end('no such table')).listen(
    0,
    '127.0.0.1',
  )
  onTestFinished(() => void receiver.close())
  await once(receiver, 'listening')
  const { post, page } = await openPage({}, false)
  await submit(post, {
    subject: 'News of autumn',
    to: 'ada@example.com',
    text: 'Your code for 25 % is SPRING25',
    html: '<p style="display: flex">Your code for 25 % is SPRING25</p>',
  })
  await submit(post, { subject: 'Payment reminder', to: 'bounce@simulator.localpost', text: 'Overdue.' })
  await post.inbox.waitFor('status:bounced')
  await post.webhooks.create({ url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks` })
  await send(post, { to: 'grace@example.com', subject: 'Sent by request' })
  await post.inbox.waitFor('status:delivered subject:"Sent by request"')
  await submit(post, { subject: 'Newest of all', to: 'ada@example.com', text: 'Hello' })
  await expect
    .poll(async () => (await post.webhooks.deliveries()).items.some(({ attempts }) => attempts.length > 0))
    .toBe(true)
  await page.goto(post.url ?? '')
  return { post, page }
}
