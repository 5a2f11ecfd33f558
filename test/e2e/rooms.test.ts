import { text } from 'node:stream/consumers'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { httpClients, languageOf, smtpClients } from '../../ui/views/connect/clients.ts'
import { objections } from './_axe.ts'
import { enter, focused, openPage, send } from './_setup.ts'

describe('the other pages', () => {
  it('focuses the page that is opened by its keys, also where it was loaded before', async () => {
    const { page } = await openPage()
    for (const [keys, name] of [
      ['gd', 'Domains'],
      ['ga', 'Audiences'],
      ['gd', 'Domains'],
    ] as const) {
      for (const key of keys) await page.keyboard.press(key)
      await expect.poll(focused(page), { timeout: 20_000 }).toBe(name)
      expect(await page.title()).toBe(`${name} · Localpost`)
    }
    await page.keyboard.press('g')
    await page.keyboard.press('i')
    await page.getByRole('heading', { level: 1, name: 'Ready for the first mail' }).waitFor()
    expect(await page.title()).toBe('Localpost')
  })

  it('creates a domain, shows its records, and declares a state', async () => {
    const { post, page } = await openPage()
    await enter(page, 'Domains')
    await expect.poll(focused(page), { timeout: 20_000 }).toBe('Domains')
    await page.getByLabel('New domain').fill('not a domain')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByRole('alert').first().waitFor()
    await page.getByLabel('New domain').fill('acme.com')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByRole('heading', { level: 2, name: 'acme.com' }).waitFor()
    await page.getByRole('table', { name: 'Records' }).getByText('_dmarc').first().waitFor()
    await page.getByRole('button', { name: 'Mark as verified' }).click()
    await page.getByRole('list', { name: 'Domains' }).getByText('Verified', { exact: true }).waitFor()
    await page.getByLabel('Track clicks').check()
    await expect
      .poll(async () => (await post.domains.list()).items.map(({ name, status }) => ({ name, status })))
      .toEqual([{ name: 'acme.com', status: 'SUCCESS' }])
  })

  it('shows domains that only mail named apart from those that were created', async () => {
    const { post, page } = await openPage()
    await post.domains.create({ name: 'made.test' })
    await send(post, { to: 'ada@example.com', subject: 'From acme.test' })
    await enter(page, 'Domains')
    const seen = page.getByRole('list', { name: 'Domains: Only seen in mail' })
    await seen.getByRole('link', { name: 'acme.test' }).click()
    await page.getByRole('list', { name: 'Domains: Created' }).getByText('made.test').waitFor()
    expect(await objections(page)).toEqual([])
    await page.getByRole('button', { name: 'Create the domain' }).click()
    await page.getByRole('list', { name: 'Domains: Created' }).getByText('acme.test').waitFor()
    await seen.waitFor({ state: 'detached' })
  })

  it('shows a request to /v1 as soon as it is answered, with both bodies', async () => {
    const { post, page } = await openPage()
    await enter(page, 'Traffic')
    await page.getByText('Nothing happened yet.').waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
    await send(post, { to: 'ada@example.com', subject: "It's here" })
    await page.getByRole('link', { name: '/v1/emails' }).click()
    await page.getByRole('region', { name: 'Request' }).getByText("It's here").waitFor()
    await page.getByRole('region', { name: 'Response' }).getByText('"id"').waitFor()
    await page.getByRole('searchbox', { name: 'Search the timeline' }).fill('nobody')
    await page.getByText('Nothing matches.').waitFor()
  })

  it('adds, edits, orders and removes rules, and explains why one is refused', async () => {
    const { post, page } = await openPage()
    await enter(page, 'Rules and faults')
    await page.getByText('No rule: every recipient is accepted.').waitFor()
    await page.getByRole('button', { name: 'Add a rule' }).click()
    const form = page.getByRole('form', { name: 'Rule' })
    await form.getByLabel('Recipients').fill('no@gone.test')
    await form.getByLabel('Code', { exact: true }).fill('250')
    await form.getByRole('button', { name: 'Add the rule' }).click()
    await form
      .getByRole('alert')
      .getByText(/^code: /)
      .waitFor()
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

  it('switches faults on from JSON or an example, explains errors in them, and removes them', async () => {
    const { post, page } = await openPage()
    await enter(page, 'Rules and faults')
    await page.getByRole('tab', { name: 'JSON' }).click()
    const faults = page.getByRole('tabpanel', { name: 'JSON' })
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
    await faults.getByRole('button', { name: 'Remove all faults' }).click()
    await faults.getByText('No faults are active.').waitFor()
    expect(await post.faults.get()).toBeNull()
  })

  it('adds, edits and removes faults in a form, and explains why one is refused', async () => {
    const { post, page } = await openPage()
    await enter(page, 'Rules and faults')
    await page.getByRole('button', { name: 'Add a fault' }).click()
    const form = page.getByRole('form', { name: 'Fault' })
    await form.getByLabel('Status').fill('200')
    await form.getByRole('button', { name: 'Turn the fault on' }).click()
    await form
      .getByRole('alert')
      .getByText(/^status: /)
      .waitFor()
    await form.getByLabel('Status').fill('503')
    await form.getByLabel('How many times').fill('2')
    await form.getByLabel('Method').selectOption('POST')
    await form.getByRole('button', { name: 'Turn the fault on' }).click()
    const list = page.getByRole('list', { name: 'Faults' })
    await list.getByText('answers 503, the next 2 times').waitFor()
    expect(await post.faults.get()).toMatchObject({
      http: [{ path: '/v1/emails', method: 'POST', status: 503, count: 2 }],
      smtp: [],
    })
    await page.getByRole('button', { name: 'Add a fault' }).click()
    await form.getByLabel('What goes wrong').selectOption('An SMTP session')
    await form.getByLabel('Code').fill('451')
    await form.getByLabel('Text of the reply').fill('Try <b>later</b>')
    await form.getByLabel('Share').fill('50')
    expect(await objections(page)).toEqual([])
    await page.keyboard.press('Enter')
    await list.getByText('replies 451 Try <b>later</b>, for 50 %').waitFor()
    await page.getByRole('button', { name: 'Edit the fault for POST /v1/emails' }).click()
    await form.getByLabel('Effect').selectOption('Close the connection')
    await form.getByRole('button', { name: 'Save the fault' }).click()
    await list.getByText('closes the connection').waitFor()
    await page.getByRole('button', { name: 'Remove the fault for RCPT TO' }).click()
    await expect
      .poll(() => post.faults.get())
      .toMatchObject({ http: [{ disconnect: true, count: 2 }], smtp: [] })
    await page.getByRole('button', { name: 'Remove all faults' }).click()
    await page.getByText('No faults are active').waitFor()
    expect(await post.faults.get()).toBeNull()
  })

  it('uses the real port and key in every snippet that needs them', async () => {
    const { post, page } = await openPage()
    await enter(page, 'Connect')
    for (const { name } of smtpClients)
      expect(await codeOf(page, name), name).toContain(String(post.smtp.port))
    for (const { name } of httpClients) {
      const text = await page.getByRole('region', { name, exact: true }).locator('pre').innerText()
      expect(text, name).toContain(`${post.url}/v1/emails`)
      expect(text, name).toContain(post.apiKey)
    }
    expect(await page.getByRole('radiogroup', { name: 'TLS' }).count()).toBe(0)
    const recipes = page.getByRole('radiogroup', { name: 'Test runner' }).getByRole('radio')
    for (let at = 0; at < (await recipes.count()); at++) {
      await recipes.nth(at).check()
      const blocks = await page
        .getByRole('region', { name: 'In tests and CI' })
        .locator('pre')
        .allInnerTexts()
      for (const block of blocks) expect(block, `recipe ${at}`).toMatch(/localpost|LOCALPOST|waitForMail/)
      expect(blocks.length).toBeGreaterThan(0)
    }
  })
})

/** Chooses a client on the page Connect. @returns Its code. */
async function codeOf(page: Page, name: string): Promise<string> {
  await page.getByRole('tab', { name: languageOf(name), exact: true }).click()
  const choice = page.getByRole('radiogroup', { name: 'Client' })
  if ((await choice.count()) > 0) await choice.getByRole('radio', { name, exact: true }).check()
  return page.getByRole('region', { name, exact: true }).locator('pre').innerText()
}

describe('the Connect page', () => {
  it('shows code that works with the TLS and the login of the server', async () => {
    const { post, page } = await openPage({ smtpTls: true, smtpsPort: 0, smtpAuth: 'required' })
    await enter(page, 'Connect')
    const choices = page.getByRole('radiogroup', { name: 'TLS' })
    const ports = { STARTTLS: post.smtp.port, 'TLS on port': post.smtps?.port, 'Without TLS': post.smtp.port }
    for (const [words, port] of Object.entries(ports)) {
      await choices.getByRole('radio', { name: words }).check()
      const code = await codeOf(page, 'Node: nodemailer')
      expect(code).toContain(`port: ${port}`)
      expect(code).toContain(`pass: '${post.apiKey}'`)
      expect(code.includes('localpost-ca.pem'), words).toBe(words !== 'Without TLS')
      expect(await page.getByText('CA file', { exact: true }).count()).toBe(words === 'Without TLS' ? 0 : 1)
    }
    await choices.getByRole('radio', { name: 'STARTTLS' }).check()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'save it here' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('localpost-ca.pem')
    expect(await text(await download.createReadStream())).toBe(post.smtp.tls?.ca)
  })

  it('says what failed where the settings cannot be loaded, and loads them again', async () => {
    const { post, page } = await openPage({}, false)
    await page.route('**/dev/health', (route) => route.abort())
    await page.goto(`${post.url}/#/connect`)
    await page.getByRole('alert').getByText('Localpost does not answer').waitFor()
    await expect.poll(() => page.getByText('Loading…').count()).toBe(0)
    await page.unroute('**/dev/health')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('SMTP port').waitFor()
  })

  it('shows them while nothing new is stored', async () => {
    const { post, page } = await openPage({}, false)
    const health = await (await fetch(`${post.url}/dev/health`)).json()
    await page.route('**/dev/health', (route) =>
      route.fulfill({
        status: 503,
        json: { ...health, status: 'refusing', warnings: ['The disk is full.'] },
      }),
    )
    await page.goto(`${post.url}/#/connect`)
    await page.getByText('SMTP port').waitFor()
  })
})
