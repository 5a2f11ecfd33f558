import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { expect, it, onTestFinished } from 'vitest'
import type { Localpost } from '../../src/instance/instance.ts'
import { frameOf, openPage, rowOf, shownFrame, submit } from './_setup.ts'

const aheadFrames = 'iframe.ahead'

it('the next mail and the one under the pointer are loaded ahead, and are shown without loading again', async () => {
  const { post, page, asked } = await openThree()
  await rowOf(page, 'Number 3').click()
  await frameOf(page).getByText('Body of 3').waitFor()
  await isAhead(page, 'Body of 2')
  await rowOf(page, 'Number 1').hover()
  await isAhead(page, 'Body of 1')
  expect(asked()).toHaveLength(3)
  await expectNoSignOfReading(post, ['Number 1', 'Number 2'])

  await rowOf(page, 'Number 1').click()
  await frameOf(page).getByText('Body of 1').waitFor()
  expect(asked()).toHaveLength(3)
  // The shown mail has its own height, and its links are the page's.
  const heightOf = (frame: Element): number => frame.clientHeight
  await expect.poll(() => page.locator(shownFrame).evaluate(heightOf)).toBeGreaterThan(2000)
  await frameOf(page).getByRole('link', { name: 'Link of 1' }).hover()
  await page.getByText('http://one.test/').waitFor()
})

it('the HTML of the mail under the pointer does not wait for its detail', async () => {
  const { post, page, asked } = await openThree()
  await rowOf(page, 'Number 3').click()
  await isAhead(page, 'Body of 2')
  const { items } = await post.inbox.list({ query: 'subject:"Number 1"' })
  await page.route(`**/dev/inbox/${items[0]?.id}`, () => {})
  await rowOf(page, 'Number 1').hover()
  await isAhead(page, 'Body of 1')
  expect(asked()).toHaveLength(3)
})

it('moves on with j without loading the mail that was loaded ahead', async () => {
  const { page, asked } = await openThree()
  await rowOf(page, 'Number 3').click()
  await page.mouse.move(0, 0)
  await isAhead(page, 'Body of 2')
  await page.keyboard.press('j')
  await frameOf(page).getByText('Body of 2').waitFor()
  await isAhead(page, 'Body of 1')
  expect(asked()).toHaveLength(3)
})

it('a frame that is left has the focus no more, before anything is painted: it hears no keys', async () => {
  const { page, idOf } = await openThree()
  // Alone, without a list that would take the focus.
  await page.evaluate((id) => (location.hash = `#/mail/${id}/full`), idOf(3))
  await frameOf(page).getByText('Body of 3').waitFor()
  await page.mouse.move(0, 0)
  await isAhead(page, 'Body of 2')
  await page.locator(shownFrame).focus()
  await page.evaluate((shown) => {
    const before = document.querySelector(shown)
    const hasFocus = new Promise<boolean>((resolve) => {
      const observer = new MutationObserver(() => {
        if (before?.matches(shown)) return
        observer.disconnect()
        resolve(document.activeElement === before)
      })
      observer.observe(document.body, { subtree: true, childList: true, attributes: true })
    })
    Object.assign(globalThis, { hasFocus })
  }, shownFrame)
  await page.keyboard.press('j')
  await frameOf(page).getByText('Body of 2').waitFor()
  expect(await page.evaluate('hasFocus')).toBe(false)
  await page.keyboard.press('j')
  await frameOf(page).getByText('Body of 1').waitFor()
})

it('a mail is shown before the frame of the mail before it is removed', async () => {
  const { page } = await openThree()
  await rowOf(page, 'Number 3').click()
  await page.mouse.move(0, 0)
  await isAhead(page, 'Body of 2')
  await page.evaluate((shown) => {
    const before = document.querySelector(shown)
    before?.setAttribute('data-before', '')
    const isKept = new Promise<boolean>((resolve) => {
      const observer = new MutationObserver(() => {
        const now = document.querySelector(shown)
        if (!now || now === before) return
        observer.disconnect()
        resolve(before?.isConnected ?? false)
      })
      observer.observe(document.body, { subtree: true, childList: true, attributes: true })
    })
    Object.assign(globalThis, { isKept })
  }, shownFrame)
  await page.keyboard.press('j')
  await frameOf(page).getByText('Body of 2').waitFor()
  expect(await page.evaluate('isKept')).toBe(true)
  await expect.poll(() => page.locator('[data-before]').count()).toBe(0)
})

it('has no place in the order of Tab, and none for what reads the page aloud', async () => {
  const { page } = await openThree()
  await rowOf(page, 'Number 3').click()
  await isAhead(page, 'Body of 2')
  await page.locator(shownFrame).focus()
  await page.keyboard.press('Tab')
  const inside = page.frames().filter((frame) => frame.url().includes('/html?'))
  const focused = await Promise.all(
    inside.map((frame) => frame.evaluate(() => document.activeElement?.textContent)),
  )
  expect(focused.filter((text) => text?.startsWith('Link of'))).toEqual(['Link of 3'])
  expect((await page.locator('section.main').ariaSnapshot()).match(/- iframe/g)).toHaveLength(1)
})

it('remote content is not loaded before the mail is opened, with consent too', async () => {
  const hits: string[] = []
  const trap = createServer((request, response) => {
    hits.push(request.url ?? '')
    response.end()
  })
  await once(trap.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void trap.close())
  const origin = `http://127.0.0.1:${(trap.address() as AddressInfo).port}`
  const { post, page } = await openPage({}, false)
  const of = (name: string): string =>
    `<img src="${origin}/${name}.png" width="20" height="20"><p>Body of ${name}</p>`
  await submit(post, { subject: 'Plain', html: '<p>Body of plain</p>' })
  await submit(post, { subject: 'Second', html: of('second') })
  await submit(post, { subject: 'First', html: of('first') })
  await page.goto(post.url ?? '')
  await rowOf(page, 'First').click()
  await page.getByRole('button', { name: 'Always load remote content' }).click()
  await page.getByRole('group', { name: 'Always load remote content' }).getByRole('button').last().click()
  await expect.poll(() => hits).toEqual(['/first.png'])
  await rowOf(page, 'Plain').hover()
  await isAhead(page, 'Body of plain')
  expect(await page.locator(aheadFrames).count()).toBe(1)
  expect(hits).toEqual(['/first.png'])
  await rowOf(page, 'Second').click()
  await expect.poll(() => hits).toEqual(['/first.png', '/second.png'])
})

it.each(['answered', 'cut'])(
  'a mail that could not be loaded ahead is loaded when it is opened: %s',
  async (how) => {
    let requests = 0
    const { page } = await openThree((page, idOf) =>
      page.route(`**/inbox/${idOf(2)}/html?**`, async (route) => {
        if (++requests > 1) await route.continue()
        else if (how === 'cut') await route.abort('connectionreset')
        else await route.fulfill({ status: 503, contentType: 'application/json', body: '{"error":"busy"}' })
      }),
    )
    await rowOf(page, 'Number 3').click()
    await page.mouse.move(0, 0)
    await expect.poll(() => requests).toBe(1)
    await page.waitForTimeout(200)
    await page.keyboard.press('j')
    await frameOf(page).getByText('Body of 2').waitFor()
    expect(await page.getByText('The mail tried to show something else').count()).toBe(0)
  },
)

it('a frame that was hidden and is shown again opens a link in one tab', async () => {
  const { post, page, idOf } = await openThree()
  await rowOf(page, 'Number 3').click()
  await isAhead(page, 'Body of 2')
  // The next mail arrives late. Meanwhile the list changes, and the mail under the pointer is the one that is still shown.
  let release = (): void => undefined
  const released = new Promise<void>((resolve) => (release = resolve))
  await page.route(`**/inbox/${idOf(1)}`, async (route) => {
    await released
    await route.continue()
  })
  const shown = await page.locator(shownFrame).elementHandle()
  await page.evaluate((id) => (location.hash = `#/mail/${id}`), idOf(1))
  await submit(post, { subject: 'Number 4', html: '<p>Body of 4</p>' })
  await rowOf(page, 'Number 4').waitFor()
  await page.waitForTimeout(300)
  release()
  await frameOf(page).getByText('Body of 1').waitFor()
  expect(await shown?.evaluate((frame) => frame.isConnected && frame.className)).toContain('ahead')
  await rowOf(page, 'Number 3').click()
  await frameOf(page).getByText('Body of 3').waitFor()
  let tabs = 0
  page.on('popup', () => tabs++)
  await frameOf(page).getByRole('link', { name: 'Link of 3' }).click()
  await expect.poll(() => tabs).toBe(1)
  await page.waitForTimeout(200)
  expect(tabs).toBe(1)
})

it('a mail with animations is not loaded ahead', async () => {
  const { post, page } = await openPage({}, false)
  await submit(post, { subject: 'Plain', html: '<p>Body of plain</p>' })
  const html = '<style>@keyframes in{from{opacity:0}} p{animation:in 1s}</style><p>Body of moving'
  await submit(post, { subject: 'Moving', html })
  await submit(post, { subject: 'First', html: '<p>Body of first</p>' })
  await page.goto(post.url ?? '')
  await rowOf(page, 'First').click()
  await rowOf(page, 'Plain').hover()
  await isAhead(page, 'Body of plain')
  expect(await page.locator(aheadFrames).count()).toBe(1)
  await page.keyboard.press('j')
  await frameOf(page).getByText('Body of moving').waitFor()
})

it('a deleted mail does not stay loaded ahead', async () => {
  const { post, page, idOf } = await openThree()
  await rowOf(page, 'Number 3').click()
  await isAhead(page, 'Body of 2')
  await post.inbox.remove(idOf(2))
  await isAhead(page, 'Body of 1')
  expect(await page.locator(aheadFrames).count()).toBe(1)
})

/**
 * Three mails in the list of a page, of which the newest is number 3, their ids, and the requests for their HTML.
 *
 * @param prepare  Called before the page is loaded, which opens the newest mail.
 */
async function openThree(
  prepare: (page: Page, idOf: (number: number) => string) => Promise<unknown> = () => Promise.resolve(),
): Promise<{
  post: Localpost
  page: Page
  idOf: (number: number) => string
  asked: () => string[]
}> {
  // After the mails: a page that saw them arrive has opened an older one, and expects that a person goes on to newer ones.
  const { post, page } = await openPage({}, false)
  const asked: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/html?')) asked.push(request.url())
  })
  const ids: string[] = []
  for (const [at, host] of ['one', 'two', 'three'].entries()) {
    const html = `<p>Body of ${at + 1}</p><a href="http://${host}.test/">Link of ${at + 1}</a><p style="height:2000px">`
    ids.push(await submit(post, { subject: `Number ${at + 1}`, html }))
  }
  const idOf = (number: number): string => ids[number - 1] ?? ''
  await prepare(page, idOf)
  await page.goto(post.url ?? '')
  await rowOf(page, 'Number 3').waitFor()
  return { post, page, idOf, asked: () => asked }
}

/** Waits until a mail with these words is loaded in a frame that is not shown. */
async function isAhead(page: Page, words: string): Promise<void> {
  await expect
    .poll(async () => {
      const frames = await page.locator(aheadFrames).all()
      const texts = frames.map((frame) => frame.contentFrame().locator('body').textContent())
      return (await Promise.all(texts)).join()
    })
    .toContain(words)
}

async function expectNoSignOfReading(post: Localpost, subjects: string[]): Promise<void> {
  for (const subject of subjects) {
    const [mail] = (await post.inbox.list({ query: `subject:"${subject}"` })).items
    expect(mail?.unread).toBe(true)
    const { recipients } = await post.inbox.get(mail?.id ?? '')
    const statuses = recipients.flatMap(({ events }) => events.map(({ status }) => status))
    expect(statuses).not.toContain('opened')
  }
}
