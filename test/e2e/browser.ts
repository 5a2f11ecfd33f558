import { existsSync } from 'node:fs'
import type { LaunchOptions } from 'playwright-core'
import { ensureProgram, findOnPath, installIfPossible } from '../support/programs.ts'

/**
 * How Playwright starts the browser of the tests.
 *
 * @throws Error that says what to install, where there is no Chromium.
 */
export function launchOptions(): LaunchOptions {
  // A browser that does not start reports it before the time limit of the test.
  return { executablePath: findShell() ?? findChromium(), args: flags, timeout: 20_000 }
}

/** Chromium without its windows, which needs about a third less processor time for a page; undefined if there is none. */
function findShell(): string | undefined {
  return process.env['CHROMIUM_PATH'] ? undefined : installIfPossible('chromium-headless-shell')
}

/**
 * The browser's executable: `CHROMIUM_PATH`, else the usual places of distributions.
 *
 * @throws Error that says what to install, where there is none.
 */
export function findChromium(): string {
  const given = process.env['CHROMIUM_PATH']
  if (given) {
    if (existsSync(given)) return given
    throw new Error(`CHROMIUM_PATH names ${given}, and there is no such file.`)
  }
  return ensureProgram({
    name: 'chromium',
    tests: 'the page',
    find: () =>
      places.find((place) => existsSync(place)) ?? findOnPath('google-chrome') ?? findOnPath('chromium'),
    otherwise: ', or name one that is there: CHROMIUM_PATH=/path/to/chrome',
  })
}

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

// The browser itself must send no requests: the tests count them.
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
