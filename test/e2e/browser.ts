import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { LaunchOptions } from 'playwright-core'

/**
 * How Playwright starts the browser of the tests.
 *
 * @throws Error that says what to install, where there is no Chromium.
 */
export function launchOptions(): LaunchOptions {
  // A browser that does not come up says so before the test's own time is over.
  return { executablePath: findChromium(), args: flags, timeout: 20_000 }
}

/** The browser's executable: `CHROMIUM_PATH`, else where distributions put it. */
export function findChromium(): string {
  const given = process.env['CHROMIUM_PATH']
  if (given) {
    if (existsSync(given)) return given
    throw new Error(`CHROMIUM_PATH names ${given}, and there is no such file.`)
  }
  const found = [...places, ...onPath('google-chrome'), ...onPath('chromium')].find((place) =>
    existsSync(place),
  )
  if (found) return found
  throw new Error(
    'The tests of the page need Chromium, and there is none. Install it (Debian: `apt-get install -y chromium`; ' +
      'elsewhere Chromium or Google Chrome), or name it: `CHROMIUM_PATH=/path/to/chromium`.',
  )
}

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

// Nothing of the browser's own may go out: the tests count requests.
const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

function onPath(name: string): string[] {
  return (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, name))
}
