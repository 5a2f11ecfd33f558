/**
 * Makes a checkout runnable, with nothing but Node: installs what package-lock.json names and builds dist, each
 * only where it is missing or stale. What it runs speaks on stderr, so that stdout stays the command's own.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { addPageLicences } from './licences.mjs'
import { withLock } from './lock.mjs'

/** The checkout's root. */
export const root = join(dirname(fileURLToPath(import.meta.url)), '..')

const dist = join(root, 'dist')
const bin = join(dist, 'cli/main.js')
// Written last, so a build that was interrupted counts as none.
const stamp = join(dist, '.built')
const modules = join(root, 'node_modules')

/** Installs the dependencies unless those that package-lock.json names are there. */
export function ensureInstalled() {
  if (isInstalled()) return
  say('Installing the dependencies (npm ci)')
  // A NODE_ENV of production would leave out what the build needs.
  run(...npm('ci', '--include=dev'))
}

/** Builds dist unless it is newer than everything that it is made of. Two processes at once build it once. */
export function ensureBuilt() {
  if (isBuilt()) return
  withLock(join(modules, '.cache/localpost-build.lock'), () => {
    if (!isBuilt()) build()
  })
}

/**
 * Builds dist anew: aside, and in place only when all of it is there, so a failed build leaves the last one and
 * a process that runs from it keeps its files.
 */
export function build() {
  say('Building dist')
  const next = join(modules, `.cache/localpost-dist-${process.pid}`)
  // Taken first: what changes while the build runs makes it stale.
  const inputs = fingerprint()
  // Whatever fails ends the process.
  process.once('exit', () => rmSync(next, { recursive: true, force: true }))
  mkdirSync(next, { recursive: true })
  run(process.execPath, [join(root, 'scripts/build-library.mjs'), next])
  const ui = ['--outDir', join(next, 'ui'), '--emptyOutDir', '--logLevel', 'warn']
  run(process.execPath, [join(modules, 'vite/bin/vite.js'), 'build', 'ui', ...ui])
  addPageLicences(next)
  chmodSync(join(next, 'cli/main.js'), 0o755)
  rmSync(dist, { recursive: true, force: true })
  renameSync(next, dist)
  // From its place: the package that is read for the version is the one around it.
  run(process.execPath, [join(root, 'scripts/openapi.mjs')])
  writeFileSync(stamp, inputs)
}

// By content: a checkout's file times say when git wrote them, not whether anything changed.
function isInstalled() {
  const wanted = packagesOf(join(root, 'package-lock.json'))
  const present = packagesOf(join(modules, '.package-lock.json'))
  return Object.entries(wanted).every(
    ([path, { version, optional }]) => path === '' || optional || present[path]?.version === version,
  )
}

function packagesOf(lockfile) {
  return existsSync(lockfile) ? JSON.parse(readFileSync(lockfile, 'utf8')).packages : {}
}

function isBuilt() {
  return existsSync(bin) && existsSync(stamp) && readFileSync(stamp, 'utf8') === fingerprint()
}

/** Tells the state of everything that dist is made of: which files there are, and when they changed. */
function fingerprint() {
  const hash = createHash('sha256')
  for (const name of ['src', 'ui', 'scripts', 'tsconfig.json', 'package.json', 'package-lock.json']) {
    for (const path of filesOf(join(root, name))) {
      const { mtimeMs, size } = statSync(path)
      hash.update(`${path} ${mtimeMs} ${size}\n`)
    }
  }
  return hash.digest('hex')
}

function filesOf(path) {
  if (!statSync(path).isDirectory()) return [path]
  // Vite writes its configuration, bundled, beside it for a moment.
  const names = readdirSync(path).filter((name) => name !== 'node_modules' && !name.includes('.timestamp-'))
  return names.toSorted().flatMap((name) => filesOf(join(path, name)))
}

function npm(...args) {
  const script = process.env.npm_execpath
  return script ? [process.execPath, [script, ...args]] : ['npm', args]
}

/** Runs a program to its end; if it fails, so does this process, with its code. */
export function run(command, args) {
  const { status, signal, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2] })
  if (status === 0) return
  say(`${[command, ...args].join(' ')} failed: ${error?.message ?? signal ?? `exit code ${status}`}`)
  process.exit(status || 1)
}

/** Reports progress on stderr. */
export function say(text) {
  process.stderr.write(`localpost: ${text}\n`)
}
