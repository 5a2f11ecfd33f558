import { expect, it } from 'vitest'
import { enter, openPage, panel, rowOf, searchField, submit, tab } from './_setup.ts'

it('Back brings back the search of each step, in the address and in the field', async () => {
  const { post, page } = await openPage({}, false)
  for (const subject of ['Invoice one', 'Welcome']) await submit(post, { to: 'ada@example.com', subject })
  await page.goto(post.url ?? '')
  // The page opens on the newest mail.
  await page.getByRole('heading', { level: 1, name: 'Welcome' }).waitFor()
  await rowOf(page, 'Invoice one').click()
  await page.getByRole('heading', { level: 1, name: 'Invoice one' }).waitFor()
  await searchField(page).fill('welcome')
  await rowOf(page, 'Invoice one').waitFor({ state: 'detached' })
  await rowOf(page, 'Welcome').click()
  await expect.poll(() => new URL(page.url()).search).toBe('?query=welcome')
  const steps = [
    ['welcome', '?query=welcome'],
    ['', ''],
  ] as const
  for (const [words, search] of steps) {
    await page.goBack()
    await expect.poll(() => new URL(page.url()).search).toBe(search)
    await expect.poll(() => searchField(page).inputValue()).toBe(words)
  }
  await rowOf(page, 'Invoice one').waitFor()
})

it('a reload and Back keep the tab of a mail, and a link leads to it', async () => {
  const { post, page } = await openPage()
  for (const subject of ['First', 'Second'])
    await submit(post, { to: 'ada@example.com', subject, text: subject })
  await rowOf(page, 'First').click()
  await tab(page, 'Headers').click()
  await expect.poll(() => new URL(page.url()).hash).toMatch(/^#\/mail\/\w+\/headers$/)
  await page.reload()
  await panel(page).getByText('Subject').first().waitFor()
  await rowOf(page, 'Second').click()
  await page.getByRole('heading', { name: 'Second' }).waitFor()
  await tab(page, 'Text').click()
  await expect.poll(() => new URL(page.url()).hash).toMatch(/^#\/mail\/\w+$/)
  await page.goBack()
  await page.getByRole('heading', { name: 'First' }).waitFor()
  await expect.poll(() => tab(page, 'Headers').getAttribute('aria-selected')).toBe('true')
})

it.each(['#/nothing', '#/mail', '#/mail/em_1/nothing', '#/domains/dom_1/more', '#/mail/em_1/full/text/more'])(
  'says that nothing is at %s, and leads back',
  async (hash) => {
    const { post, page } = await openPage({}, false)
    await page.goto(`${post.url}/${hash}`)
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor()
    await page.getByRole('link', { name: 'Go to the inbox' }).click()
    await page.getByRole('heading', { name: 'Ready for the first mail' }).waitFor()
  },
)

it('shows what other tabs change: a deleted mail, faults and rules', async () => {
  const { post, page } = await openPage()
  await submit(post, { to: 'ada@example.com', subject: 'Short lived' })
  await rowOf(page, 'Short lived').click()
  await expect.poll(() => page.title()).toMatch(/Short lived/)
  await post.faults.set({ http: [{ path: '/v1/emails', status: 503 }] })
  await page.getByText('Faults are on: 1 for HTTP.').first().waitFor()
  await post.faults.clear()
  await page.getByText('Faults are on: 1 for HTTP.').waitFor({ state: 'detached' })
  const { id } = await post.inbox.waitFor()
  await post.inbox.remove(id)
  await page.getByText('This mail is not there any more.').waitFor()
  await expect.poll(() => page.title()).toBe('Localpost')
  await enter(page, 'Rules and faults')
  await page.getByText('every recipient is accepted').waitFor()
  await post.rules.set([{ match: '*@full.example', action: 'reject' }])
  await page.getByText('*@full.example').waitFor()
})

it('a new fault has what it needs, and a comparison without an earlier mail is no error', async () => {
  const { post, page } = await openPage()
  await enter(page, 'Rules and faults')
  await page.getByRole('button', { name: 'Add a fault' }).click()
  await page.getByLabel('What goes wrong').selectOption('smtp')
  await page.getByRole('button', { name: 'Turn the fault on' }).click()
  await page.getByText('replies 451').waitFor()
  await post.faults.clear()
  await submit(post, { to: 'ada@example.com', subject: 'Alone' })
  const { id } = await post.inbox.waitFor()
  await page.goto(`${post.url}/#/mail/${id}/compare/previous`)
  await page.getByRole('status').filter({ hasText: 'No earlier mail has this subject' }).waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
})
