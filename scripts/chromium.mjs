import { existsSync } from 'node:fs'
import { run, say } from './prepare.mjs'

/**
 * Installs the browser of the page's tests where that needs no question: as root on Debian or Ubuntu. Elsewhere
 * it says how to.
 */
export function ensureChromium() {
  if (process.env.CHROMIUM_PATH || places.some((place) => existsSync(place))) return
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) {
    say(
      'The tests of the page need Chromium. Install it (Debian: sudo apt-get install chromium), or set CHROMIUM_PATH.',
    )
    return
  }
  say('Installing chromium for the tests of the page')
  process.env.DEBIAN_FRONTEND = 'noninteractive'
  const wait = ['-o', 'DPkg::Lock::Timeout=300']
  run('apt-get', [...wait, 'update', '-qq'])
  run('apt-get', [...wait, 'install', '-y', '-qq', '--no-install-recommends', 'chromium'])
}

// Where the tests look.
const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
