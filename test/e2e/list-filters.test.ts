import { describe, expect, it } from 'vitest'
import { browser } from './context.ts'
import { chooseMore, enter, mailTo, openPage, rowOf, rowsOf, searchField, send, submit } from './_setup.ts'

const filter = (page: Awaited<ReturnType<typeof openPage>>['page'], name: string) =>
  page.getByRole('group', { name: 'Filters' }).getByRole('button', { name })

describe('rows of the list', () => {
  it('say what is not normal in a word each, and nothing of a delivery', async () => {
    const { post, page } = await openPage({ retryDelaysMs: [60_000] })
    const at = 'simulator.localpost'
    const sent = [
      { subject: 'Fine', to: 'Ada Lovelace <ada@example.com>' },
      { subject: 'It bounced', to: `bounce@${at}` },
      { subject: 'It complained', to: `complaint@${at}` },
      { subject: 'It delivery_delayed', to: `delayed@${at}` },
      { subject: 'It opened', to: `opened@${at}` },
      {
        subject: 'It failed',
        to: 'ada@example.com',
        attachments: [{ filename: 'a', path: 'http://127.0.0.1:1/a' }],
      },
    ]
    for (const mail of sent) await post.emails.send({ ...mailTo(mail.to), ...mail })
    const icons = new Set<string | null>()
    const words = {
      failed: 'Failed',
      bounced: 'Bounced',
      complained: 'Complaint',
      delivery_delayed: 'Delayed',
    }
    for (const [status, word] of Object.entries(words)) {
      const outcome = rowOf(page, `It ${status}`).locator('.outcome')
      await outcome.getByText(word).waitFor()
      icons.add(await outcome.locator('path').getAttribute('d'))
    }
    expect(icons.size).toBe(4)
    // An opening is seen as an icon, and heard as a word.
    expect((await rowOf(page, 'It opened').textContent())?.endsWith('Opened')).toBe(true)
    const fine = (await rowOf(page, 'Fine').textContent()) ?? ''
    expect(fine).toContain('to Ada Lovelace')
    expect(fine).not.toMatch(/Delivered|api|smtp/i)
    expect(await rowOf(page, 'Fine').locator('time').getAttribute('title')).toMatch(/, \d+ B$/)
    expect(await rowOf(page, 'Fine').locator('.to').getAttribute('title')).toBe(
      'Ada Lovelace <ada@example.com>',
    )
  })

  it('are compact on demand, at least 14 of them at a height of 900, and stay so after a reload', async () => {
    const { post, page } = await openPage()
    await page.setViewportSize({ width: 1440, height: 900 })
    for (let i = 0; i < 30; i++)
      await post.emails.send({ ...mailTo('ada+tag@example.com'), subject: `Mail ${i}.` })
    await page.getByText('30 mails', { exact: true }).waitFor()
    const whole = (): Promise<number> =>
      rowsOf(page).evaluateAll((rows) => {
        const box = rows[0]?.closest('.box')?.getBoundingClientRect()
        return rows.filter((row) => {
          const { top, bottom } = row.getBoundingClientRect()
          return box && top >= box.top && bottom <= box.bottom
        }).length
      })
    expect(await whole()).toBeLessThan(14)
    await page.getByRole('button', { name: 'Compact rows' }).click()
    await expect.poll(whole).toBeGreaterThanOrEqual(14)
    await page.reload()
    await expect.poll(whole).toBeGreaterThanOrEqual(14)
    // The key does the same as the button.
    await rowsOf(page).first().getByRole('link').focus()
    await page.keyboard.press('d')
    await expect.poll(whole).toBeLessThan(14)
    await page.reload()
    // The open mail is in sight, whichever it is.
    await page.locator('.row[aria-current=true]').waitFor()
    await expect.poll(whole).toBeGreaterThan(5)
    expect(await whole()).toBeLessThan(14)
  })

  it('keep the row at the top when they change their height', async () => {
    const { post, page } = await openPage()
    for (let i = 0; i < 120; i++)
      await post.emails.send({ ...mailTo('ada@example.com'), subject: `Mail ${i}.` })
    await page.getByText('120 mails', { exact: true }).waitFor()
    await page.locator('nav .box').evaluate((box) => box.scrollTo(0, 40 * 78))
    await rowOf(page, 'Mail 79.').waitFor()
    await page.getByRole('button', { name: 'Compact rows' }).click()
    await expect
      .poll(() => page.locator('nav .box').evaluate((box) => Math.round(box.scrollTop / 44)))
      .toBe(40)
    await page.evaluate(() => localStorage.clear())
  })
})

describe('the number of unread mails', () => {
  it('is in the title, the icon and the navigation, in every room, and goes down when a mail is opened', async () => {
    const { post, page } = await openPage()
    const icon = (): Promise<string | null> => page.locator('link[rel=icon]').getAttribute('href')
    expect(await icon()).toMatch(/favicon/)
    await submit(post, { subject: 'One', text: 'x' })
    await submit(post, { subject: 'Two', text: 'x' })
    const inbox = page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Inbox' })
    await inbox.getByText('2 unread').waitFor()
    expect(await page.title()).toMatch(/^\(2\) /)
    expect(decodeURIComponent((await icon()) ?? '')).toContain('>2</text>')
    await enter(page, 'Domains')
    await expect.poll(() => page.title()).toBe('(2) Domains · Localpost')
    await submit(post, { subject: 'Three', text: 'x' })
    await inbox.getByText('3 unread').waitFor()
    await inbox.click()
    await rowOf(page, 'One').click()
    await inbox.getByText('2 unread').waitFor()
    await expect.poll(() => page.title()).toBe('(2) One · Localpost')
    await post.inbox.updateMatching(null, { unread: false })
    await inbox.getByText('unread').waitFor({ state: 'detached' })
    await expect.poll(() => page.title()).toBe('One · Localpost')
    expect(await icon()).toMatch(/favicon/)
  })
})

describe('the filters above the list', () => {
  it('turn a part of the search on and off in one click, beside what is typed', async () => {
    const { post, page } = await openPage()
    await submit(post, {
      subject: 'With file',
      text: 'x',
      attachments: [{ filename: 'a.txt', content: 'x' }],
    })
    await send(post, { subject: 'Came back', to: 'bounce@simulator.localpost' })
    await post.inbox.waitFor('status:bounced')
    const { id } = await post.inbox.waitFor('subject:"With file"')
    await post.inbox.update(id, { unread: false })
    const subjects = async (): Promise<string> => (await rowsOf(page).allTextContents()).join()
    const expected = {
      Unread: 'Came back',
      Bounced: 'Came back',
      Attachments: 'With file',
      API: 'Came back',
      SMTP: 'With file',
    }
    for (const [name, subject] of Object.entries(expected)) {
      await filter(page, name).click()
      expect(await filter(page, name).getAttribute('aria-pressed')).toBe('true')
      await page.getByText('1 match', { exact: true }).waitFor()
      expect(await subjects()).toContain(subject)
      await filter(page, name).click()
      await page.getByText('2 mails', { exact: true }).waitFor()
    }
    await searchField(page).fill('came')
    await filter(page, 'API').click()
    expect(await searchField(page).inputValue()).toBe('came source:api')
    // There is no mail of both.
    await filter(page, 'SMTP').click()
    expect(await searchField(page).inputValue()).toBe('came source:smtp')
    await page.getByText('No mail matches this search.').waitFor()
  })

  it('has every tag: the most frequent at hand, all of them in a list that can be searched', async () => {
    const { post, page } = await openPage()
    for (let i = 0; i < 12; i++)
      await submit(post, { subject: `Mail ${i}.`, text: 'x', headers: { 'X-Tags': `often, kind ${i}` } })
    await filter(page, 'Tag: often').waitFor()
    await filter(page, 'All tags').click()
    const menu = page.getByRole('group', { name: 'All tags' })
    await menu.getByRole('textbox', { name: 'Find a tag' }).fill('KIND 7')
    await expect.poll(() => menu.getByRole('button', { name: 'kind' }).count()).toBe(1)
    await menu.getByRole('button', { name: 'kind 7' }).click()
    await page.getByText('1 match', { exact: true }).waitFor()
    await rowOf(page, 'Mail 7.').waitFor()
    expect(await searchField(page).inputValue()).toBe('tag:"kind 7"')
    expect(await filter(page, 'Tag: kind 7').getAttribute('aria-pressed')).toBe('true')
    await filter(page, 'Tag: kind 7').click()
    await page.getByText('12 mails', { exact: true }).waitFor()
  })

  it('rename a tag in all mails that have it, and follow with the search', async () => {
    const { post, page } = await openPage()
    for (const tags of ['old one', 'Old One, other', 'other'])
      await submit(post, { subject: `With ${tags}`, text: 'x', headers: { 'X-Tags': tags } })
    await filter(page, 'Tag: old one').click()
    await page.getByText('2 matches', { exact: true }).waitFor()
    await filter(page, 'All tags').click()
    await page.getByRole('button', { name: 'Edit a tag…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Edit a tag' })
    await dialog.getByRole('combobox').selectOption('old one')
    await dialog.getByLabel('New name').fill('other')
    await dialog.getByText('the two tags become one').waitFor()
    await dialog.getByLabel('New name').fill('brand new')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect.poll(() => searchField(page).inputValue()).toBe('tag:"brand new"')
    await page.getByText('2 matches', { exact: true }).waitFor()
    expect(await post.inbox.tags()).toEqual([
      { tag: 'brand new', count: 2 },
      { tag: 'other', count: 2 },
    ])
  })

  it('know the tags that a person may add to a mail, with only the keyboard', async () => {
    const { post, page } = await openPage()
    await submit(post, { subject: 'Tagged', text: 'x', headers: { 'X-Tags': 'signup, design' } })
    await submit(post, { subject: 'Bare', text: 'x' })
    await filter(page, 'Tag: signup').waitFor()
    await rowOf(page, 'Bare').click()
    await page.getByRole('heading', { name: 'Bare' }).waitFor()
    await page.keyboard.press('t')
    const field = page.getByRole('combobox', { name: 'New tag' })
    await field.fill('sig')
    const options = page.getByRole('listbox', { name: 'Existing tags' }).getByRole('option')
    await expect.poll(() => options.allTextContents()).toEqual(['signup', 'design'])
    await field.press('ArrowDown')
    const active = await field.getAttribute('aria-activedescendant')
    expect(await options.first().getAttribute('id')).toBe(active)
    await field.press('Enter')
    await page.getByRole('button', { name: 'Remove the tag signup' }).waitFor()
    expect((await post.inbox.latest('subject:Bare'))?.tags).toEqual(['signup'])
  })
})

describe('desktop notifications', () => {
  it('are off until a person allows them, then announce new mail, and a click opens it', async () => {
    const { post, page } = await openPage({}, false)
    // What a browser without a desktop refuses is asked and shown here, and seen by the test.
    await page.addInitScript(() => {
      class Shown extends EventTarget {
        static permission = localStorage.getItem('test-permission') ?? 'default'
        static async requestPermission(): Promise<string> {
          Shown.permission = Shown.permission === 'default' ? 'denied' : 'granted'
          localStorage.setItem('test-permission', Shown.permission)
          return Shown.permission
        }
        constructor(title: string, { body }: NotificationOptions) {
          super()
          const element = document.createElement('button')
          element.textContent = `Notified: ${title} / ${body}`
          element.addEventListener('click', () => this.dispatchEvent(new Event('click')))
          document.body.append(element)
        }
        close(): void {}
      }
      Object.assign(window, { Notification: Shown })
      document.hasFocus = () => false
    })
    await page.goto(post.url ?? '')
    await page.getByRole('heading', { name: 'Ready for the first mail' }).waitFor()
    await chooseMore(page, 'Turn desktop notifications on')
    await page.getByText('This browser denies notifications').waitFor()
    await chooseMore(page, 'Turn desktop notifications on')
    await page.getByText('This browser denies notifications').waitFor({ state: 'detached' })
    await page.reload()
    await page.getByText('Live', { exact: true }).waitFor()
    for (const subject of ['One', 'Two']) await submit(post, { subject, text: 'x' })
    const notified = page.getByRole('button', { name: 'Notified' })
    await expect.poll(async () => (await notified.allTextContents()).at(-1)).toMatch(/Two$/)
    await enter(page, 'Domains')
    await notified.last().click()
    await page.getByRole('heading', { name: 'Two' }).waitFor()
    await chooseMore(page, 'Turn desktop notifications off')
    await page.evaluate(() => localStorage.clear())
  })
})

describe('a page in another tab', () => {
  it('counts what is read here', async () => {
    const { post, page } = await openPage()
    await submit(post, { subject: 'Read me', text: 'x' })
    const other = await browser.context.newPage()
    await other.goto(post.url ?? '')
    await expect.poll(() => other.title()).toMatch(/^\(1\) /)
    await rowOf(page, 'Read me').click()
    await expect.poll(() => other.title()).not.toMatch(/^\(/)
  })
})
