import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { objections } from './_axe.ts'
import { enter, openPage } from './_setup.ts'

describe('the Templates page', () => {
  it('stores a template, and shows it with values and without', async () => {
    const { post, page } = await openPage()
    await enter(page, 'Templates')
    await page.getByLabel('New template').fill('welcome')
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    await page.getByLabel('Subject').fill('Hi {{name}}')
    await page
      .getByLabel('HTML', { exact: true })
      .fill('<p>{{greeting}}{{constructor}}</p><script>parent.document.title = 1</script>')
    await page.getByText('Without a value: name, greeting, constructor').waitFor()
    expect(await page.getByLabel('constructor').inputValue()).toBe('')
    await page
      .getByLabel('HTML', { exact: true })
      .fill('<p>{{greeting}}</p><script>parent.document.title = 1</script>')
    await page.getByText('Without a value: name, greeting', { exact: true }).waitFor()
    expect(await coloured(page, 'template-html-tag')).toEqual(['<p>', '</p>', '<script>', '</script>'])
    expect(await coloured(page, 'template-html-placeholder')).toEqual(['{{greeting}}'])
    await page.getByLabel('greeting').fill('Good day')
    await page.frameLocator('iframe').getByText('Good day').waitFor()
    await page.getByText('Without a value: name', { exact: true }).waitFor()
    const text = page.getByLabel('Text', { exact: true })
    await text.fill('Dear ')
    await text.press('End')
    await text.pressSequentially('{{na')
    await page.getByRole('option', { name: 'first_name' }).waitFor()
    expect(await objections(page)).toEqual([])
    await text.press('ArrowDown')
    await page.getByRole('option', { name: 'name', exact: true, selected: true }).waitFor()
    await text.press('Enter')
    await expect.poll(() => text.inputValue()).toBe('Dear {{name}}')
    await text.pressSequentially(' {{')
    await page.getByRole('option', { name: 'greeting' }).click()
    await expect.poll(() => text.inputValue()).toBe('Dear {{name}} {{greeting}}')
    await page.getByRole('listbox').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').waitFor()
    await page.getByRole('list', { name: 'Templates' }).getByText('Hi {{name}}').waitFor()
    expect((await post.templates.get('welcome')).subject).toBe('Hi {{name}}')
    expect(await page.title()).toBe('Templates · Localpost')
  })

  it('shows the fields of at most ten variables, and those of more when they are asked for', async () => {
    const { page } = await openPage()
    await enter(page, 'Templates')
    await page.getByLabel('New template').fill('order')
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    const html = page.getByLabel('HTML', { exact: true })
    const variables = (count: number): string =>
      Array.from({ length: count }, (_, at) => `{{field_${at + 1}}}`).join(' ')
    await html.fill(variables(10))
    await page.getByLabel('field_10').fill('Ten')
    await html.fill(variables(11))
    await page.getByText('Values for 11 variables').click()
    await page.getByLabel('field_11').fill('Eleven')
  })

  it('sends a test of a template, and makes a broadcast from it with a preview for a contact', async () => {
    const { post, page } = await openPage()
    await post.templates.put('welcome', { subject: 'Hi {{first_name}}', text: 'Your code is {{code}}' })
    const audience = await post.audiences.create({ name: 'Customers' })
    await post.audiences.contacts.add(audience.id, { email: 'ada@example.com', first_name: 'Ada <b>' })
    await page.goto(`${post.url}/#/templates/welcome`)
    await page.getByLabel('first_name').fill('Grace')
    await page.getByLabel('code').fill('482913')
    await page.getByText('Send a test').click()
    await page.getByLabel('To', { exact: true }).fill('me@example.com')
    expect(await objections(page)).toEqual([])
    await page.getByRole('button', { name: 'Send the test' }).click()
    await page.getByRole('link', { name: 'Open the mail' }).waitFor()
    expect((await post.inbox.list()).items).toMatchObject([{ subject: 'Hi Grace', to: ['me@example.com'] }])
    await page.goto(`${post.url}/#/audiences/${audience.id}`)
    await page.getByRole('tab', { name: 'Broadcast' }).click()
    await page.getByLabel('Start with a template').selectOption('welcome')
    const preview = page.getByRole('region', { name: 'Preview' })
    await preview.getByText('Hi Ada <b>').waitFor()
    expect(await objections(page)).toEqual([])
  })

  it('renders a template by the language that is chosen, with data in JSON', async () => {
    const { post, page } = await openPage()
    await post.templates.put('list', { subject: 'Hi', text: 'x', name: 'List', metadata: { a: 'b' } })
    await page.goto(`${post.url}/#/templates/list`)
    await page.getByLabel('Language').selectOption('handlebars')
    await page.getByLabel('HTML', { exact: true }).fill('{{#each items}}<i>{{this}}</i>{{/each}} {{missing}}')
    await page.getByText('Without a value: missing').waitFor()
    await page.getByLabel('Data, as JSON').fill('{"items": ["one"')
    await page.getByText('The data is not JSON.').waitFor()
    await page.getByLabel('Data, as JSON').fill('{"items": ["one", "two"]}')
    await page.frameLocator('iframe').getByText('two').waitFor()
    expect(await objections(page)).toEqual([])
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').waitFor()
    expect(await post.templates.get('list')).toMatchObject({
      engine: 'handlebars',
      name: 'List',
      metadata: { a: 'b' },
    })
    await page.getByText('Send a test').click()
    await page.getByLabel('To', { exact: true }).fill('me@example.com')
    await page.getByRole('button', { name: 'Send the test' }).click()
    await page.getByRole('link', { name: 'Open the mail' }).waitFor()
    const [mail] = (await post.inbox.list()).items
    expect((await post.inbox.get(mail?.id ?? '')).html).toBe('<i>one</i><i>two</i> ')
    await page.getByLabel('HTML', { exact: true }).fill('{{#each items}}')
    await page.getByText('ends too early').waitFor()
  })

  it('keeps a draft of a template until it is saved or discarded', async () => {
    const { post, page } = await openPage()
    await enter(page, 'Templates')
    await page.getByLabel('New template').fill('half done')
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    await page.getByRole('alert').getByText('An id has').waitFor()
    await page.getByLabel('New template').fill('half-done')
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    await page.getByLabel('Subject').fill('Half a thought')
    await page.getByText('Not saved yet; kept while this tab is open.').waitFor()
    await enter(page, 'Domains')
    await page.getByRole('heading', { level: 1, name: 'Domains' }).waitFor()
    await enter(page, 'Templates')
    const entry = page.getByRole('list', { name: 'Templates' }).getByRole('link', { name: 'half-done' })
    await entry.getByText('not saved').waitFor()
    await page.reload()
    await entry.click()
    await expect.poll(() => page.getByLabel('Subject').inputValue()).toBe('Half a thought')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').waitFor()
    await page.getByLabel('Subject').fill('Another thought')
    await entry.getByText('changed').waitFor()
    await page.getByRole('button', { name: 'Discard changes' }).click()
    await expect.poll(() => page.getByLabel('Subject').inputValue()).toBe('Half a thought')
    await entry.getByText('changed').waitFor({ state: 'detached' })
    expect((await post.templates.get('half-done')).subject).toBe('Half a thought')

    await page.getByText('Versions', { exact: true }).click()
    await page.getByText('None yet.').waitFor()
    await page.getByLabel('Subject').fill('A whole thought')
    await page.getByLabel('Text', { exact: true }).fill('And its text')
    await page.getByRole('button', { name: 'Save' }).click()
    const versions = page.getByRole('list', { name: 'Versions' })
    await versions.getByText('Half a thought').waitFor()
    await page.getByLabel('Subject').fill('Not stored')
    await versions.getByRole('button', { name: 'Restore' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click()
    await page.getByText('Restored.').waitFor()
    await expect.poll(() => page.getByLabel('Subject').inputValue()).toBe('Half a thought')
    const replaced = versions.getByRole('listitem').filter({ hasText: 'A whole thought' })
    await replaced.getByRole('button', { name: 'Show' }).click()
    await page.getByRole('group', { name: 'Text of the version' }).getByText('And its text').waitFor()
    expect(await objections(page)).toEqual([])
    expect(await post.templates.get('half-done')).toMatchObject({ subject: 'Half a thought', text: null })
  })

  it('shows the lines in which two versions of a template differ', async () => {
    const { post, page } = await openPage({}, false)
    const html = (name: string): string =>
      `<h1>Hello ${name}</h1>\n${'<p>The same</p>\n'.repeat(30)}<p>Bye</p>`
    for (const [subject, name] of [
      ['Hi {{name}}', 'one'],
      ['Hello {{name}}', 'two'],
      ['Hello {{name}}', 'three'],
    ] as const)
      await post.templates.put('welcome', { subject, html: html(name), text: 'Text' })
    await page.goto(`${post.url}/#/templates/welcome`)
    await page.getByText('Versions', { exact: true }).click()
    const versions = page.getByRole('list', { name: 'Versions' }).getByRole('listitem')
    await expect.poll(() => versions.count()).toBe(2)
    const latest = versions.first()
    await latest.getByRole('button', { name: 'Compare' }).click()
    const inHtml = latest.getByRole('table', { name: 'HTML of both versions' })
    await expect.poll(() => inHtml.locator('del').allTextContents()).toEqual(['two'])
    expect(await inHtml.locator('ins').allTextContents()).toEqual(['three'])
    await inHtml.getByRole('button', { name: /equal lines/ }).waitFor()
    expect(await latest.getByRole('table').count()).toBe(1)
    expect(await objections(page)).toEqual([])
    // Also with another version: the older one is on the left.
    await latest.getByLabel('Compared with').selectOption({ index: 1 })
    await expect.poll(() => inHtml.locator('del').allTextContents()).toEqual(['one'])
    const inSubject = latest.getByRole('table', { name: 'Subject of both versions' })
    expect(await inSubject.locator('del').allTextContents()).toEqual(['Hi'])
    expect(await inSubject.locator('ins').allTextContents()).toEqual(['Hello'])
    await latest.getByLabel('Compared with').selectOption('the saved version')
    await expect.poll(() => inHtml.locator('ins').allTextContents()).toEqual(['three'])
    // What is stored changes below an open comparison.
    await post.templates.put('welcome', { subject: 'Hello {{name}}', html: html('two'), text: 'Text' })
    await page.reload()
    await page.getByText('Versions', { exact: true }).click()
    await versions.nth(1).getByRole('button', { name: 'Compare' }).click()
    await versions.nth(1).getByText('No difference.').waitFor()
    await versions.nth(1).getByRole('button', { name: 'Compare' }).click()
    await expect.poll(() => versions.nth(1).getByText('No difference.').count()).toBe(0)
  })

  it('names each broken placeholder of a template with its position, and links to it', async () => {
    const { post, page } = await openPage({}, false)
    await post.templates.put('broken', {
      subject: 'Hi {{name}',
      html: '<p>{{name}}</p>\n<p>{{first name}}</p>',
    })
    await page.goto(`${post.url}/#/templates/broken`)
    const broken = page.getByRole('list', { name: 'Broken placeholders' })
    await broken.getByText('{{name}: it closes with one brace and needs two').waitFor()
    await broken.getByRole('button', { name: 'HTML, line 2, column 4' }).click()
    const marked = (): Promise<string> =>
      page.getByLabel('HTML', { exact: true }).evaluate((field) => {
        const { value, selectionStart, selectionEnd } = field as HTMLTextAreaElement
        return document.activeElement === field ? value.slice(selectionStart, selectionEnd) : ''
      })
    expect(await marked()).toBe('{{first name}}')
    await page.keyboard.type('{{first_name}}')
    await page.getByText('Without a value: name, first_name').waitFor()
    // The colours lie where the text of the field is, and a long text has none.
    const html = page.getByLabel('HTML', { exact: true })
    const layer = page.locator('.layer').first()
    await html.fill('<p>{{name}}</p>\n'.repeat(50))
    await html.evaluate((field) => field.scrollTo(0, 500))
    await expect.poll(() => layer.evaluate((one) => one.scrollTop)).toBe(500)
    const heightOf = (one: Locator): Promise<number> => one.evaluate(({ scrollHeight }) => scrollHeight)
    expect(await heightOf(layer)).toBe(await heightOf(html))
    await html.fill('<b>{{name}}</b>'.repeat(3000))
    await expect.poll(() => coloured(page, 'template-html-tag')).toEqual([])
    await html.fill('')
    await page.getByLabel('Subject').fill('Hi')
    await broken.waitFor({ state: 'detached' })
  })
})

/** The pieces of text that have a colour. */
function coloured(page: Page, name: string): Promise<string[]> {
  return page.evaluate(
    (key) =>
      [...(CSS.highlights.get(key) ?? [])].map(({ startContainer, startOffset, endOffset }) =>
        (startContainer.textContent ?? '').slice(startOffset, endOffset),
      ),
    name,
  )
}
