import { readdirSync, readFileSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest'
import { createLocalpost } from '../../src/index.ts'
import { folderVariable, handOverMails } from '../../src/report/hand-over.ts'
import { writeReport } from '../../src/report/write.ts'
import { submit } from '../support/submit.ts'
import { browser } from './context.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'localpost-report-test-'))
  process.env[folderVariable] = folder
})
afterEach(() => {
  delete process.env[folderVariable]
  rmSync(folder, { recursive: true, force: true })
})

async function openReport(root: string) {
  const outputFile = join(folder, 'report.html')
  const tests = [{ file: join(root, 'a.test.js'), name: 'a', state: 'passed' }]
  await writeReport({ folder, root, outputFile, baseline: null, tests })
  const page = await browser.context.newPage()
  const errors: string[] = []
  const requests: string[] = []
  page.on('pageerror', (error) => errors.push(String(error)))
  page.on('dialog', (dialog) => (errors.push(`dialog ${dialog.message()}`), dialog.dismiss()))
  page.on('request', (request) => requests.push(request.url()))
  await page.goto(pathToFileURL(outputFile).href)
  return { page, errors, requests }
}

it('a report shows mails with a frame each when it is opened, and finds them', async () => {
  const post = await createLocalpost()
  onTestFinished(() => post.close())
  for (let mail = 0; mail < 30; mail++)
    await submit(post, { subject: `Mail ${mail}`, html: `<p>Hello number ${mail}</p>`, text: 'Hi' })
  await handOverMails(post, { file: '/app/a.test.js', name: 'a', attempt: 0 })
  const { page, errors, requests } = await openReport('/app')
  const rows = page.getByRole('navigation').getByRole('button')
  await expect.poll(() => rows.count()).toBe(30)
  await expect.poll(() => page.locator('iframe').count()).toBe(0)
  await page.getByRole('searchbox').fill('mail 17')
  await expect.poll(() => rows.filter({ visible: true }).count()).toBe(1)
  await rows.filter({ visible: true }).click()
  await page.frameLocator('iframe').getByText('Hello number 17').waitFor()
  expect(await page.locator('article').innerText()).toContain('ada@example.com: delivered (250')
  expect(await page.locator('article').innerText()).toContain('a.test.js > a (passed)')
  expect(errors).toEqual([])
  expect(requests.filter((url) => !url.startsWith('file:') && !url.startsWith('about:'))).toEqual([])
  await page.close()
})

it('no hostile mail runs anything, connects or leaves its frame', async () => {
  const hits: string[] = []
  const trap = createServer((request, response) => {
    hits.push(request.url ?? '')
    response.end()
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void trap.close())
  await new Promise((resolve) => trap.once('listening', resolve))
  const url = `http://127.0.0.1:${(trap.address() as AddressInfo).port}`
  const post = await createLocalpost()
  onTestFinished(() => post.close())
  const fixtures = join(import.meta.dirname, '../fixtures/hostile')
  for (const name of readdirSync(fixtures)) await post.inbox.import(readFileSync(join(fixtures, name)))
  const evil = `</script><script>top.hit=1</script><img src=x onerror="top.hit=1">`
  await submit(post, {
    subject: evil,
    text: evil,
    html: `${evil}<svg onload="top.hit=1"><iframe srcdoc="<script>top.hit=1</script>"></iframe>
      <img src="${url}/img"><link rel="stylesheet" href="${url}/css"><style>@import "${url}/import";</style>
      <meta http-equiv="refresh" content="0;url=${url}/refresh"><object data="${url}/object"></object>
      <a href="${url}/link">plain link</a><a href="${url}/top" target="_top">top link</a>
      <a href="javascript:top.hit=1">script link</a><form action="${url}/form"><button>Send</button></form>`,
    attachments: [{ filename: `${evil}.txt`, content: 'x' }],
  })
  await handOverMails(post, { file: '/app/a.test.js', name: evil, attempt: 0 })
  const { page, errors } = await openReport('/app')
  const rows = page.getByRole('navigation').getByRole('button')
  const count = await rows.count()
  expect(count).toBeGreaterThan(8)
  for (let row = 0; row < count; row++) {
    await rows.nth(row).click()
    await page.locator('article[aria-busy=false]').waitFor()
    for (const summary of await page.locator('article summary').all()) await summary.click()
  }
  await rows.filter({ hasText: '<script>top.hit=1' }).click()
  const frame = page.frameLocator('iframe')
  for (const name of ['plain link', 'top link', 'script link']) {
    await frame.getByText(name).click()
    await page.waitForTimeout(200)
    // The one that names a target is blocked, and leaves the frame empty.
    await rows.filter({ hasText: '<script>top.hit=1' }).click()
    await frame.getByText(name).waitFor()
  }
  await page.waitForTimeout(300)
  expect(hits).toEqual([])
  expect(await page.evaluate(() => 'hit' in globalThis)).toBe(false)
  expect(errors).toEqual([])
  expect(page.url()).toMatch(/^file:.*report\.html$/)
  expect(await page.locator('article h2').innerText()).toContain('onerror="top.hit=1"')
  await page.close()
})
