import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { RawClient } from '../capture/_server.ts'
import type { Localpost } from '../../src/instance/instance.ts'
import { openPage, submit } from './_setup.ts'

const word = 'w'.repeat(2000)

/** Every view with much in it, by its path. */
async function fill(post: Localpost): Promise<string[]> {
  for (let at = 0; at < 60; at++) await post.domains.create({ name: `${'long-'.repeat(8)}${at}.example.com` })
  const { items } = await post.domains.list()
  const { id: audience } = await post.audiences.create({ name: word.slice(0, 200) })
  await post.audiences.contacts.import(audience, [
    ...Array.from({ length: 300 }, (_, at) => ({ email: `reader${at}@example.com` })),
    { email: `${'a'.repeat(60)}@example.com`, first_name: word.slice(0, 200) },
  ])
  await post.webhooks.create({ url: `http://127.0.0.1:9/${word.slice(0, 1500)}` })
  await post.templates.put('long', { subject: word.slice(0, 900), text: word, html: `<p>${word}</p>` })
  for (let at = 0; at < 100; at++)
    await fetch(`${post.url}/v1/${word.slice(0, 200)}${at}`, { headers: { authorization: 'Bearer wrong' } })
  for (let at = 0; at < 100; at++) {
    const client = new RawClient(post.smtp)
    await client.reply()
    for (const line of [`EHLO ${word.slice(0, 300)}`, `MAIL FROM:<${at}`, 'QUIT']) await client.say(line)
  }
  // A send of the API has at most 100 recipients.
  await submit(post, {
    from: `${word.slice(0, 100)} <hello@acme.test>`,
    to: Array.from({ length: 1000 }, (_, at) => `person${at}@example.com`),
    subject: word.slice(0, 900),
    text: word,
  })
  await submit(post, {
    subject: word.slice(0, 900),
    to: 'ada@example.com',
    html: `<p style="display:flex">${word}{{${word.slice(0, 50)}}}</p>`,
  })
  const [mail] = (await post.inbox.list()).items
  return [
    'domains',
    `domains/${items[0]?.id}`,
    `audiences/${audience}`,
    'webhooks',
    'templates/long',
    'requests',
    'requests/sessions',
    'requests/webhooks',
    'connect',
    'scheduled',
    'rules',
    `mail/${mail?.id}/checks`,
  ]
}

it('long words and many entries do not widen a view at 320 pixels', async () => {
  const { post, page } = await openPage({}, false)
  const errors: string[] = []
  page.on('pageerror', ({ message }) => errors.push(message))
  const paths = await fill(post)
  await page.setViewportSize({ width: 320, height: 640 })
  for (const path of paths) {
    await page.goto(`${post.url}/#/${path}`)
    await settled(page)
    expect(await page.evaluate(widest), path).toBe(320)
  }
  await page.goto(`${post.url}/#/requests`)
  await page.getByRole('button', { name: 'Dismiss all' }).waitFor()
  const rows = page.getByRole('list', { name: 'Timeline' }).getByRole('listitem')
  // One page of each list: the rest is loaded on request.
  await expect.poll(() => rows.count()).toBeLessThanOrEqual(300)
  expect(errors).toEqual([])
})

/** The width of the content; a view scrolls on its own, and must not do so sideways. */
const widest = (): number =>
  Math.max(...[document.documentElement, ...document.querySelectorAll('main')].map((one) => one.scrollWidth))

const rooms = ['requests', 'domains', 'audiences', 'templates', 'webhooks', 'scheduled', 'rules', 'connect']
const answers = {
  500: (page: Page) => page.route(isApi, (route) => route.fulfill({ status: 500, body: 'oops' })),
  503: (page: Page) =>
    page.route(isApi, (route) =>
      route.fulfill({
        status: 503,
        json: { statusCode: 503, name: 'service_unavailable', message: 'The disk is full.' },
      }),
    ),
  none: (page: Page) => page.route(isApi, (route) => route.abort()),
  // Its deadline is shortened below.
  never: (page: Page) => page.route(isApi, () => undefined),
  slow: (page: Page) =>
    page.route(isApi, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 800))
      await route.continue()
    }),
} as const
const isApi = /\/(?:dev\/(?!health|session|events|accounts|keys|providers)|v1\/)/

describe.each(Object.keys(answers) as (keyof typeof answers)[])('an API that answers: %s', (kind) => {
  it('leaves a message and a way back in each view', async () => {
    const { post, page } = await openPage({}, false)
    await post.domains.create({ name: 'acme.example' })
    if (kind === 'never')
      await page.addInitScript(() => {
        const { timeout } = AbortSignal
        AbortSignal.timeout = () => timeout.call(AbortSignal, 500)
      })
    for (const room of rooms) {
      await page.goto('about:blank')
      await page.unrouteAll()
      await answers[kind](page)
      if (room === 'connect')
        await page.route('**/dev/providers', (route) => (kind === 'slow' ? route.continue() : route.abort()))
      await page.goto(`${post.url}/#/${room}`)
      if (kind === 'slow') {
        await settled(page)
        expect(await page.getByRole('alert').count(), room).toBe(0)
        continue
      }
      const again = page.getByRole('button', { name: 'Try again' }).first()
      await again.waitFor()
      expect(await page.getByRole('alert').count(), room).toBeGreaterThan(0)
      await page.unrouteAll()
      // Some views have several lists, each with a way back of its own.
      const left = async (): Promise<number> => {
        if (await again.isVisible()) await again.click()
        return page.getByRole('button', { name: 'Try again' }).count()
      }
      await expect.poll(left, { message: room }).toBe(0)
    }
  })
})

const settled = async (page: Page): Promise<void> => {
  await page.getByRole('main').first().waitFor()
  await expect.poll(() => page.getByText('Loading…').count()).toBe(0)
}
