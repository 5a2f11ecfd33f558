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

it('a link leads to one check of a mail, opened and with the focus', async () => {
  const { post, page } = await openPage({}, false)
  await submit(post, { to: 'ada@example.com', subject: 'Hi {{name}}', html: '<p>Hi {{name}}</p>' })
  const { id } = await post.inbox.waitFor()
  const focused = (): Promise<string | null> =>
    page.evaluate(() => document.activeElement?.getAttribute('data-check') ?? null)
  await page.goto(`${post.url}/#/mail/${id}/checks/placeholders`)
  await expect.poll(focused).toBe('placeholders')
  const link = page.getByRole('button', { name: 'Copy the link to the check: Placeholders left' })
  await link.waitFor()
  // A check that passed is in a group that is closed until then.
  await page.goto(`${post.url}/#/mail/${id}/checks/message`)
  await expect.poll(focused).toBe('message')
  await panel(page).getByText('The message can be read in full').waitFor()
  // The section of the mail clients is the place of its check.
  await page.goto(`${post.url}/#/mail/${id}/checks/client-support`)
  await expect.poll(focused).toBe('client-support')
  expect(await panel(page).getByText('There is no check').count()).toBe(0)
  await page.getByRole('button', { name: 'Full screen' }).click()
  await expect.poll(() => new URL(page.url()).hash).toBe(`#/mail/${id}/full/checks/client-support`)
  await page.goto(`${post.url}/#/mail/${id}/full/checks/nothing`)
  await panel(page).getByText('There is no check “nothing” of this mail.').waitFor()
  await page.getByRole('link', { name: 'Show all checks' }).click()
  await panel(page).getByText('There is no check').waitFor({ state: 'detached' })
  await expect.poll(() => new URL(page.url()).hash).toBe(`#/mail/${id}/full/checks`)
})

it('a link to a check of another mail shows the checks of that mail', async () => {
  const { post, page } = await openPage({}, false)
  for (const subject of ['Hi {{name}}', 'Hi Ada'])
    await submit(post, { to: 'ada@example.com', subject, text: 'Hi' })
  const [second, first] = (await post.inbox.list()).items
  const focused = (): Promise<string | null> =>
    page.evaluate(() => document.activeElement?.getAttribute('data-check') ?? null)
  await page.goto(`${post.url}/#/mail/${first?.id}/checks/placeholders`)
  await expect.poll(focused).toBe('placeholders')
  await panel(page).getByText('Placeholders left').first().waitFor()
  await page.goto(`${post.url}/#/mail/${second?.id}/checks/message`)
  await page.getByRole('heading', { name: 'Hi Ada' }).waitFor()
  await expect.poll(focused).toBe('message')
})

it('a link leads to one version of a template, and showing one puts it into the address', async () => {
  const { post, page } = await openPage({}, false)
  for (const n of [1, 2, 3]) await post.templates.put('welcome', { subject: `Hi ${n}`, text: `Text ${n}` })
  const { items } = await post.templates.versions('welcome')
  const [second, first] = items
  const shown = (hasText: string): Promise<void> =>
    page.getByRole('group', { name: 'Text of the version' }).filter({ hasText }).waitFor()
  await page.goto(`${post.url}/#/templates/welcome/versions/${first?.id}`)
  await shown('Text 1')
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.getAttribute('data-version')))
    .toBe(first?.id)
  await page.getByRole('button', { name: /^Show the version/ }).click()
  await shown('Text 2')
  await page.reload()
  await shown('Text 2')
  expect(new URL(page.url()).hash).toBe(`#/templates/welcome/versions/${second?.id}`)
  // Differences are not the version: a link to it shows it.
  await page
    .getByRole('button', { name: /^Compare the version/ })
    .first()
    .click()
  await page.getByRole('group', { name: 'Text of the version' }).waitFor({ state: 'detached' })
  await page.goto(`${post.url}/#/templates/welcome/versions/${second?.id}`)
  await shown('Text 2')
  await page.goto(`${post.url}/#/templates/gone/versions/tv_1`)
  await page.getByText('There is no template “gone”.').waitFor()
  await page.getByRole('link', { name: 'Show all templates' }).click()
  await expect.poll(() => new URL(page.url()).hash).toBe('#/templates')
  await page.goto(`${post.url}/#/templates/welcome/versions/nothing`)
  await page.getByText('This template has no version “nothing”.').waitFor()
  await page.getByRole('link', { name: 'Back to the template' }).click()
  await page.getByText('This template has no version').waitFor({ state: 'detached' })
  await expect.poll(() => new URL(page.url()).hash).toBe('#/templates/welcome')
})

const nowhere = [
  '#/nothing',
  '#/mail',
  '#/mail/em_1/nothing',
  '#/mail/em_1/headers/more',
  '#/mail/em_1/checks/links/more',
  '#/domains/dom_1/more',
  '#/domains/dom_1/versions/1',
  '#/templates/welcome/versions',
  '#/mail/em_1/full/text/more',
]
it.each(nowhere)('says that nothing is at %s, and leads back', async (hash) => {
  const { post, page } = await openPage({}, false)
  await page.goto(`${post.url}/${hash}`)
  await page.getByRole('heading', { name: 'There is no such page' }).waitFor()
  await page.getByRole('link', { name: 'Go to the inbox' }).click()
  await page.getByRole('heading', { name: 'Ready for the first mail' }).waitFor()
})

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
