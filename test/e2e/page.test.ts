import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { openPage, rowOf, submit } from './_setup.ts'
import { startListening } from '../support/instance.ts'
import { hasPrograms } from '../support/programs.ts'

describe('the page', () => {
  it('shows how to send the first mail, with a command that works when it is pasted', async () => {
    const { post, page } = await openPage()
    await page.getByRole('heading', { name: 'Ready for the first mail' }).waitFor()
    const smtp = page.getByRole('region', { name: 'SMTP' })
    expect(await smtp.innerText()).toContain(String(post.smtp.port))
    const command = await page.getByRole('region', { name: 'HTTP API' }).locator('pre').innerText()
    expect(command).toContain(`Bearer ${post.apiKey}`)

    if (!hasPrograms('the curl line of the page', ['curl'])) return
    await promisify(execFile)('sh', ['-c', command])
    await rowOf(page, 'Hello from curl').waitFor()
  })

  it('never shows a shortened key where the whole one is not available', async () => {
    const key = 'lp_test-key-that-is-longer-than-32-characters'
    const { page } = await openPage({ host: '0.0.0.0', apiKeys: [key] })
    await page.getByLabel('API key').fill(key)
    await page.getByRole('button', { name: 'Open the inbox' }).click()
    const smtp = page.getByRole('region', { name: 'SMTP' })
    await smtp.getByText('the API key that Localpost printed at its start').waitFor()
    await expect.poll(() => smtp.getByRole('button', { name: 'Copy the password' }).count()).toBe(0)
    const command = await page.getByRole('region', { name: 'HTTP API' }).locator('pre').innerText()
    expect(command).toContain('"Authorization: Bearer $LOCALPOST_API_KEY"')
    expect(await page.locator('section.main').innerText()).not.toContain(`${key.slice(0, 5)}…`)
    expect(await page.locator('section.main').innerText()).not.toContain(key.slice(0, 7))
  })

  it('shows that faults are on, for as long as they are', async () => {
    const { post, page } = await openPage({}, false)
    await post.faults.set({
      http: [{ path: '/v1/*', status: 503 }],
      smtp: [{ stage: 'data', code: 451, count: 0 }],
      rate_limit: { requests: 5, per_ms: 1000 },
    })
    await page.goto(post.url ?? '')
    await page.getByText('Faults are on: 1 for HTTP, a rate limit.').waitFor()
    await post.faults.clear()
    await page.evaluate(() => dispatchEvent(new Event('focus')))
    await page.getByText('Faults are on: ').waitFor({ state: 'detached' })
  })

  it('shows that the connection is lost, and catches up after a reconnect', async () => {
    const { post, page } = await openPage()
    const port = Number(new URL(post.url ?? '').port)
    await page.getByText('Live', { exact: true }).waitFor()
    await post.close()
    await page.getByText('Disconnected, retrying…').waitFor()
    const next = await startListening({}, { port })
    await submit(next, { subject: 'After the restart', text: 'x' })
    await page.getByText('Live', { exact: true }).waitFor({ timeout: 15_000 })
    await rowOf(page, 'After the restart').waitFor()
  })

  it('asks once for the API key where others can reach the instance', async () => {
    const { post, page } = await openPage({ host: '0.0.0.0', apiKeys: ['the-only-key'] })
    const field = page.getByLabel('API key')
    await field.fill('a-wrong-key')
    await page.getByRole('button', { name: 'Open the inbox' }).click()
    await page.getByRole('alert').getByText('no such API key').waitFor()
    await field.fill('the-only-key')
    await page.getByRole('button', { name: 'Open the inbox' }).click()
    await page.getByRole('heading', { name: 'Ready for the first mail' }).waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
    await page.reload()
    await submit(post, { subject: 'Still in', text: 'x' })
    await rowOf(page, 'Still in').waitFor()
    expect(await page.evaluate(() => document.cookie)).toBe('')
  })
})
