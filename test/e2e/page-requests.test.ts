import type { Page, Request, Route } from 'playwright-core'
import { expect, it, onTestFinished } from 'vitest'
import type { Localpost } from '../../src/instance/instance.ts'
import { frameOf, mailTo, openPage, rowOf, sender, submit } from './_setup.ts'

const pathOf = (url: string): string => new URL(url).pathname

it('is loaded with at most 15 requests, and at most 10 follow when it is idle', async () => {
  const { post, page } = await openPage({}, false)
  for (const n of [1, 2, 3]) await submit(post, { subject: `Mail ${n}`, html: `<p>Body of ${n}</p>` })
  const newest = (await post.inbox.latest())?.id ?? ''
  const asked: string[] = []
  page.on('request', (request) => asked.push(pathOf(request.url())))
  await page.goto(post.url ?? '')
  await frameOf(page).getByText('Body of 3').waitFor()
  // What is fetched ahead comes last.
  await expect.poll(() => asked.some((path) => path.includes('/assets/later'))).toBe(true)
  await page.waitForTimeout(1000)

  const entry = /\/assets\/index-[\w-]+\.(?:js|css)$/
  const marks = /\/dev\/(?:rules|smtp-sessions|webhooks(?:\/deliveries)?)$/
  const isOfMail = (path: string, id: string): boolean => path.startsWith(`/dev/inbox/${id}`)
  const isIdle = (path: string): boolean =>
    (path.startsWith('/assets/') && !entry.test(path)) ||
    marks.test(path) ||
    (path.startsWith('/dev/inbox/em_') && !isOfMail(path, newest)) ||
    path.endsWith('/checks')
  // These are asked again every few seconds.
  const polled = new Set(['/dev/health', '/dev/accounts'])
  const once = [...asked.filter((path) => !polled.has(path)), ...polled]
  const idle = once.filter(isIdle)
  const load = once.filter((path) => !isIdle(path))
  expect(load.length, load.join(' ')).toBeLessThanOrEqual(15)
  expect(idle.length, idle.join(' ')).toBeLessThanOrEqual(10)
})

it('asks for a mail and its HTML at the same time, from the press of the button', async () => {
  const { post, page } = await openPage({}, false)
  for (const n of [1, 2, 3, 4]) await submit(post, { subject: `Mail ${n}`, html: `<p>Body of ${n}</p>` })
  const [wanted] = (await post.inbox.list({ query: 'subject:"Mail 1"' })).items
  await page.goto(post.url ?? '')
  await frameOf(page).getByText('Body of 4').waitFor()
  const held = await holdBack(page, `**/dev/inbox/${wanted?.id}`)
  const html = page.waitForRequest((request) => pathOf(request.url()).endsWith(`${wanted?.id}/html`))
  const { x, y, width, height } = (await rowOf(page, 'Mail 1').boundingBox()) ?? {
    x: 0,
    y: 0,
    width: 0,
    height: 0,
  }
  await page.mouse.move(x + width / 2, y + height / 2)
  await page.mouse.down()
  await html
  await page.mouse.up()
  expect(held.count()).toBe(1)
  await held.release()
  await frameOf(page).getByText('Body of 1').waitFor()
})

it('loads the HTML of the mail under the pointer, and forgets it when the pointer leaves', async () => {
  const { post, page } = await openPage({}, false)
  for (const n of [1, 2, 3, 4]) await submit(post, { subject: `Mail ${n}`, html: `<p>Body of ${n}</p>` })
  const [other] = (await post.inbox.list({ query: 'subject:"Mail 1"' })).items
  await page.goto(post.url ?? '')
  await frameOf(page).getByText('Body of 4').waitFor()
  // Without the mail, its HTML is not loaded ahead either.
  await page.route(`**/dev/inbox/${other?.id}`, (route) => route.abort())
  const frames = page.locator(`iframe[src*="${other?.id}"]`)
  const row = rowOf(page, 'Mail 1')
  await row.hover()
  await expect.poll(() => frames.count()).toBe(1)
  await page.mouse.move(0, 0)
  await expect.poll(() => frames.count()).toBe(0)
  await row.hover()
  await page.mouse.down()
  await expect.poll(() => frames.count()).toBe(1)
  await page.mouse.move(0, 0)
  await page.mouse.up()
  await expect.poll(() => frames.count()).toBe(0)
})

it('shows what changed in any loaded row while the connection was lost', async () => {
  const { post, page } = await openPage({}, false)
  await fill(post, 200)
  // The page hears of no change, and connects again each second.
  const body = 'retry: 1000\n\n'
  await page.route('**/dev/events*', (route) => route.fulfill({ contentType: 'text/event-stream', body }))
  await page.goto(post.url ?? '')
  await page.getByText('200 mails', { exact: true }).waitFor()
  await page.locator('nav .box').evaluate((element) => (element.scrollTop = element.scrollHeight))
  await rowOf(page, 'Mail 0.').waitFor()
  // After the next connection, the loaded rows are of one answer.
  await page.waitForTimeout(3000)
  const [oldest] = (await post.inbox.list({ query: 'subject:"Mail 0."' })).items
  await post.inbox.update(oldest?.id ?? '', { tags: ['changed'] })
  await rowOf(page, 'Mail 0.').getByText('changed').waitFor()
})

it('shows a row or its place at each moment of a fast scroll, and the rows where it ends', async () => {
  const { post, page } = await openPage({}, false)
  await fill(post, 600)
  await page.goto(post.url ?? '')
  await page.getByText('600 mails', { exact: true }).waitFor()
  const moments = await page.evaluate(async () => {
    const box = document.querySelector('nav .box') as HTMLElement
    const frame = (): Promise<void> =>
      new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
    const seen: { covered: number; misplaced: number }[] = []
    const begun = performance.now()
    for (let ms = 0; ms < 4000; ms = performance.now() - begun) {
      box.scrollTop = 10 * ms
      await frame()
      const sight = box.getBoundingClientRect()
      const rows = [...box.querySelectorAll<HTMLElement>('.rows > li')]
      const inSight = rows
        .map((row) => ({ row, box: row.getBoundingClientRect() }))
        .filter(({ box: { top, bottom } }) => bottom > sight.top && top < sight.bottom)
        .toSorted((a, b) => a.box.top - b.box.top)
      const heights = inSight.map(
        ({ box: { top, bottom } }) => Math.min(bottom, sight.bottom) - Math.max(top, sight.top),
      )
      const positions = inSight.map(({ row }) => Number(row.ariaPosInSet))
      seen.push({
        covered: heights.reduce((sum, one) => sum + one, 0) / sight.height,
        misplaced: positions.filter((position, at) => at > 0 && position !== (positions[at - 1] ?? 0) + 1)
          .length,
      })
    }
    return seen
  })
  // The heading of a day is no row.
  expect(Math.min(...moments.map(({ covered }) => covered))).toBeGreaterThan(0.9)
  expect(moments.filter(({ misplaced }) => misplaced > 0)).toEqual([])
  const missing = page.locator('nav .rows > li:not(:has(a))')
  await expect.poll(() => missing.count()).toBe(0)
})

it('cancels the rows that a scroll has left behind', async () => {
  const { post, page } = await openPage({}, false)
  await fill(post, 900)
  await page.goto(post.url ?? '')
  await page.getByText('900 mails', { exact: true }).waitFor()
  const offsetOf = (url: string): number => Number(new URL(url).searchParams.get('offset'))
  const cancelled: number[] = []
  page.on('requestfailed', (request) => cancelled.push(offsetOf(request.url())))
  const held = await holdBack(page, /\/dev\/inbox\?.*offset=/)
  const box = page.locator('nav .box')
  for (const [at, part] of [0.4, 0.6, 0.9].entries()) {
    await box.evaluate((element, share) => (element.scrollTop = element.scrollHeight * share), part)
    await expect.poll(() => held.count()).toBe(at + 1)
    // Each is a jump, not a part of a fast scroll.
    await page.waitForTimeout(300)
  }
  await expect.poll(() => cancelled.map((offset) => Math.floor(offset / 100))).toEqual([3, 4])
  await held.release()
  await rowOf(page, 'Mail 85.').waitFor()
})

it('moves on to the next mail with j, wherever the list is scrolled to', async () => {
  const { post, page } = await openPage({}, false)
  await fill(post, 600)
  await page.goto(post.url ?? '')
  const heading = (n: number): Promise<void> =>
    page.getByRole('heading', { level: 1, name: `Mail ${n}.` }).waitFor()
  await heading(599)
  await page.locator('nav .box').evaluate((element) => (element.scrollTop = element.scrollHeight * 0.8))
  await rowOf(page, 'Mail 115.').waitFor()
  await page.keyboard.press('j')
  await heading(598)
  await rowOf(page, 'Mail 598.').waitFor()
})

it('asks for nothing but the number of unread mails after it marked one as read, and shows the marks of others', async () => {
  const { post, page } = await openPage({}, false)
  // The row of a broadcast counts its unread mails, of which the marked one is none.
  const { id: audience_id } = await post.audiences.create({ name: 'Friends' })
  for (const email of ['ada@example.com', 'grace@example.com'])
    await post.audiences.contacts.add(audience_id, { email })
  await post.broadcasts.send({ from: sender, subject: 'News', text: 'Hello', audience_id })
  await expect.poll(async () => (await post.inbox.list()).items.length).toBe(2)
  for (const n of [1, 2, 3]) await submit(post, { subject: `Mail ${n}`, html: `<p>Body of ${n}</p>` })
  await page.goto(post.url ?? '')
  await frameOf(page).getByText('Body of 3').waitFor()
  await rowOf(page, 'News').filter({ hasText: '2 recipients' }).waitFor()
  await quiet(page)
  const asked: string[] = []
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url())
    if (!isPolled(pathname)) asked.push(`${request.method()} ${pathname}${search}`)
  })
  await rowOf(page, 'Mail 1').click()
  await frameOf(page).getByText('Body of 1').waitFor()
  const [{ id = '' } = {}] = (await post.inbox.list({ query: 'subject:"Mail 1"' })).items
  await expect.poll(async () => (await post.inbox.get(id)).unread).toBe(false)
  await expect.poll(() => page.title()).toContain('(4)')
  await quiet(page)
  const reads = asked.filter((one) => one.startsWith('GET /dev/inbox/em_'))
  const others = asked.filter((one) => !reads.includes(one))
  expect(others).toEqual([`PATCH /dev/inbox/${id}`, 'GET /dev/inbox?query=is%3Aunread&limit=1'])
  // The mail and its parts were read once each.
  expect(reads).toContain(`GET /dev/inbox/${id}`)
  expect(reads.filter((one, at) => reads.indexOf(one) !== at)).toEqual([])
  // As another tab does.
  await post.inbox.update(id, { unread: true, tags: ['again'] })
  await rowOf(page, 'Mail 1').getByText('again').waitFor()
  await expect.poll(() => rowOf(page, 'Mail 1').getAttribute('class')).toContain('unread')
})

/** What the page asks again every few seconds. */
const isPolled = (path: string): boolean => /\/dev\/(?:health|accounts)$/.test(path)

/** Waits until the page has its answers and asks for no more: it reacts to an event of the server within half a second. */
async function quiet(page: Page): Promise<void> {
  const open = new Set<Request>()
  let last = performance.now()
  const begin = (request: Request): void => {
    const path = pathOf(request.url())
    if (isPolled(path) || path.endsWith('/dev/events')) return
    open.add(request)
    last = performance.now()
  }
  const end = (request: Request): void => {
    if (open.delete(request)) last = performance.now()
  }
  page.on('request', begin).on('requestfinished', end).on('requestfailed', end)
  await expect.poll(() => open.size === 0 && performance.now() - last > 1000).toBe(true)
  page.off('request', begin).off('requestfinished', end).off('requestfailed', end)
}

/**
 * Sends so many mails, of which the last one has the highest number, and waits for their deliveries: the page asks again for
 * rows that change.
 */
async function fill(post: Localpost, count: number): Promise<void> {
  for (let n = 0; n < count; n++)
    await post.emails.send({ ...mailTo('ada@example.com'), subject: `Mail ${n}.` })
  await expect
    .poll(async () => (await post.inbox.list({ query: 'status:delivered', limit: 1 })).count)
    .toBe(count)
}

/** Holds the answers to some requests back until they are released. */
async function holdBack(
  page: Page,
  url: string | RegExp,
): Promise<{ count(): number; release(): Promise<void> }> {
  const held: Route[] = []
  let isOpen = false
  const release = async (): Promise<void> => {
    isOpen = true
    // A request that was cancelled has no answer.
    await Promise.all(held.map((route) => route.continue().catch(() => undefined)))
  }
  await page.route(url, (route) => {
    held.push(route)
    return isOpen ? route.continue() : Promise.resolve()
  })
  onTestFinished(release)
  return { count: () => held.length, release }
}
