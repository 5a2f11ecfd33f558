import { expect, it } from 'vitest'
import { frameOf, openPage, panel, rowOf, rowsOf, searchField, submit, tab } from './_setup.ts'

it('Enter opens the first result, and its words are marked in the list and in the mail', async () => {
  const { post, page } = await openPage()
  for (const [subject, text] of [
    ['Your invoice', 'The invoice is attached.'],
    ['Welcome', 'Hello'],
  ] as const)
    await submit(post, { to: 'ada@example.com', subject, text })
  await rowOf(page, 'Welcome').waitFor()
  await searchField(page).fill('invoice')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Your invoice' }).waitFor()
  await expect.poll(() => page.evaluate(() => document.activeElement?.id ?? '')).toMatch(/^mail-em_/)
  await expect.poll(() => rowsOf(page).locator('mark').allTextContents()).toEqual(['invoice', 'invoice'])
  await expect.poll(() => panel(page).locator('mark').allTextContents()).toEqual(['invoice'])
})

it('the suggestions for a search cover no result', async () => {
  const { post, page } = await openPage()
  await submit(post, { to: 'ada@example.com', subject: 'Friday', text: 'fr' })
  await rowOf(page, 'Friday').waitFor()
  await searchField(page).pressSequentially('fr')
  await page.getByRole('option', { name: /^from:/ }).waitFor()
  const menu = await page.getByRole('listbox', { name: 'Suggestions' }).boundingBox()
  const row = await rowOf(page, 'Friday').boundingBox()
  expect((menu?.y ?? 0) + (menu?.height ?? 0)).toBeLessThanOrEqual((row?.y ?? 0) + 1)
})

it('the suggestions of the empty field leave the filters free', async () => {
  const { post, page } = await openPage()
  await submit(post, { to: 'ada@example.com', subject: 'Friday', text: 'x' })
  await rowOf(page, 'Friday').waitFor()
  await searchField(page).click()
  await page.getByRole('option', { name: /^from:/ }).waitFor()
  // A click on what is covered would time out.
  await page.getByRole('group', { name: 'Filters' }).getByRole('button', { name: 'Bounced' }).click()
  await expect.poll(() => searchField(page).inputValue()).toBe('status:bounced')
})

it('an address of a mail searches for its mails', async () => {
  const { post, page } = await openPage()
  await submit(post, { to: 'ada@example.com', subject: 'To Ada', text: 'x' })
  await submit(post, { to: 'bob@example.com', subject: 'To Bob', text: 'x' })
  await rowOf(page, 'To Ada').click()
  await page.getByRole('button', { name: 'ada@example.com' }).click()
  await expect.poll(() => searchField(page).inputValue()).toBe('to:ada@example.com')
  await rowOf(page, 'To Bob').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'hello@acme.test' }).click()
  await expect.poll(() => searchField(page).inputValue()).toBe('from:hello@acme.test')
  await rowOf(page, 'To Bob').waitFor()
})

it('problems of a mail stand in front: open placeholders, and the checks that fail', async () => {
  const { post, page } = await openPage()
  await submit(post, { to: 'ada@example.com', subject: 'Hello {{name}}', html: '<p>Order {{order.id}}</p>' })
  await rowOf(page, 'Hello').click()
  const note = page.getByRole('status').filter({ hasText: '2 placeholders were not filled in' })
  await note.getByText('{{order.id}}').waitFor()
  const text = Array.from({ length: 12 }, (_, at) => `{{field_${at}}}`).join(' ')
  await submit(post, { to: 'ada@example.com', subject: 'Many', text })
  await rowOf(page, 'Many').click()
  await page
    .getByRole('status')
    .filter({ hasText: /12 placeholders were not filled in.*and 4 more/ })
    .waitFor()
  await rowOf(page, 'Hello').click()
  await tab(page, 'Checks')
    .getByText(/error|warning/)
    .waitFor({ state: 'attached' })
})

it('the empty inbox names the newest problem, and sends a test mail', async () => {
  const { post, page } = await openPage()
  await page.getByText('Waiting for the first mail').waitFor()
  await fetch(`${post.url}/v1/emails`, { method: 'POST' })
  await page.getByRole('region', { name: 'Why is there no mail?' }).getByText('API key').first().waitFor()
  await page.getByRole('button', { name: 'Send a test mail' }).click()
  await rowOf(page, 'A test mail from Localpost').waitFor()
})

it('the words of a search are marked in HTML too, and a row shows the place in the text', async () => {
  const { post, page } = await openPage()
  const filler = 'Some words that come before it. '.repeat(20)
  await submit(post, { subject: 'One', text: `${filler}The courier is Hermes, as always.` })
  // The names of elements may hide members of the document.
  await submit(post, {
    subject: 'Two',
    html: `<style>.hermes { color: red }</style><p>${filler}</p><p id="place">Your <b>Hermes</b> courier</p><img name="adoptedStyleSheets"><img name="createRange">`,
  })
  await rowOf(page, 'Two').waitFor()
  await searchField(page).fill('hermes')
  await rowOf(page, 'One').getByText('courier is Hermes, as always').waitFor()
  await rowOf(page, 'Two').getByText('Your Hermes courier').waitFor()
  await expect.poll(() => rowsOf(page).locator('mark').allTextContents()).toEqual(['Hermes', 'Hermes'])

  await rowOf(page, 'Two').click()
  const marked = (): Promise<string[]> =>
    frameOf(page)
      .locator('#place')
      .evaluate(() => {
        const found = CSS.highlights.get('localpost-search') as Iterable<Range> | undefined
        return [...(found ?? [])].map((range) => range.toString())
      })
  await expect.poll(marked).toEqual(['Hermes'])
  expect(await frameOf(page).locator('#place').innerHTML()).toBe('Your <b>Hermes</b> courier')
  await searchField(page).fill('')
  await expect.poll(marked).toEqual([])
})

it('a search for a person who has no mail says why', async () => {
  const { post, page } = await openPage()
  await submit(post, { to: 'ada@example.com', subject: 'Hello', text: 'x' })
  await rowOf(page, 'Hello').waitFor()
  await searchField(page).fill('to:adda@example.com')
  const why = page.getByRole('region', { name: 'Why is there no mail to adda@example.com?' })
  await why.getByText('ada@example.com', { exact: false }).first().waitFor()
  await searchField(page).fill('nothing has this')
  await page.getByText('No mail matches this search').waitFor()
  await why.waitFor({ state: 'detached' })
})
