import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import type { Localpost } from '../../src/instance/instance.ts'
import { allRooms } from '../../ui/composables/rooms.ts'
import { mailTabs } from '../../ui/views/inbox/tabs.ts'
import { cutWords, outOfReach } from './_reach.ts'
import { openPage, send, submit, tab } from './_setup.ts'

const widths = [1440, 1024, 768, 390]
const host = 'a-rather-long-name-of-a-customer.that-has-many-parts.example.com'

it('no view is larger than the window, cuts words or puts a control out of reach, at any width', async () => {
  const { post, page } = await openPage({}, false)
  const { mail, older, ...made } = await fill(post)
  const views = [
    '',
    ...allRooms.filter((name) => name !== 'inbox'),
    `mail/${mail}`,
    `mail/${mail}/full`,
    `mail/${mail}/compare/${older}`,
    `mail/${made.delivered}`,
    'mail/unknown',
    `domains/${made.domain}`,
    'domains/unknown',
    `audiences/${made.audience}`,
    'audiences/unknown',
    'templates/welcome',
    'templates/unknown',
    'requests/sessions',
    'a/unknown',
  ]
  for (const view of views) {
    await page.setViewportSize({ width: 1440, height: 844 })
    await page.goto(`${post.url}/#/${view}`)
    await page.getByRole('main').or(page.getByRole('article')).first().waitFor()
    await expect.poll(() => page.getByText('Loading…').count(), { timeout: 8000 }).toBe(0)
    await checkWidths(page, view)
  }
  await page.goto(`${post.url}/#/mail/${mail}`)
  for (const side of mailTabs) {
    await page.setViewportSize({ width: 1440, height: 844 })
    await tab(page, side).click()
    if (side === 'Checks') await page.getByRole('region', { name: 'Support by mail client' }).waitFor()
    await checkWidths(page, side)
  }
}, 120_000)

it.each(widths)('the mail has the whole window in the full view, %i wide', async (width) => {
  const { post, page } = await openPage({}, false)
  await submit(post, { subject: 'Long', text: 'line\n'.repeat(200) })
  const [mail] = (await post.inbox.list()).items
  await page.setViewportSize({ width, height: 844 })
  await page.goto(`${post.url}/#/mail/${mail?.id}/full`)
  await page.getByRole('heading', { name: 'Long' }).waitFor()
  expect(await page.locator('section.main').boundingBox()).toEqual({ x: 0, y: 0, width, height: 844 })
})

it('the name of a domain has a line of its own on a phone', async () => {
  const { post, page } = await openPage({}, false)
  const { id } = await post.domains.create({ name: host })
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(`${post.url}/#/domains/${id}`)
  const name = await page.getByRole('heading', { name: host }).boundingBox()
  const remove = await page.getByRole('button', { name: 'Delete', exact: true }).boundingBox()
  expect(name?.width).toBeGreaterThan(280)
  expect(remove?.y).toBeGreaterThan((name?.y ?? 0) + (name?.height ?? 0))
})

async function checkWidths(page: Page, view: string): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 844 })
    await page.evaluate(() => new Promise(requestAnimationFrame))
    expect(await sizeOf(page), `${view} at ${width}`).toEqual({ width, height: 844 })
    expect(await outOfReach(page, width), `${view} at ${width}`).toEqual([])
    expect(await cutWords(page), `${view} at ${width}`).toEqual([])
  }
}

/** How large the page is: only parts of it may scroll, never the page itself. */
function sizeOf(page: Page): Promise<{ width: number; height: number }> {
  return page.evaluate(() => {
    const { scrollWidth, scrollHeight } = document.documentElement
    return { width: scrollWidth, height: scrollHeight }
  })
}

interface Made {
  mail: string
  older: string
  delivered: string
  domain: string
  audience: string
}

async function fill(post: Localpost): Promise<Made> {
  const { id: domain } = await post.domains.create({ name: host })
  const { id: audience } = await post.audiences.create({ name: 'Readers '.repeat(8) })
  await post.audiences.contacts.import(audience, [{ email: `reader@${host}`, first_name: 'Ada' }])
  await post.templates.put('welcome', {
    subject: 'Hi {{name}}',
    html: '<p>Hello {{name}}</p>'.repeat(20),
    text: 'x',
  })
  await post.rules.set([{ match: `*@${host}`, action: 'delay', delay_ms: 1 }])
  await post.faults.set({ http: [{ path: '/v1/broadcasts', status: 503 }] })
  await post.webhooks.create({ url: `http://127.0.0.1:9/${'abcdefgh'.repeat(12)}` })
  await send(post, { to: 'ada@example.com', subject: 'Sent' })
  const subject = `A mail with everything ${'and-a-long-word'.repeat(9)}`
  for (const code of ['482913', '582914'])
    await submit(post, {
      subject,
      to: ['bounce@simulator.localpost', `reader@${host}`],
      text: `Your code is ${code}.`,
      html: `<style>@media (prefers-color-scheme: dark) { p { display: flex } }</style><p>Your code is ${code}.</p><a href="https://example.com/${'long'.repeat(40)}">Go</a><img src="https://example.com/picture.png">`,
      attachments: [{ filename: `${'long-name-'.repeat(20)}.txt`, content: 'Hello' }],
    })
  const [mail, older, sent] = (await post.inbox.list()).items
  await post.inbox.update(mail?.id ?? '', { tags: ['orders', `a-tag-${'with-a-long-name-'.repeat(5)}`] })
  return { mail: mail?.id ?? '', older: older?.id ?? '', delivered: sent?.id ?? '', domain, audience }
}
