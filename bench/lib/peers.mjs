/** The peers: installed once, each in a project of its own, outside the repository. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** `overrides`: mailparser after 3.9.31 pins packages that not every registry has. */
const projects = {
  'maildev-2.2.1': { dependencies: { maildev: '2.2.1' }, entry: 'node_modules/maildev/bin/maildev' },
  'maildev-3.0.0': {
    dependencies: { maildev: '3.0.0' },
    overrides: { mailparser: '3.9.31' },
    entry: 'node_modules/maildev/dist/bin/maildev.js',
  },
}

/** Where the peers and nothing else are kept between runs. */
export function cacheFolder() {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'localpost-bench')
}

/**
 * Installs what is missing. Needs the network the first time.
 *
 * @param {(line: string) => void} tell
 * @returns {Record<string, string>} The entry file of each peer.
 */
export function installPeers(tell) {
  const entries = {}
  for (const [name, { entry, ...project }] of Object.entries(projects)) {
    const dir = join(cacheFolder(), name)
    entries[name] = join(dir, entry)
    if (existsSync(entries[name])) continue
    tell(`installing ${name} into ${dir}`)
    mkdirSync(dir, { recursive: true })
    writeFileSync(
      join(dir, 'package.json'),
      `${JSON.stringify({ name: `bench-${name}`, private: true, ...project }, null, 2)}\n`,
    )
    execFileSync('npm', ['install', '--omit=dev', '--no-audit', '--no-fund', '--silent'], {
      cwd: dir,
      stdio: 'inherit',
    })
  }
  return entries
}

/** The version of a package as installed beside an entry file, or in a package folder. */
export function installedVersion(folder, name) {
  try {
    return JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')).version
  } catch {
    return null
  }
}
