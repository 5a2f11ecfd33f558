import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { Localpost } from '../../src/instance/instance.ts'
import { allRooms, rooms } from '../../ui/composables/rooms.ts'
import { sampleOf } from '../support/long.ts'
import { objections, setWidth, widths } from './_axe.ts'
import { tooSmall } from './_reach.ts'
import { openPage, send } from './_setup.ts'

const roomNames = allRooms.filter((name) => name !== 'inbox')

describe.each(sampleOf(widths, 1))(
  'there are no accessibility violations in light and in dark, %i wide',
  (width) => {
    type Act = (page: Page) => Promise<void>
    /** Opens a filled instance at a page, runs `act`, and inspects the page. */
    async function inspectFilled(pathOf: (made: Made) => string, act?: Act): Promise<void> {
      const { post, page } = await openPage({}, false)
      const path = pathOf(await fill(post))
      await setWidth(page, width)
      await inspect(page, `${post.url}/#/${path}`, width, act)
    }

    it('in any page while it is empty', async () => {
      const { post, page } = await openPage({}, false)
      await setWidth(page, width)
      for (const name of roomNames) await inspect(page, `${post.url}/#/${name}`, width)
    }, 40_000)

    it('in the lists with content', async () => {
      const { post, page } = await openPage({}, false)
      await fill(post)
      await setWidth(page, width)
      for (const name of roomNames) await inspect(page, `${post.url}/#/${name}`, width)
    }, 40_000)

    it('in a domain, and in the confirmation of its deletion', () =>
      inspectFilled(
        ({ domain }) => `domains/${domain}`,
        async (page) => {
          await page.getByRole('region', { name: 'DNS records' }).waitFor()
          expect(await objections(page)).toEqual([])
          await page.getByRole('button', { name: 'Delete', exact: true }).click()
          await page.getByRole('dialog').waitFor()
        },
      ))

    it('in an audience, while names are edited', () =>
      inspectFilled(
        ({ audience }) => `audiences/${audience}`,
        async (page) => {
          await page.getByRole('button', { name: 'Edit ada@example.com' }).click()
          await page.getByRole('button', { name: 'Rename' }).click()
          await page.getByLabel('New name').waitFor()
        },
      ))

    it('in a broadcast that was sent', () =>
      inspectFilled(
        ({ audience }) => `audiences/${audience}`,
        async (page) => {
          await page.getByRole('tab', { name: 'Broadcast' }).click()
          await page.getByRole('button', { name: 'News of autumn' }).click()
          await page.getByText('As a table').click()
          await page.getByRole('columnheader', { name: 'Clicked' }).waitFor()
        },
      ))

    it('in an import with invalid lines', () =>
      inspectFilled(
        ({ audience }) => `audiences/${audience}`,
        async (page) => {
          await page.getByRole('tab', { name: 'Import' }).click()
          await page.getByLabel('Import as CSV').fill('email\nbob@example.com\nnobody')
          await page.getByRole('button', { name: 'Preview' }).click()
          await page.getByRole('list', { name: 'Bad rows' }).waitFor()
        },
      ))

    it('in a template with broken placeholders', () =>
      inspectFilled(
        () => 'templates/welcome',
        (page) => page.getByRole('list', { name: 'Broken placeholders' }).waitFor(),
      ))

    it('in an open request', () =>
      inspectFilled(
        () => 'requests',
        async (page) => {
          await page.getByRole('link', { name: '/v1/emails' }).click()
          await page.getByRole('region', { name: 'Response' }).waitFor()
        },
      ))

    it('in the choice of events, and in an open delivery', () =>
      inspectFilled(
        () => 'webhooks',
        async (page) => {
          await page.getByLabel('Events', { exact: true }).selectOption('some')
          await page.getByRole('list', { name: 'Deliveries' }).getByText('email.sent').first().click()
          await page.getByRole('link', { name: 'Open the mail' }).waitFor()
        },
      ))

    it('in a rule while it is edited', () =>
      inspectFilled(
        () => 'rules',
        (page) => page.getByRole('button', { name: 'Edit the rule for gone.test' }).click(),
      ))
  },
)

/** Opens the page, then runs `act`; there must be no violations, nothing too wide, and nothing too small to tap. */
async function inspect(
  page: Page,
  url: string,
  width: number,
  act: (page: Page) => Promise<void> = async () => {},
): Promise<void> {
  await page.goto(url)
  const room = allRooms.find((name) => url.includes(`/#/${name}`)) ?? 'inbox'
  await page.getByRole('heading', { level: 1, name: rooms[room].label }).waitFor()
  // Two parts of a page may load at the same time.
  await expect.poll(() => page.getByText('Loading…').count(), { timeout: 20_000 }).toBe(0)
  await act(page)
  expect(await objections(page), url).toEqual([])
  expect(await page.evaluate(() => document.documentElement.scrollWidth), url).toBeLessThanOrEqual(width)
  expect(await tooSmall(page), url).toEqual([])
}

/** Ids of the created resources. */
interface Made {
  domain: string
  audience: string
}

async function fill(post: Localpost): Promise<Made> {
  const { id: domain } = await post.domains.create({ name: 'acme.com' })
  await post.domains.verify(domain, { status: 'FAILED', error_type: 'HOST_NOT_FOUND' })
  const { id: audience } = await post.audiences.create({ name: 'Newsletter' })
  await post.audiences.contacts.import(audience, [{ email: 'ada@example.com', first_name: 'Ada' }])
  await post.templates.put('welcome', { subject: 'Hi {{name}', html: '<p>Hello {{name}}</p>', text: 'Hello' })
  await post.webhooks.create({ url: 'http://127.0.0.1:9/closed', events: ['email.sent'] })
  await post.rules.set([
    { match: 'gone.test', action: 'reject' },
    { match: '*@slow.test', action: 'delay', delay_ms: 1500 },
  ])
  await post.faults.set({ http: [{ path: '/v1/broadcasts', status: 503 }] })
  await send(post, { to: 'ada@example.com', subject: 'Hello' })
  const news = { from: 'Acme <news@other.test>', subject: 'News of autumn', text: 'Hello' }
  await post.broadcasts.send({ ...news, audience_id: audience })
  await post.inbox.waitFor('type:broadcast')
  return { domain, audience }
}
