import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Browser, BrowserType } from 'playwright-core'
import { invalidOption, messageOf } from '../core/errors.ts'
import type { ChromiumPlaces } from './places.ts'

/** Starts a Chromium that can reach nothing. @throws invalid_option, which says what to install. */
export async function openChromium(places: ChromiumPlaces, timeoutMs: number): Promise<Browser> {
  const {
    requirers = [join(process.cwd(), 'package.json'), import.meta.url],
    executablePath = process.env['CHROMIUM_PATH'],
  } = places
  const chromium = loadPlaywright(requirers)
  try {
    return await chromium.launch({
      ...(executablePath ? { executablePath } : {}),
      timeout: timeoutMs,
      // Hints such as `preconnect` pass by the interception of requests. Nothing listens at this port.
      proxy: { server: 'http://127.0.0.1:9' },
      args: ['--host-resolver-rules=MAP * ~NOTFOUND', '--disable-quic', '--disable-background-networking'],
    })
  } catch (error) {
    const [reason = ''] = messageOf(error).split('\n')
    throw invalidOption(`Pictures of mails need Chromium, and it does not start: ${reason} ${advice}`, error)
  }
}

const advice =
  'Install it (npx playwright-core install chromium), or name one: CHROMIUM_PATH=/usr/bin/chromium.'

/**
 * Requires Playwright, because Jest imports nothing in CommonJS without a flag.
 *
 * @throws invalid_option if it is not installed.
 */
function loadPlaywright(requirers: readonly string[]): BrowserType {
  for (const requirer of requirers) {
    const requireThere = createRequire(requirer)
    try {
      return (requireThere('playwright-core') as typeof import('playwright-core')).chromium
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND')) throw error
    }
  }
  const install = 'npm install --save-dev playwright-core'
  throw invalidOption(`Pictures of mails need the package \`playwright-core\`. Install it: ${install}`)
}
