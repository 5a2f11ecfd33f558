import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { openProvidedTeam } from '../oidc/_provider.ts'
import { temporaryFolder } from '../support/folder.ts'
import { objections, setWidth, widths } from './_axe.ts'
import { browser } from './context.ts'

async function answerProvider(page: Page, login: string): Promise<void> {
  await page.getByPlaceholder('Enter any login').fill(login)
  await page.getByPlaceholder('and password').fill('any')
  await page.getByRole('button', { name: 'Sign-in' }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
}

it('signs in with a provider on another site, in a real browser, and out again', async () => {
  // Another site than 127.0.0.1, whose cookies and requests browsers treat as foreign.
  const { url, issuer } = await openProvidedTeam({}, { host: 'localhost' })
  const { host } = new URL(issuer)
  const page = await browser.context.newPage()
  await page.goto(url)
  const link = page.getByRole('link', { name: `Sign in with ${host}` })
  await link.waitFor()
  await expect.poll(() => link.evaluate((element) => element === document.activeElement)).toBe(true)
  for (const width of widths) {
    await setWidth(page, width)
    expect(await objections(page)).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
  }

  await link.press('Enter')
  await answerProvider(page, 'eve')
  await page.getByRole('heading', { name: 'Sign-in failed' }).waitFor()
  await page
    .getByText(`<b>eve</b> may not sign in here: the claim "roles" of ${host} gives no role.`)
    .waitFor()
  expect(await objections(page)).toEqual([])
  await page.getByRole('link', { name: 'Sign in as another user' }).click()
  await answerProvider(page, 'ada')
  const menu = page.getByRole('button', { name: 'ada: signed in' })
  await menu.waitFor()
  await page.getByText('Live', { exact: true }).waitFor()
  expect(await page.evaluate(() => [location.href, document.cookie])).toEqual([`${url}/`, ''])
  await page.reload()
  await menu.click()
  await page.getByText(`Signing out here does not sign you out of ${host}.`).waitFor()
  expect(await objections(page)).toEqual([])
  await page.getByRole('button', { name: 'Sign out' }).click()
  await link.waitFor()
  await page.reload()
  // The provider asks for nothing, as its session stays.
  await link.click()
  await menu.waitFor()
})

it('offers a provider beside passwords, and API keys beside both', async () => {
  const users = join(temporaryFolder(), 'users')
  writeFileSync(users, '')
  const { url, post, issuer } = await openProvidedTeam({ users })
  const page = await browser.context.newPage()
  await page.goto(url)
  await page.getByLabel('User name').waitFor()
  await expect
    .poll(() => page.getByRole('link', { name: `Sign in with ${new URL(issuer).host}` }).count())
    .toBe(1)
  await page.getByRole('button', { name: 'Use an API key instead' }).click()
  await page.getByLabel('API key').fill(post.apiKey)
  await page.getByRole('button', { name: 'Open the inbox' }).click()
  await page.getByRole('button', { name: 'API key: signed in' }).waitFor()
})
