import type { Locator } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { mailTo, openPage, panel, rowOf, rowsOf, searchField, send, submit, tab, topOf } from './_setup.ts'

describe('the list', () => {
  it('lists mail from SMTP and from /v1, newest first, with its status', async () => {
    const { post, page } = await openPage()
    await submit(post, { subject: 'Over SMTP', text: 'The first one' })
    await rowOf(page, 'Over SMTP').waitFor()
    await send(post, {
      subject: 'Over HTTP',
      to: 'bounce@simulator.localpost',
    })
    const row = rowOf(page, 'Over HTTP')
    await row.getByText('Bounced').waitFor()

    const texts = await rowsOf(page).allTextContents()
    expect(texts).toHaveLength(2)
    expect(texts[0]).toMatch(
      /^TodayUnread\. Over HTTP.*to bounce@simulator\.localpost from Acme.*Hello.*Bounced$/,
    )
    expect(texts[1]).toMatch(/Over SMTP.*from Acme.*The first one$/)
  })

  it('shows the bounce of one recipient even if another one opened the mail later', async () => {
    const { post, page } = await openPage()
    const to = ['ada@example.com', 'bounce@simulator.localpost']
    const { id } = await post.emails.send({
      from: 'Acme <hi@acme.test>',
      to,
      subject: 'To two',
      text: 'x',
    })
    await rowOf(page, 'To two').getByText('1 of 2').waitFor()
    await expect.poll(async () => (await post.inbox.get(id)).outcomes).toEqual({ delivered: 1, bounced: 1 })
    await post.emails.addEvent(id, {
      recipient: 'ada@example.com',
      status: 'opened',
    })
    expect((await post.inbox.get(id)).last_event.status).toBe('opened')
    await rowOf(page, 'To two').getByText('Bounced').waitFor()
    await expect.poll(() => rowOf(page, 'To two').getByText('1 of 2').count()).toBe(1)
  })

  it('shows only the tags that have room, and always some of the text', async () => {
    const { post, page } = await openPage()
    await page.setViewportSize({ width: 1024, height: 768 })
    const id = await submit(post, {
      subject: 'Tagged',
      to: ['ada@example.com', 'bounce@simulator.localpost'],
      text: 'Your code is 482913 and so on.',
    })
    const row = rowOf(page, 'Tagged')
    const tags = row.locator('.tag')
    await row.getByText('1 of 2').waitFor()
    for (const [chosen, seen] of [
      [['orders', 'a-tag-with-a-long-name'], 1],
      [['a-tag-with-a-long-name', 'orders'], 1],
      [['a', 'b'], 2],
    ] as const) {
      await post.inbox.update(id, { tags: [...chosen] })
      await expect.poll(() => tags.allTextContents()).toEqual(chosen.map((tag) => `Tag: ${tag}`))
      // At one moment: a new tag above the list moves the row meanwhile.
      const { widths, text } = await row.evaluate((element) => {
        const boxOf = (name: string): DOMRect[] =>
          [...element.querySelectorAll(name)].map((one) => one.getBoundingClientRect())
        const bottom = boxOf('.tags')[0]?.bottom ?? 0
        const shown = boxOf('.tag').filter(({ top }) => top < bottom - 1)
        return { widths: shown.map(({ width }) => width), text: boxOf('.snippet')[0]?.width }
      })
      expect(widths.length, chosen.join()).toBe(seen)
      expect(Math.min(...widths)).toBeGreaterThan(20)
      expect(text).toBeGreaterThan(40)
      await row.getByText('1 of 2').waitFor()
    }
    await page.setViewportSize({ width: 1280, height: 800 })
  })

  it('selects a range with shift, and no row moves', async () => {
    const { post, page } = await openPage()
    for (let i = 0; i < 5; i++) await submit(post, { subject: `Mail ${i}`, text: `Text ${i}` })
    await rowOf(page, 'Mail 4').waitFor()
    const top = await topOf(rowOf(page, 'Mail 2'))
    const box = (at: number): Locator =>
      rowsOf(page)
        .filter({ hasText: `Mail ${at}` })
        .getByRole('checkbox')
    await rowOf(page, 'Mail 3').hover()
    await box(3).click()
    await page.getByRole('toolbar', { name: 'Selected mails' }).getByText('1 selected').waitFor()
    expect(await topOf(rowOf(page, 'Mail 2'))).toBe(top)
    await box(1).click({ modifiers: ['Shift'] })
    await page.getByRole('toolbar', { name: 'Selected mails' }).getByText('3 selected').waitFor()
    expect(await topOf(rowOf(page, 'Mail 2'))).toBe(top)
  })

  it('keeps the scroll position and the open mail while mail arrives', async () => {
    const { post, page } = await openPage()
    for (let i = 0; i < 20; i++) await submit(post, { subject: `Mail ${i}`, text: `Text ${i}` })
    await rowOf(page, 'Mail 19').waitFor()
    await rowOf(page, 'Mail 10').click()
    await panel(page).getByText('Text 10').waitFor()
    const before = await page.locator('nav .box').evaluate((box) => (box.scrollTop = 300))
    const top = await topOf(rowOf(page, 'Mail 10'))

    await submit(post, { subject: 'Arrived meanwhile', text: 'New' })
    await page.getByRole('button', { name: '1 new' }).waitFor()
    expect(Math.abs((await topOf(rowOf(page, 'Mail 10'))) - top)).toBeLessThan(2)
    expect(await page.locator('nav .box').evaluate((box) => box.scrollTop)).toBeGreaterThan(before)
    await panel(page).getByText('Text 10').waitFor()

    await page.getByRole('button', { name: '1 new' }).click()
    await page.waitForFunction(() => document.querySelector('nav .box')?.scrollTop === 0)
    await page.getByRole('button', { name: '1 new' }).waitFor({ state: 'detached' })
  })

  it('renders only the visible rows, and loads older mail on scrolling', async () => {
    const { post, page } = await openPage({}, false)
    for (let i = 0; i < 700; i++)
      await post.emails.send({
        ...mailTo('ada@example.com'),
        subject: `Mail ${i}.`,
      })
    const pages: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('/dev/inbox?')) pages.push(new URL(request.url()).search)
    })
    await page.goto(post.url ?? '')
    await page.getByText('700 mails', { exact: true }).waitFor()
    await rowsOf(page).first().getByRole('link').focus()
    const box = page.locator('nav .box')
    await box.evaluate((element) => element.scrollTo(0, element.scrollHeight * 0.7))
    await expect.poll(async () => (await rowsOf(page).allTextContents()).join()).toContain('Mail 205.')
    // The rows before them were not loaded.
    expect(pages.some((search) => Number(new URLSearchParams(search).get('offset')) > 400)).toBe(true)
    expect(pages.every((search) => Number(new URLSearchParams(search).get('limit')) <= 200)).toBe(true)
    await box.evaluate((element) => element.scrollTo(0, element.scrollHeight))
    await rowOf(page, 'Mail 0.').waitFor()
    // The row with the focus is not loaded any more; the focus stays in the list.
    await expect.poll(() => page.evaluate(() => document.activeElement?.className)).toBe('box')
    expect(await rowsOf(page).last().getAttribute('aria-posinset')).toBe('700')
    await expect.poll(() => rowsOf(page).count()).toBeLessThan(40)
    await box.evaluate((element) => element.scrollTo(0, element.scrollHeight / 2))
    await expect.poll(async () => (await rowsOf(page).allTextContents()).join()).toContain('Mail 350.')
    await box.evaluate((element) => element.scrollTo(0, 0))
    await rowOf(page, 'Mail 699.').waitFor()
  })

  it('scrolls to a mail that is opened by its address, and marks it as read', async () => {
    const { post, page } = await openPage({}, false)
    const ids: string[] = []
    for (let i = 0; i < 40; i++)
      ids.push(
        (
          await post.emails.send({
            ...mailTo('ada@example.com'),
            subject: `Mail ${i}.`,
          })
        ).id,
      )
    await page.goto(`${post.url}/#/mail/${ids[3]}`)
    await page.getByRole('heading', { level: 1, name: 'Mail 3.' }).waitFor()
    const row = rowOf(page, 'Mail 3.')
    await expect.poll(() => topOf(row)).toBeLessThan(800)
    expect(await topOf(row)).toBeGreaterThan(100)
    await row.getByText('Unread.').waitFor({ state: 'detached' })
    await expect.poll(async () => (await post.inbox.get(ids[3] ?? '')).unread).toBe(false)
  })

  it('finds mail, explains an error in a search, and deletes only the matches', async () => {
    const { post, page } = await openPage()
    await submit(post, { subject: 'Keep me', text: 'x' })
    await submit(post, { subject: 'Lose me', text: 'x' })
    await rowOf(page, 'Lose me').waitFor()
    const field = searchField(page)
    await field.fill('"open')
    await field.press('Enter')
    await page.getByRole('alert').getByText('not closed').waitFor()
    await field.fill('subject:lose')
    await page.getByText('1 match', { exact: true }).waitFor()
    expect(page.url()).toContain('?query=subject%3Alose')

    await page.getByRole('button', { name: 'Delete matches…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No mail matches this search.').waitFor()
    await field.fill('')
    await rowOf(page, 'Keep me').waitFor()
    await expect.poll(() => rowsOf(page).count()).toBe(1)
  })

  it('keeps the filtered list while a search is being edited, and shows suggestions', async () => {
    const { post, page } = await openPage()
    await submit(post, {
      from: 'shop@acme.test',
      subject: 'From the shop',
      text: 'x',
    })
    await submit(post, {
      from: 'bills@acme.test',
      subject: 'From the office',
      text: 'x',
    })
    await rowOf(page, 'From the office').waitFor()
    const field = searchField(page)
    await field.fill('from:shop')
    await page.getByText('1 match', { exact: true }).waitFor()
    await field.fill('from:')
    await page.getByRole('option', { name: 'from:bills@acme.test' }).waitFor()
    await field.press('Escape')
    await expect.poll(() => rowsOf(page).count()).toBe(1)
    await field.press('Enter')
    await page.getByRole('alert').waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
    await expect.poll(() => rowsOf(page).count()).toBe(0)
  })

  it('deletes one mail, which can be undone, and all after a confirmation', async () => {
    const { post, page } = await openPage()
    for (const subject of ['One', 'Two', 'Three']) await submit(post, { subject, text: 'x' })
    await rowOf(page, 'Two').click()
    await page.getByRole('button', { name: 'Delete this mail' }).click()
    await page.getByRole('heading', { level: 1, name: 'One' }).waitFor()
    await expect.poll(() => rowsOf(page).count()).toBe(2)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('heading', { level: 1, name: 'Two' }).waitFor()
    await expect.poll(() => rowsOf(page).count()).toBe(3)
    await page.keyboard.press('#')
    await page.getByRole('heading', { level: 1, name: 'One' }).waitFor()
    await page.getByText('1 mail deleted').waitFor()
    await page.keyboard.press('z')
    await page.getByRole('heading', { level: 1, name: 'Two' }).waitFor()
    await page.keyboard.press('#')
    await page.getByRole('heading', { level: 1, name: 'One' }).waitFor()
    await page.getByRole('button', { name: 'Delete all…' }).click()
    await page
      .getByRole('dialog', { name: 'Delete all 2 mails?' })
      .getByRole('button', { name: 'Delete' })
      .click()
    await page.getByRole('heading', { name: 'Ready for the first mail' }).waitFor()
    expect((await post.inbox.list()).count).toBe(0)
  })

  it('opens the next mail after a deletion whose event arrives before its answer', async () => {
    const { post, page } = await openPage()
    for (const subject of ['One', 'Two', 'Three']) await submit(post, { subject, text: 'x' })
    await rowOf(page, 'Two').click()
    await page.getByRole('heading', { level: 1, name: 'Two' }).waitFor()
    await page.route('**/dev/inbox/removals', async (route) => {
      const before = await rowsOf(page).count()
      const answer = await route.fetch()
      await expect.poll(() => rowsOf(page).count()).toBe(before - 1)
      expect(await page.getByText('This mail is not there any more.').count()).toBe(0)
      await route.fulfill({ response: answer })
    })
    await page.getByRole('button', { name: 'Delete this mail' }).click()
    await page.getByRole('heading', { level: 1, name: 'One' }).waitFor()
    // After the last mail of the list, the one above it is opened.
    await page.getByRole('button', { name: 'Delete this mail' }).click()
    await page.getByRole('heading', { level: 1, name: 'Three' }).waitFor()
  })

  it('deletes the matches of a search with two keys, the second one answers how many', async () => {
    const { post, page } = await openPage()
    for (const subject of ['One', 'Two', 'Two again']) await submit(post, { subject, text: 'x' })
    await page.getByText('3 mails', { exact: true }).waitFor()
    await searchField(page).fill('subject:two')
    await page.getByText('2 matches', { exact: true }).waitFor()
    await searchField(page).blur()
    await page.keyboard.press('D')
    await page.getByRole('dialog', { name: 'Delete 2 matches?' }).waitFor()
    await page.keyboard.press('y')
    await page.getByText('No mail matches this search.').waitFor()
    const { items } = await post.inbox.list()
    expect(items.map(({ subject }) => subject)).toEqual(['One'])
  })

  it('can be walked through with the keys', async () => {
    const { post, page } = await openPage()
    const opened = (name: string): Promise<void> => page.getByRole('heading', { level: 1, name }).waitFor()
    await submit(post, { subject: 'Oldest', text: 'Oldest' })
    await opened('Oldest')
    for (const subject of ['Middle', 'Newest']) await submit(post, { subject, text: subject })
    await rowOf(page, 'Newest').waitFor()
    await opened('Oldest')
    await page.keyboard.press('k')
    await opened('Middle')
    await page.keyboard.press('k')
    await opened('Newest')
    await page.keyboard.press('j')
    await opened('Middle')
    await page.keyboard.press('Escape')
    await page.getByText('No mail is open.').waitFor()
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('Middle')
    await page.keyboard.press('Enter')
    await opened('Middle')
    await tab(page, 'Text').focus()
    await page.keyboard.press('ArrowRight')
    await panel(page).getByText('Subject: Middle').waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('jk')
    expect(await searchField(page).inputValue()).toBe('jk')
  })
})

describe('mails that a person will probably open next', () => {
  it('are fetched ahead: the next one, and the one under the pointer; each is shown as it is now', async () => {
    const { post, page } = await openPage({}, false)
    const ids: string[] = []
    for (const n of [1, 2, 3, 4]) {
      await submit(post, { subject: `Mail ${n}`, text: 'Text' })
      ids.unshift((await post.inbox.latest({ subject: `Mail ${n}` }))?.id ?? '')
    }
    const asked: string[] = []
    page.on('requestfinished', (request) => {
      const [, id] = /\/dev\/inbox\/(em_\w+)$/.exec(new URL(request.url()).pathname) ?? []
      if (id !== undefined && request.method() === 'GET') asked.push(id)
    })
    const heading = (name: string): Locator => page.getByRole('heading', { level: 1, name })
    await page.goto(`${post.url}/#/mail/${ids[0]}`)
    await heading('Mail 4').waitFor()
    await expect.poll(() => asked).toContain(ids[1])
    await rowOf(page, 'Mail 1').hover()
    await expect.poll(() => asked).toContain(ids[3])
    // The one under the pointer changes after it was fetched.
    await post.inbox.update(ids[3] ?? '', { tags: ['changed'] })
    await rowOf(page, 'Mail 1').getByText('changed').waitFor()
    await rowOf(page, 'Mail 1').click()
    await heading('Mail 1').waitFor()
    await page.locator('article').getByText('changed').waitFor()
    // Upwards, the next one is the one above, which is shown although it cannot be fetched any more.
    const countOf = (wanted: string | undefined): number => asked.filter((id) => id === wanted).length
    const before = countOf(ids[1])
    await page.keyboard.press('k')
    await heading('Mail 2').waitFor()
    await expect.poll(() => countOf(ids[1])).toBeGreaterThan(before)
    await page.route(/\/dev\/inbox\/em_\w+$/, (route) => route.abort())
    await page.keyboard.press('k')
    await heading('Mail 3').waitFor()
  })
})
