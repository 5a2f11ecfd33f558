import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { makeProject, type Project } from './project.ts'
import { run, runAll } from './run.ts'

const life = `
const mail = { from: 'Acme <hi@acme.test>', to: 'ada@example.com', subject: 'Code', html: '<p>Your code is 482913.</p>' }
async function live(post) {
  await post.emails.send(mail)
  const { codes } = await post.inbox.waitFor({ to: 'ada@example.com' }, { timeoutMs: 60_000 })
  const late = await post.inbox.waitFor({ to: 'bob@example.com' }, { timeoutMs: 20 }).catch((error) => error.code)
  await post.listen()
  await post.close()
  return codes.join() + ' ' + late
}`

const app = `import { createLocalpost } from 'localpost'
${life}
createLocalpost().then(live).then(console.log)
`

const both = `import { createRequire } from 'node:module'
import * as imported from 'localpost'
import * as importedTesting from 'localpost/testing'
const require = createRequire(import.meta.url)
const required = require('localpost')
const requiredTesting = require('localpost/testing')
for (const [one, other] of [[imported, required], [importedTesting, requiredTesting]])
  for (const name of Object.keys(one)) if (one[name] !== other[name]) throw new Error('two copies of ' + name)
${life}
const post = await imported.createLocalpost()
await required.createLocalpost().then(live)
const waiting = requiredTesting.assertSent(post, { to: 'ada@example.com', timeoutMs: 5000 })
await post.emails.send(mail)
await waiting
console.log(await live(post))
`

// No configuration and no flag; `jest.useFakeTimers()` fakes all that Jest can, `process.nextTick` too.
const jestTest = `
const { createLocalpost, LocalpostError } = require('localpost')
const { assertSent, matchers, useLocalpost } = require('localpost/testing')
${life}
expect.extend(matchers)
// The modules that the first send loads take long on a busy machine.
jest.setTimeout(90_000)
afterEach(() => jest.useRealTimers())

test('without fake timers', async () => expect(await live(await createLocalpost({ waitTimeoutMs: 60_000 }))).toBe('482913 wait_timeout'))
test('fake before the instance is made', async () => {
  jest.useFakeTimers()
  expect(await live(await createLocalpost({ waitTimeoutMs: 60_000 }))).toBe('482913 wait_timeout')
})
test('fake after the instance was made', async () => {
  const post = await createLocalpost({ waitTimeoutMs: 60_000 })
  jest.useFakeTimers({ now: 0 })
  await post.emails.send(mail)
  await assertSent(post, { to: 'ada@example.com' })
  await expect(post).toHaveSent({ to: 'ada@example.com' })
  expect(await live(post)).toBe('482913 wait_timeout')
})
test('while it waits', async () => {
  const post = await createLocalpost({ waitTimeoutMs: 60_000 })
  const waiting = post.inbox.waitFor({ to: 'ada@example.com' })
  jest.useFakeTimers()
  await post.emails.send(mail)
  expect((await waiting).codes).toEqual(['482913'])
  jest.useRealTimers()
  await post.close()
})
test('errors are those of the package', async () => {
  const error = await createLocalpost({ smtpPort: 'x' }).catch((thrown) => thrown)
  expect(error).toBeInstanceOf(LocalpostError)
})
describe('the hook', () => {
  const localpost = useLocalpost({ beforeEach, afterEach })
  beforeEach(() => jest.useFakeTimers())
  test('gives an instance', async () => {
    await localpost().emails.send(mail)
    await expect(localpost()).toHaveSent({ to: 'ada@example.com' })
  })
})
`

let project: Project
beforeAll(async () => {
  const files = {
    'app.js': app,
    'both.mjs': both,
    'fake.test.js': jestTest,
    'early.test.js': jestTest,
    'early.config.json': JSON.stringify({
      fakeTimers: { enableGlobally: true },
      testMatch: ['**/early.test.js'],
    }),
  }
  project = await makeProject(files, [inject('tarball'), 'esbuild@0.27.0', 'jest@30.5.2'])
})
afterAll(() => project?.remove())

describe('an app bundled by esbuild with the package in it', () => {
  it.each([
    ['cjs', 'app.cjs'],
    ['esm', 'app.mjs'],
  ])('sends and waits as %s', async (format, file) => {
    const out = join(project.dir, format, file)
    const flags = ['--bundle', '--platform=node', `--format=${format}`, `--outfile=${out}`]
    const esbuild = join(project.dir, 'node_modules/.bin/esbuild')
    const said = await runAll(esbuild, ['app.js', ...flags, '--log-level=warning'], { cwd: project.dir })
    expect(said).toBe('')
    expect(readdirSync(join(project.dir, format))).toEqual([file])
    // Run from another folder, so that nothing is resolved in the project.
    expect(await run('node', [out], { cwd: '/' })).toBe('482913 wait_timeout\n')
  })
})

it('is one copy for import and require in one process', async () => {
  expect(await run('node', ['both.mjs'], { cwd: project.dir })).toBe('482913 wait_timeout\n')
})

describe('Jest without a flag', () => {
  it('runs it with and without fake timers', async () => {
    const jest = join(project.dir, 'node_modules/.bin/jest')
    const output = await runAll(jest, ['fake.test.js'], { cwd: project.dir })
    expect(output).toMatch(/Tests: +6 passed, 6 total/)
  })

  it('runs it where timers are fake before it is loaded', async () => {
    const jest = join(project.dir, 'node_modules/.bin/jest')
    const output = await runAll(jest, ['--config', 'early.config.json'], { cwd: project.dir })
    expect(output).toMatch(/Tests: +6 passed, 6 total/)
  })
})
