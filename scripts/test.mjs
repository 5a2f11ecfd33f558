/**
 * `npm test -- <arguments of vitest>`: runs the tests, even in a new checkout. It installs the packages,
 * and tests that need dist build it. The exit code is that of vitest. If TEST_SUMMARY names a file, it gets one line
 * `N passed, N failed`.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureInstalled, root } from './prepare.mjs'

const given = process.argv.slice(2)
ensureInstalled()

const folder = mkdtempSync(join(tmpdir(), 'localpost-test-'))
const report = join(folder, 'report.json')
const vitest = join(root, 'node_modules/vitest/vitest.mjs')
const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
const child = spawn(process.execPath, [vitest, 'run', ...reporters, ...given], {
  cwd: root,
  stdio: 'inherit',
})
// A terminal sends Ctrl-C to vitest too. This process continues, to report the result.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => child.kill())
const [code] = await once(child, 'exit')
const exitCode = code ?? 1
if (process.env.TEST_SUMMARY) writeFileSync(process.env.TEST_SUMMARY, `${summarize()}\n`)
rmSync(folder, { recursive: true, force: true })
process.exitCode = exitCode

/** A file that could not be loaded, or an error outside of a test, fails the run and counts as one. */
function summarize() {
  const { numPassedTests: passed = 0, numFailedTests: failed = 0, testResults = [] } = readReport()
  const broken = testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.every((test) => test.status !== 'failed'),
  )
  const all = failed + broken.length
  return `${passed} passed, ${exitCode === 0 ? all : Math.max(all, 1)} failed`
}

function readReport() {
  return existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : {}
}
