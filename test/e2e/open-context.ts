import { afterAll, afterEach, beforeAll } from 'vitest'
import { browser, closeContext, openContext } from './context.ts'

// A setup file: it runs before each test file.
beforeAll(openContext, 60_000)
afterEach(async () => {
  for (const page of browser.context.pages().slice(1)) await page.close()
  await browser.context.clearCookies()
})
afterAll(closeContext)
