import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { Localpost } from '../../src/instance/instance.ts'
import { createPasswords } from '../../src/users/password.ts'
import { temporaryFolder } from '../support/folder.ts'
import { submit } from '../support/submit.ts'
import { objections, setWidth, widths } from './_axe.ts'
import { enter, frameOf, openPage, rowOf, rowsOf } from './_setup.ts'

const switcher = (page: Page, name: string): Locator =>
  page.getByRole('button', { name: `Account ${name}: switch` })
const find = (page: Page): Locator => page.getByRole('combobox', { name: 'Find an account' })
const option = (page: Page, name: string): Locator => page.getByRole('option', { name })

const focused = (page: Page): Promise<string> =>
  page.evaluate(() => document.activeElement?.textContent?.trim() ?? '')

async function switchTo(page: Page, from: string, to: string): Promise<void> {
  await switcher(page, from).press('Enter')
  await find(page).fill(to)
  await option(page, to).waitFor()
  await find(page).press('Enter')
  await switcher(page, to).waitFor()
}

/** A server with a mail in `default` and one in the account `shop`. */
async function openShop(options: Parameters<typeof openPage>[0] = {}): Promise<{
  post: Localpost
  page: Page
  id: string
}> {
  const { post, page } = await openPage(options, false)
  await post.accounts.create({ name: 'shop' })
  await post.emails.send({ from: 'a@b.test', to: 'c@d.test', subject: 'Of default', text: 'x' })
  const { id } = await post.account('shop').emails.send({
    from: 'a@b.test',
    to: 'c@d.test',
    subject: 'Of shop',
    html: '<p>The body of shop</p>',
  })
  return { post, page, id }
}

describe('the accounts in the page', () => {
  it('are not spoken of while there is only default, and addresses stay as they are', async () => {
    const { post, page } = await openPage()
    await page.getByText('Live', { exact: true }).waitFor()
    await enter(page, 'Domains')
    await expect.poll(() => new URL(page.url()).hash).toBe('#/domains')
    expect(await page.getByRole('button', { name: /^Account / }).count()).toBe(0)
    // A link that was made while there were others.
    await page.goto(`${post.url}/#/a/default/domains`)
    await expect.poll(() => new URL(page.url()).hash).toBe('#/domains')
  })

  it('are named by every address, and a link opens its mail in its account', async () => {
    const { post, page, id } = await openShop()
    await page.goto(`${post.url}/#/a/shop/mail/${id}`)
    await frameOf(page).getByText('The body of shop').waitFor()
    await rowOf(page, 'Of shop').waitFor()
    expect(await rowOf(page, 'Of default').count()).toBe(0)
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Share' }).click()
    await page.getByRole('link', { name: 'Save as .eml' }).click()
    expect((await download).url()).toContain('account=shop')
    await enter(page, 'Domains')
    await expect.poll(() => new URL(page.url()).hash).toBe('#/a/shop/domains')
    // A room that asks /v1, which knows the account by its key.
    await page.getByRole('textbox', { name: /domain/i }).fill('shop.test')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'shop.test' }).waitFor()
    expect((await post.domains.list()).items.map(({ name }) => name)).not.toContain('shop.test')
    await page.goBack()
    await page.goBack()
    await frameOf(page).getByText('The body of shop').waitFor()
    // An address that names no account is that of the caller's own.
    await page.goto(`${post.url}/#/`)
    await rowOf(page, 'Of default').waitFor()
    await expect.poll(() => new URL(page.url()).hash).toMatch(/^#\/a\/default\//)
  })

  it('switch by keyboard, with unread counts, and forget the search', async () => {
    const { post, page } = await openShop()
    await page.goto(`${post.url}/?query=default`)
    await rowOf(page, 'Of default').waitFor()
    await switcher(page, 'default').press('Enter')
    await option(page, 'shop 1 unread').waitFor()
    await page.keyboard.press('Escape')
    await switchTo(page, 'default', 'shop')
    await rowOf(page, 'Of shop').waitFor()
    expect(new URL(page.url()).search).toBe('')
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.ariaLabel))
      .toBe('Account shop: switch')
    await page.goBack()
    await rowOf(page, 'Of default').waitFor()
  })

  it('are listed within the window, also after it was made narrow', async () => {
    const { post, page } = await openShop()
    await page.goto(`${post.url}/#/a/shop`)
    await switcher(page, 'shop').press('Enter')
    const panel = page.getByRole('dialog', { name: 'Accounts' })
    await find(page).waitFor()
    for (const width of [1280, 800, 390, 320, 1280]) {
      await page.setViewportSize({ width, height: 800 })
      await expect
        .poll(async () => {
          const { x = Number.NaN, width: wide = 0 } = (await panel.boundingBox()) ?? {}
          return x >= 8 && x + wide <= width - 8
        })
        .toBe(true)
    }
    // It is where its opener is.
    const [at, below] = await Promise.all([switcher(page, 'shop').boundingBox(), panel.boundingBox()])
    expect([below?.x, below?.y]).toEqual([at?.x, (at?.y ?? 0) + (at?.height ?? 0) + 4])
    await page.setViewportSize({ width: 1280, height: 800 })
  })

  it('show nothing of the old one after a switch while its list loads', async () => {
    const { post, page } = await openShop()
    let answer = (): void => undefined
    const isHeld = new Promise<void>((resolve) => (answer = resolve))
    await page.route(/\/dev\/inbox\?(?!.*account=shop)/, async (route) => {
      await isHeld
      await route.continue().catch(() => undefined)
    })
    await page.goto(`${post.url}/#/a/default/`)
    const cancelled = page.waitForEvent('requestfailed', (request) => request.url().includes('/dev/inbox?'))
    await switchTo(page, 'default', 'shop')
    await cancelled
    await rowOf(page, 'Of shop').waitFor()
    answer()
    // Its own next mail comes, and none of the other account.
    await post.account('shop').emails.send({ from: 'a@b.test', to: 'c@d.test', subject: 'Second', text: 'x' })
    await rowOf(page, 'Second').waitFor()
    expect(await rowsOf(page).count()).toBe(2)
  })

  it('are created, changed and removed there', async () => {
    const { post, page } = await openPage()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Find a command' }).fill('New account')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('default')
    await dialog.getByRole('button', { name: 'Create account' }).click()
    await dialog.getByRole('alert').getByText('exists already').waitFor()
    await dialog.getByLabel('Name').fill('shop')
    await dialog.getByLabel('Remove the account').selectOption('7 days')
    await dialog.getByLabel('Maximum number of mails').fill('500')
    await dialog.getByRole('button', { name: 'Create account' }).click()
    await dialog.getByText('They are not shown again').waitFor()
    await expect.poll(() => focused(page)).toMatch(/^Copy the API key and the SMTP password now/)
    // They are shown once: neither a click beside the dialog nor Escape alone closes it.
    await page.mouse.click(5, 5)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Cancel' }).click()
    const password = await dialog
      .locator('dl > div', { hasText: 'SMTP password' })
      .locator('dd > span')
      .innerText()
    await dialog.getByLabel('Settings for', { exact: true }).selectOption('Django')
    expect(await dialog.locator('pre').innerText()).toContain(`EMAIL_HOST_PASSWORD = "${password}"`)
    await dialog.getByRole('button', { name: 'Open the account' }).click()
    await switcher(page, 'shop').waitFor()
    expect(await post.accounts.get('shop')).toMatchObject({ ttl_ms: 7 * 24 * 3_600_000, max_emails: 500 })

    await switcher(page, 'shop').click()
    await page.getByRole('button', { name: 'Settings' }).click()
    await dialog.getByLabel('Keep mail for').selectOption('1 day')
    await dialog.getByRole('button', { name: 'Save limits' }).click()
    await dialog.getByText('Saved.').waitFor()
    expect(await post.accounts.get('shop')).toMatchObject({ max_age_ms: 24 * 3_600_000, max_emails: 500 })
    await dialog.getByLabel('New key for').fill('pipeline')
    await dialog.getByLabel('Access').selectOption('Send only')
    await dialog.getByRole('button', { name: 'Create key' }).click()
    const keys = dialog.getByRole('list', { name: 'API keys' }).getByRole('listitem')
    await keys.filter({ hasText: 'pipeline' }).getByText('Send only').waitFor()
    expect(await focused(page)).toMatch(/^Copy the new key now/)
    const renew = page.getByRole('region', { name: 'SMTP password' })
    await renew.getByRole('button', { name: 'New password' }).click()
    await page.getByRole('button', { name: 'Replace', exact: true }).click()
    const renewed = await renew.locator('.note code').innerText()
    await expect.poll(() => focused(page)).toMatch(/^Copy the new password now/)
    const login = (pass: string): Promise<unknown> => {
      const smtp = Object.assign({ auth: { user: 'shop', pass } }, post.smtp)
      return submit({ smtp }, { subject: 'Renewed', text: 'x' })
    }
    await login(renewed)
    await expect(login(password)).rejects.toMatchObject({ responseCode: 535 })
    await dialog.getByRole('button', { name: 'Revoke pipeline' }).click()
    await page.getByRole('button', { name: 'Revoke', exact: true }).click()
    await keys.filter({ hasText: 'pipeline' }).waitFor({ state: 'detached' })

    await page.keyboard.press('Escape')
    await page.getByRole('heading', { name: 'Close this dialog?' }).waitFor()
    await page.keyboard.press('Escape')
    let answer = (): void => undefined
    const isHeld = new Promise<void>((resolve) => (answer = resolve))
    await page.route('**/dev/accounts/shop', async (route) => {
      await isHeld
      await route.continue()
    })
    await dialog.getByRole('button', { name: 'Disable' }).click()
    await dialog.getByRole('button', { name: 'Disabling…' }).waitFor()
    expect(await dialog.getByRole('button', { name: 'Remove the account' }).isDisabled()).toBe(true)
    answer()
    await page.getByRole('heading', { name: 'The account “shop” is disabled' }).waitFor()
    await page.getByRole('button', { name: 'Enable the account' }).click()
    await page.getByText('Live', { exact: true }).waitFor()
    await switcher(page, 'shop').click()
    await page.getByRole('button', { name: 'Settings' }).click()
    const remove = dialog.getByRole('button', { name: 'Remove the account' })
    expect(await remove.isDisabled()).toBe(true)
    await dialog.getByLabel('to confirm').fill('shop')
    await remove.click()
    await expect.poll(() => new URL(page.url()).hash).toBe('#/')
    expect((await post.accounts.list()).map(({ name }) => name)).toEqual(['default'])
  })
})

const hash = await createPasswords().hash('correct horse')

async function openTeam(): Promise<{ post: Localpost; page: Page; id: string }> {
  const users = join(temporaryFolder(), 'users')
  writeFileSync(users, `ada:admin:default:${hash}\ngrace:member:shop:${hash}\n`)
  return openShop({ users, host: '0.0.0.0', apiKeys: ['the-only-key'] })
}

async function signIn(page: Page, name: string): Promise<void> {
  await page.getByLabel('User name').fill(name)
  await page.getByLabel('Password').fill('correct horse')
  await page.getByLabel('Password').press('Enter')
  await page.getByRole('button', { name: `${name}: signed in` }).waitFor()
}

describe('the accounts of people who sign in', () => {
  it('show a member only their own accounts, and a link to another one says so', async () => {
    const { post, page, id } = await openTeam()
    const url = (post.url ?? '').replace('0.0.0.0', '127.0.0.1')
    await post.account('shop').domains.create({ name: 'shop.test' })
    await page.goto(url)
    await signIn(page, 'grace')
    await rowOf(page, 'Of shop').waitFor()
    await switcher(page, 'shop').click()
    await option(page, 'shop').waitFor()
    expect(await page.getByRole('option').count()).toBe(1)
    expect(await page.getByRole('button', { name: 'New account' }).count()).toBe(0)
    await page.keyboard.press('Escape')
    await page.goto(`${url}/#/a/default/`)
    await page.getByRole('heading', { name: 'There is no account “default”' }).waitFor()
    // Somebody else signs in at the same address, and rooms that ask /v1 show the same account.
    await page.goto(`${url}/#/a/shop/mail/${id}`)
    await page.getByRole('button', { name: 'grace: signed in' }).click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('User name').waitFor()
    await signIn(page, 'ada')
    await frameOf(page).getByText('The body of shop').waitFor()
    await enter(page, 'Domains')
    await page.getByRole('link', { name: 'shop.test' }).waitFor()
    await switchTo(page, 'shop', 'default')
    await rowOf(page, 'Of default').waitFor()
  })

  it.each([1440, widths[1] ?? 390])('are accessible at %d pixels', async (width) => {
    const { post, page } = await openTeam()
    await setWidth(page, width)
    await page.goto((post.url ?? '').replace('0.0.0.0', '127.0.0.1'))
    await signIn(page, 'ada')
    await switcher(page, 'default').click()
    await option(page, 'shop').waitFor()
    expect(await objections(page)).toEqual([])
    await page.getByRole('button', { name: 'New account' }).click()
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByText('They are not shown again').waitFor()
    expect(await objections(page)).toEqual([])
    await page.getByRole('button', { name: 'Open the account' }).click()
    await page.getByRole('button', { name: /^Account account-/ }).click()
    await page.getByRole('button', { name: 'Settings' }).click()
    await page.getByRole('list', { name: 'API keys' }).getByRole('listitem').first().waitFor()
    expect(await objections(page)).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'ada: signed in' }).click()
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
    expect(await objections(page)).toEqual([])
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('User name').waitFor()
    expect(await objections(page)).toEqual([])
  })
})
