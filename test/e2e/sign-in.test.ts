import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { createPasswords } from '../../src/users/password.ts'
import { temporaryFolder } from '../support/folder.ts'
import { objections, setWidth, widths } from './_axe.ts'
import { enter, openPage, rowOf, submit } from './_setup.ts'

const hash = await createPasswords().hash('correct horse')

async function openTeam(): Promise<Awaited<ReturnType<typeof openPage>>> {
  const users = join(temporaryFolder(), 'users')
  writeFileSync(users, `ada:admin:default:${hash}\n`)
  return openPage({ users, host: '0.0.0.0', apiKeys: ['the-only-key'] })
}

async function signIn(page: Page, password = 'correct horse'): Promise<void> {
  await page.getByLabel('User name').fill('ada')
  await page.getByLabel('Password').fill(password)
  await page.getByLabel('Password').press('Enter')
}

describe('the sign-in page', () => {
  it('asks for name and password, says who is signed in, and signs out', async () => {
    const { post, page } = await openTeam()
    await page.getByLabel('User name').waitFor()
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('name')
    await signIn(page, 'wrong password')
    await page.getByRole('alert').getByText('The user name or the password is wrong').waitFor()
    await signIn(page)
    await page.getByText('Live', { exact: true }).waitFor()
    await submit(post, { subject: 'For the team', text: 'x' })
    await rowOf(page, 'For the team').waitFor()
    // A room that asks /v1, without a key; also after a reload.
    await post.domains.create({ name: 'acme.test' })
    await enter(page, 'Domains')
    await page.reload()
    await page.getByRole('link', { name: 'acme.test' }).waitFor()
    await page.getByRole('button', { name: 'ada: signed in' }).press('Enter')
    await page.getByText('Admin', { exact: true }).waitFor()
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Sign out')
    await page.keyboard.press('Enter')
    await page.getByLabel('User name').waitFor()
    await page.reload()
    await page.getByLabel('User name').waitFor()
    expect(await page.evaluate(() => document.cookie)).toBe('')
  })

  it('takes an API key too', async () => {
    const { page } = await openTeam()
    await page.getByRole('button', { name: 'Use an API key instead' }).click()
    await page.getByLabel('API key').fill('the-only-key')
    await page.getByRole('button', { name: 'Open the inbox' }).click()
    await page.getByRole('button', { name: 'API key: signed in' }).waitFor()
  })

  it('shows nothing of it on this machine', async () => {
    const { page } = await openPage()
    await page.getByText('Live', { exact: true }).waitFor()
    // The page asked the same before.
    expect(
      await page.evaluate(async () => (await (await fetch('dev/session')).json()) as object),
    ).toMatchObject({
      caller: 'local',
    })
    await expect.poll(() => page.getByRole('button', { name: /signed in/ }).count()).toBe(0)
  })

  it.each(widths)('is accessible at %d pixels, signed in too', async (width) => {
    const { page } = await openTeam()
    await setWidth(page, width)
    await page.getByLabel('User name').waitFor()
    expect(await objections(page)).toEqual([])
    await signIn(page)
    await page.getByRole('button', { name: 'ada: signed in' }).click()
    await page.getByText('Admin', { exact: true }).waitFor()
    expect(await objections(page)).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
  })
})
