import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openPage, send } from './_setup.ts'

const enter = (page: Page, name: string): Promise<void> =>
  page.getByRole('navigation', { name: 'Rooms' }).getByRole('link', { name }).click()
const focused = (page: Page) => (): Promise<string | null | undefined> =>
  page.evaluate(() => document.activeElement?.ariaLabel)

describe('the rooms', () => {
  it('focuses the room that is gone to by its keys, also where it was loaded before', async () => {
    const { page } = await openPage()
    for (const [keys, name] of [
      ['gd', 'Domains'],
      ['ga', 'Audiences'],
      ['gd', 'Domains'],
    ] as const) {
      for (const key of keys) await page.keyboard.press(key)
      await expect.poll(focused(page), { timeout: 8000 }).toBe(name)
      expect(await page.title()).toBe(`${name} · Localpost`)
    }
    await page.keyboard.press('g')
    await page.keyboard.press('i')
    await page.getByRole('heading', { level: 1, name: 'Ready for the first mail' }).waitFor()
    expect(await page.title()).toBe('Localpost')
  })

  it('makes a domain, shows its records, and takes a declared state', async () => {
    const { post, page } = await openPage()
    await enter(page, 'Domains')
    await expect.poll(focused(page), { timeout: 8000 }).toBe('Domains')
    await page.getByLabel('New domain').fill('not a domain')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('alert').first().waitFor()
    await page.getByLabel('New domain').fill('acme.com')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('heading', { level: 2, name: 'acme.com' }).waitFor()
    await page.getByRole('list', { name: 'Records' }).getByText('_dmarc').first().waitFor()
    await page.getByRole('button', { name: 'Declare', exact: true }).click()
    await page.getByRole('list', { name: 'Domains' }).getByText('SUCCESS').waitFor()
    await page.getByLabel('Track clicks').check()
    await expect
      .poll(async () => (await post.domains.list()).items.map(({ name, status }) => ({ name, status })))
      .toEqual([{ name: 'acme.com', status: 'SUCCESS' }])
  })

  it('shows a request to /v1 the moment it is answered, with both bodies', async () => {
    const { post, page } = await openPage()
    await enter(page, 'Requests')
    await page.getByText('No request yet.').waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
    await send(post, { to: 'ada@example.com', subject: "It's here" })
    await page.getByRole('link', { name: '/v1/emails' }).click()
    await page.getByRole('region', { name: 'Request' }).getByText("It's here").waitFor()
    await page.getByRole('region', { name: 'Response' }).getByText('"id"').waitFor()
    await page.getByLabel('Status').selectOption('5xx')
    await page.getByText('No request matches.').waitFor()
  })

  it('imports contacts, says which line is wrong, and sends them a broadcast', async () => {
    const { post, page } = await openPage()
    await enter(page, 'Audiences')
    await page.getByLabel('New audience').fill('Newsletter')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByLabel('Import as CSV').fill('email,first_name\nada@example.com,Ada\nnot-an-address,Bob\n')
    await page.getByRole('button', { name: 'Preview' }).click()
    const preview = page.getByRole('region', { name: 'Preview' })
    await preview.getByText('1 good row: 1 new, 0 updated. Nothing is stored yet.').waitFor()
    await preview.getByText('Line 3: email:').waitFor()
    const [audience] = (await post.audiences.list()).items
    expect(audience?.contact_count).toBe(0)
    await preview.getByRole('button', { name: 'Import 1 row' }).click()
    await page.getByText('1 new contact, 0 updated, 1 refused.').waitFor()
    await page.getByText('Line 3: email:').waitFor()
    await page.getByRole('tab', { name: 'Broadcast' }).click()
    await page.getByLabel('From').fill('Acme <hello@acme.test>')
    await page.getByLabel('Subject').fill('Hello {{first_name}}')
    await page.getByLabel('Text', { exact: true }).fill('News')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText('Sent to 1 contact.').waitFor()
    expect((await post.inbox.waitFor('to:ada@example.com')).subject).toBe('Hello Ada')
    await page.getByRole('tab', { name: 'Contacts' }).click()
    await page.getByRole('button', { name: 'Edit ada@example.com' }).click()
    await page.getByLabel('Last name').fill('Lovelace')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('list', { name: 'Contacts' }).getByText('Ada Lovelace').waitFor()
    await page.getByLabel('Subscribed').uncheck()
    await page.getByText('1 contact, 1 unsubscribed').waitFor()
  })

  it('finds a contact that no page has shown yet', async () => {
    const { post, page } = await openPage({}, false)
    const { id } = await post.audiences.create({ name: 'Readers' })
    const rows = Array.from({ length: 250 }, (_, index) => ({ email: `reader${1000 + index}@example.com` }))
    await post.audiences.contacts.import(id, [...rows, { email: 'zoe@example.com', first_name: 'Zoë' }])
    await page.goto(`${post.url}/#/audiences/${id}`)
    const contacts = page.getByRole('list', { name: 'Contacts' })
    await contacts.getByText('reader1000@').first().waitFor()
    await page.getByLabel('Search contacts').fill('zoë')
    await contacts.getByText('zoe@example.com').first().waitFor()
    await page.getByLabel('Search contacts').fill('reader')
    await page.getByText('The first 200 of 250 matches.').waitFor()
    await page.getByLabel('Search contacts').fill('nobody')
    await page.getByText('No contact matches.').waitFor()
  })

  it('stores a template, and shows it with values and without', async () => {
    const { post, page } = await openPage()
    await enter(page, 'Templates')
    await page.getByLabel('New template').fill('welcome')
    await page.getByRole('button', { name: 'Begin' }).click()
    await page.getByLabel('Subject').fill('Hi {{name}}')
    await page
      .getByLabel('HTML', { exact: true })
      .fill('<p>{{greeting}}</p><script>parent.document.title = 1</script>')
    await page.getByText('Without a value: name, greeting').waitFor()
    await page.getByLabel('greeting').fill('Good day')
    await page.frameLocator('iframe').getByText('Good day').waitFor()
    await page.getByText('Without a value: name', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Store' }).click()
    await page.getByText('Stored.').waitFor()
    await page.getByRole('list', { name: 'Templates' }).getByText('Hi {{name}}').waitFor()
    expect((await post.templates.get('welcome')).subject).toBe('Hi {{name}}')
    expect(await page.title()).toBe('Templates · Localpost')
  })

  it('keeps what is written in a template until it is stored or given up', async () => {
    const { post, page } = await openPage()
    await enter(page, 'Templates')
    await page.getByLabel('New template').fill('half done')
    await page.getByRole('button', { name: 'Begin' }).click()
    await page.getByRole('alert').getByText('An id has').waitFor()
    await page.getByLabel('New template').fill('half-done')
    await page.getByRole('button', { name: 'Begin' }).click()
    await page.getByLabel('Subject').fill('Half a thought')
    await page.getByText('Not stored yet; kept while this tab is open.').waitFor()
    await enter(page, 'Domains')
    await page.getByRole('heading', { level: 1, name: 'Domains' }).waitFor()
    await enter(page, 'Templates')
    const entry = page.getByRole('list', { name: 'Templates' }).getByRole('link', { name: 'half-done' })
    await entry.getByText('not stored').waitFor()
    await page.reload()
    await entry.click()
    await expect.poll(() => page.getByLabel('Subject').inputValue()).toBe('Half a thought')
    await page.getByRole('button', { name: 'Store' }).click()
    await page.getByText('Stored.').waitFor()
    await page.getByLabel('Subject').fill('Another thought')
    await entry.getByText('changed').waitFor()
    await page.getByRole('button', { name: 'Discard changes' }).click()
    await expect.poll(() => page.getByLabel('Subject').inputValue()).toBe('Half a thought')
    await entry.getByText('changed').waitFor({ state: 'detached' })
    expect((await post.templates.get('half-done')).subject).toBe('Half a thought')
  })

  it('names each broken placeholder of a template with its place, and leads there', async () => {
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
    await page.getByLabel('Subject').fill('Hi')
    await broken.waitFor({ state: 'detached' })
  })

  it('adds a webhook, shows what was posted to it, and posts it again', async () => {
    const ids: unknown[] = []
    const receiver = createServer((request, response) => {
      ids.push(request.headers['webhook-id'])
      request.resume().on('end', () => response.end('taken'))
    })
    await new Promise<void>((resolve) => void receiver.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void receiver.close())
    const { post, page } = await openPage()
    await enter(page, 'Webhooks')
    await page.getByLabel('URL').fill(`http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`)
    await page.getByRole('button', { name: 'Add' }).click()
    await page.getByText('whsec_').waitFor()
    await send(post, { to: 'ada@example.com', subject: 'Hello' })
    const deliveries = page.getByRole('list', { name: 'Deliveries' }).getByRole('listitem')
    const delivered = deliveries.filter({ hasText: 'email.delivered' })
    // Whom it is about, and in which mail.
    await delivered.getByText('email.delivered ada@example.com').waitFor()
    await delivered.getByText('Hello', { exact: true }).waitFor()
    await delivered.getByText('1 try').click()
    await delivered.getByText('taken').waitFor()
    await delivered.getByRole('button', { name: 'Replay' }).click()
    await expect.poll(() => ids.length - new Set(ids).size).toBe(1)
    await expect.poll(() => delivered.count()).toBe(2)
  })

  it('says that a webhook is there already, and what was posted of a domain', async () => {
    const { post, page } = await openPage()
    await enter(page, 'Webhooks')
    const add = async (): Promise<void> => {
      await page.getByLabel('URL').fill('http://127.0.0.1:9/hook')
      await page.getByRole('button', { name: 'Add' }).click()
    }
    await add()
    await page.getByText('whsec_').waitFor()
    await add()
    await page
      .getByRole('alert')
      .getByText('There is a webhook to "http://127.0.0.1:9/hook" already')
      .waitFor()
    await post.domains.create({ name: 'acme.com' })
    const deliveries = page.getByRole('list', { name: 'Deliveries' }).getByRole('listitem')
    const created = deliveries.filter({ hasText: 'domain.created' })
    await created.getByText('domain.created acme.com').waitFor()
    await page.getByLabel('State').selectOption('delivered')
    await page.getByText('No delivery is delivered.').waitFor()
    await page.getByLabel('State').selectOption('pending')
    await created.waitFor()
  })

  it('adds a webhook for chosen events alone', async () => {
    const { post, page } = await openPage()
    await enter(page, 'Webhooks')
    await page.getByLabel('URL').fill('http://127.0.0.1:9/hook')
    await page.getByLabel('Events', { exact: true }).selectOption('some')
    expect(await page.getByRole('button', { name: 'Add' }).isDisabled()).toBe(true)
    await page.getByLabel('email.bounced').check()
    await page.getByLabel('domain.verified').check()
    await page.getByRole('button', { name: 'Add' }).click()
    await page.getByText('whsec_').waitFor()
    expect((await post.webhooks.list()).items.map(({ events }) => events)).toEqual([
      ['email.bounced', 'domain.verified'],
    ])
  })

  it('adds, edits, orders and removes rules, and says why one is refused', async () => {
    const { post, page } = await openPage()
    await enter(page, 'Rules and faults')
    await page.getByText('No rule: every recipient is accepted.').waitFor()
    await page.getByRole('button', { name: 'Add a rule' }).click()
    const form = page.getByRole('form', { name: 'Rule' })
    await form.getByLabel('Recipients').fill('no@gone.test')
    await form.getByLabel('Code', { exact: true }).fill('250')
    await form.getByRole('button', { name: 'Add the rule' }).click()
    await page.getByRole('alert').getByText('[0].code').waitFor()
    await form.getByLabel('Code', { exact: true }).fill('552')
    await form.getByRole('button', { name: 'Add the rule' }).click()
    await page.getByRole('list', { name: 'Rules' }).getByText('552 5.2.2').waitFor()
    await page.getByRole('button', { name: 'Add a rule' }).click()
    await form.getByLabel('Recipients').fill('gone.test')
    await form.getByLabel('Answer').selectOption('greylist')
    await form.getByRole('button', { name: 'Add the rule' }).click()
    await page.getByRole('button', { name: 'Move the rule for gone.test up' }).click()
    await expect
      .poll(async () => (await post.rules.get()).map(({ match }) => match))
      .toEqual(['gone.test', 'no@gone.test'])
    await page.getByRole('button', { name: 'Edit the rule for gone.test' }).click()
    await form.getByLabel('Answer').selectOption('delay')
    await form.getByLabel('Milliseconds').fill('1500')
    await form.getByRole('button', { name: 'Save the rule' }).click()
    await page.getByText('after 1,500 ms').waitFor()
    await page.getByRole('button', { name: 'Remove the rule for no@gone.test' }).click()
    await expect
      .poll(() => post.rules.get())
      .toEqual([{ match: 'gone.test', action: 'delay', delay_ms: 1500 }])
  })

  it('turns faults on from JSON or an example, says what is wrong with them, and takes them away', async () => {
    const { post, page } = await openPage()
    await enter(page, 'Rules and faults')
    const faults = page.getByRole('form', { name: 'Faults' })
    await faults.getByLabel('Faults as JSON').fill('{ "http": ')
    await faults.getByRole('button', { name: 'Turn on' }).click()
    await faults.getByRole('alert').getByText('This is not JSON').waitFor()
    await faults.getByLabel('Faults as JSON').fill('{ "http": [{ "path": "/dev/x", "status": 503 }] }')
    await faults.getByRole('button', { name: 'Turn on' }).click()
    await faults.getByRole('alert').getByText('must be a path of /v1').waitFor()
    await faults.getByRole('button', { name: 'Rate limit' }).click()
    await faults.getByRole('button', { name: 'Turn on' }).click()
    await faults.getByText('Faults are on: a rate limit.').waitFor()
    expect(await post.faults.get()).toMatchObject({ rate_limit: { requests: 5, per_ms: 1000 } })
    await faults.getByRole('button', { name: 'Take all faults away' }).click()
    await faults.getByText('No fault is on.').waitFor()
    expect(await post.faults.get()).toBeNull()
  })

  it('names the real port and key in every snippet that needs them', async () => {
    const { post, page } = await openPage()
    await enter(page, 'Connect')
    const text = (name: string): Promise<string> =>
      page.getByRole('region', { name, exact: true }).locator('pre').innerText()
    for (const name of ['nodemailer', 'Rails', 'Django', 'Laravel', 'Go', 'Spring'])
      expect(await text(name), name).toContain(String(post.smtp.port))
    for (const name of ['fetch', 'curl']) {
      expect(await text(name), name).toContain(`${post.url}/v1/emails`)
      expect(await text(name), name).toContain(post.apiKey)
    }
  })
})
