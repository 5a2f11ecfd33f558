/**
 * Prepares a checkout with Node alone: installs the packages of package-lock.json and builds dist, each only if it is
 * missing or outdated. Programs that it runs write to stderr, so that stdout has only the output of the command.
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
import { writeNotices } from './notices.mjs'
import { withLock } from './lock.mjs'

/** The checkout's root. */
export const root = join(dirname(fileURLToPath(import.meta.url)), '..')

const dist = join(root, 'dist')
const bin = join(dist, 'cli/main.js')
// Written last, so that an interrupted build is done again.
const stamp = join(dist, '.built')
const modules = join(root, 'node_modules')

/** Installs the dependencies unless all of package-lock.json are installed. */
export function ensureInstalled() {
  if (isInstalled()) return
  say('Installing the dependencies (npm ci)')
  // A NODE_ENV of production would leave out what the build needs.
  run(...npm('ci', '--include=dev'))
}

/** Builds dist unless its sources are unchanged since the last build. Concurrent processes build it once. */
export function ensureBuilt() {
  if (isBuilt()) return
  withLock(join(modules, '.cache/localpost-build.lock'), () => {
    if (!isBuilt()) build()
  })
}

/**
 * Builds dist in another folder, and moves it to its place when it is complete. A failed build changes nothing, and
 * a process that runs from dist keeps its files.
 */
export function build() {
  say('Building dist')
  const next = join(modules, `.cache/localpost-dist-${process.pid}`)
  // Computed first: if a source changes during the build, dist is outdated.
  const inputs = fingerprint()
  // A failure ends the process, so the folder is removed when it exits.
  process.once('exit', () => rmSync(next, { recursive: true, force: true }))
  mkdirSync(next, { recursive: true })
  run(process.execPath, [join(root, 'scripts/build-library.mjs'), next])
  const ui = ['--outDir', join(next, 'ui'), '--emptyOutDir', '--logLevel', 'warn']
  // A build from within a test run inherits its NODE_ENV, and would compile the page with Vue's development half.
  const env = { ...process.env, NODE_ENV: 'production' }
  run(process.execPath, [join(modules, 'vite/bin/vite.js'), 'build', 'ui', ...ui], env)
  writeNotices(next)
  chmodSync(join(next, 'cli/main.js'), 0o755)
  rmSync(dist, { recursive: true, force: true })
  renameSync(next, dist)
  // Run after the move: the version is read from the package.json next to dist.
  run(process.execPath, [join(root, 'scripts/openapi.mjs')])
  writeFileSync(stamp, inputs)
}

// Compares the content, because git sets the times of files at a checkout even if nothing changed.
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

/** A hash of the names, times and sizes of all sources of dist. */
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
  // Vite writes its bundled configuration next to the original for a moment.
  const names = readdirSync(path).filter((name) => name !== 'node_modules' && !name.includes('.timestamp-'))
  return names.toSorted().flatMap((name) => filesOf(join(path, name)))
}

function npm(...args) {
  const script = process.env.npm_execpath
  return script ? [process.execPath, [script, ...args]] : ['npm', args]
}

/** Runs a program to its end. If it fails, this process ends with its exit code. */
export function run(command, args, env = process.env) {
  const { status, signal, error } = spawnSync(command, args, { cwd: root, env, stdio: ['ignore', 2, 2] })
  if (status === 0) return
  say(`${[command, ...args].join(' ')} failed: ${error?.message ?? signal ?? `exit code ${status}`}`)
  process.exit(status || 1)
}

/** Reports progress on stderr. */
export function say(text) {
  process.stderr.write(`localpost: ${text}\n`)
}
