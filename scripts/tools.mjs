import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { run, say } from './prepare.mjs'

/** Installs the browser of the page's tests, where it is missing. */
export function ensureChromium() {
  if (process.env.CHROMIUM_PATH || browsers.some((place) => existsSync(place))) return
  install('chromium', 'The tests of the page need Chromium', ', or set CHROMIUM_PATH')
}

/** Installs the SMTP client that README and guides show, where it is missing. */
export function ensureSwaks() {
  const folders = (process.env.PATH ?? '').split(delimiter)
  if (folders.some((folder) => existsSync(join(folder, 'swaks')))) return
  install('swaks', 'The tests of the documentation need swaks', '')
}

// Where the tests look.
const browsers = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** Where that needs no question, as root on Debian or Ubuntu; elsewhere it says how to. */
function install(name, why, otherwise) {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) {
    say(`${why}. Install it (Debian: sudo apt-get install ${name})${otherwise}.`)
    return
  }
  say(`${why}: installing ${name}`)
  process.env.DEBIAN_FRONTEND = 'noninteractive'
  const wait = ['-o', 'DPkg::Lock::Timeout=300']
  run('apt-get', [...wait, 'update', '-qq'])
  run('apt-get', [...wait, 'install', '-y', '-qq', '--no-install-recommends', name])
}
