import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { expect, it, onTestFinished, vi } from 'vitest'
import { checkMail } from '../../src/checks/run.ts'
import { checkJobs } from '../../src/checks/run.ts'
import { createMailChecks, type CheckWholeMail } from '../../src/checks/mail-checks.ts'
import { systemClock, type Clock } from '../../src/core/clock.ts'
import { createJobThread } from '../../src/core/job-thread.ts'
import { temporaryFolder } from '../support/folder.ts'
import { testClock } from '../support/clock.ts'
import { mailWith } from './_mail.ts'

function workerOf(source: string): URL {
  const file = join(temporaryFolder(), 'worker.mjs')
  writeFileSync(file, `import { parentPort } from 'node:worker_threads'\n${source}`)
  return pathToFileURL(file)
}

function open(file: URL | null = null, clock: Clock = systemClock): CheckWholeMail {
  const thread = createJobThread(checkJobs, file, clock)
  onTestFinished(() => thread.close())
  return createMailChecks(thread, clock)
}

const long = mailWith({ html: '<p>x</p>'.repeat(40_000) })
const silent = `parentPort.on('message', () => {})\nparentPort.postMessage('ready')`

it('checks short mails in this thread, and long ones in another', async () => {
  const check = open(
    workerOf(`parentPort.on('message', () =>
  parentPort.postMessage({ result: { findings: [], checks: [] } }))
parentPort.postMessage('ready')`),
  )
  expect((await check(mailWith(), {})).checks.length).toBeGreaterThan(3)
  expect(await check(long, {})).toEqual({ findings: [], checks: [] })
})

it('checks long mails in this thread if no other can be started', async () => {
  const check = open()
  expect(await check(long, {})).toEqual(checkMail(long))
})

it('says of each check that it gave up if the thread does not answer', async () => {
  const clock = testClock(0)
  const check = open(workerOf(silent), clock)
  const checking = check(long, { except: ['subject'] })
  const state = Promise.race([checking, Promise.resolve(null)])
  expect(await state).toBeNull()
  await vi.waitFor(async () => {
    await clock.advance(20_000)
    expect(await Promise.race([checking, Promise.resolve(null)])).not.toBeNull()
  }, 15_000)
  const report = await checking
  expect(report.findings).toEqual([])
  expect(new Set(report.checks.map(({ outcome }) => outcome))).toEqual(new Set(['gave_up']))
  expect(report.checks.map(({ id }) => id)).not.toContain('subject')
  expect(report.checks[0]?.message).toMatch(/^The checks of this mail took longer than 20 seconds/)
})

it('ends the work of the thread if the caller ends it; the next check starts another thread', async () => {
  const check = open(workerOf(silent))
  const ended = new AbortController()
  const checking = check(long, {}, { signal: ended.signal })
  const next = check(long, {}, { signal: AbortSignal.timeout(100) })
  const timedOut = expect(next).rejects.toMatchObject({ name: 'TimeoutError' })
  ended.abort(new Error('no longer needed'))
  await expect(checking).rejects.toThrow('no longer needed')
  await timedOut
})

it('the package checks the hostile set in its thread, each within its time', async () => {
  const script = join(temporaryFolder(), 'script.mjs')
  const entry = new URL('../../dist/index.cjs', import.meta.url).href
  writeFileSync(script, hostileScript(entry))
  const { stdout } = await promisify(execFile)(process.execPath, [script], { timeout: 90_000 })
  const rows = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as HostileRow)
  expect(rows.map(({ name }) => name)).toHaveLength(8)
  for (const row of rows) {
    expect(row, row.name).toMatchObject({ status: 200 })
    expect(row.checks, row.name).toBeGreaterThan(10)
    expect(row.longestTurnMs, row.name).toBeLessThan(500)
    expect(row.findings, row.name).toBeLessThan(1500)
  }
}, 100_000)

interface HostileRow {
  name: string
  status: number
  checks: number
  findings: number
  longestTurnMs: number
}

const hostileScript = (entry: string): string => `
import { watchStalls } from ${JSON.stringify(new URL('../support/stalls.mjs', import.meta.url).href)}
const { createLocalpost } = (await import(${JSON.stringify(entry)})).default
const ticks = watchStalls(10)
const fill = (piece, length) => piece.repeat(Math.ceil(length / piece.length))
const hostile = {
  '6 MB of tables': fill('<table><tr><td style="color:#777"><a href="https://acme.test/x">Offer</a></td></tr></table>', 6e6),
  '10,000 links': '<a href="/x">here</a>'.repeat(10_000),
  'rules of CSS': '<style>' + fill('a{color:red;display:flex}', 3e6) + '</style><p>x</p>',
  'open blocks of CSS': '<style>' + fill('@media x{', 3e6) + '</style><p>x</p>',
  'selectors': '<style>' + fill('a>b ~ ', 3e6) + '{}</style><p>x</p>',
  'inline styles': Array.from({ length: 30_000 }, (_, i) => '<p style="margin:' + i + 'px">x</p>').join(''),
  'deep nesting': fill('<div>', 6e6),
  'SVG': '<svg>' + fill('<path d="M0 0"/><use href="#a"/>', 6e6) + '</svg>',
}
const post = await createLocalpost()
for (const [name, html] of Object.entries(hostile)) {
  const { id } = await post.inbox.import(
    Buffer.from('From: a@acme.test\\r\\nTo: b@acme.test\\r\\nSubject: x\\r\\nContent-Type: text/html\\r\\n\\r\\n' + html))
  ticks.take()
  const answer = await post.fetch(new Request('http://localpost/dev/inbox/' + id + '/checks'))
  const { checks, findings } = await answer.json()
  const { stalls } = ticks.take()
  console.log(JSON.stringify({
    name, status: answer.status, checks: checks.length, findings: findings.length, longestTurnMs: Math.max(0, ...stalls),
  }))
}
await post.close()
`

it.each([
  ['short', mailWith()],
  ['long, without a thread', long],
])('ends the checks of a mail if the caller ends it: %s', async (_, mail) => {
  const check = open()
  const over = AbortSignal.abort(new Error('over'))
  await expect(check(mail, {}, { signal: over })).rejects.toThrow('over')
})
