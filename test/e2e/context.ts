import { chromium, type Browser, type BrowserContext } from 'playwright-core'
import { inject } from 'vitest'

/** The browser state of the tests of a file: cookies, storage and pages that other files do not share. */
export const browser = {
  get context(): BrowserContext {
    if (!context) throw new Error('There is a browser while a test runs.')
    return context
  },
}

let connection: Promise<Browser> | undefined
let context: BrowserContext | undefined

/** Opens the context of a file, with an empty page as a visible window. */
export async function openContext(): Promise<void> {
  connection ??= chromium.connect(inject('browserEndpoint'))
  context = await (await connection).newContext({ viewport: { width: 1280, height: 800 } })
  // A busy machine is slow; what never happens still fails.
  context.setDefaultTimeout(20_000)
  await context.newPage()
}

export async function closeContext(): Promise<void> {
  await context?.close()
  context = undefined
}
