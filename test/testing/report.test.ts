import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { openProjects, runVitest } from './_project.ts'

const projects = openProjects()
afterEach(() => projects.clear())

const config = (options: object): string =>
  `export default { test: { testTimeout: 60_000, reporters: ['default', ['localpost/reporter', ${JSON.stringify(options)}]] } }`
const tests = (subject: string, more = ''): string => `import { describe } from 'vitest'
  import { expect, test } from 'localpost/vitest'
  const send = (localpost, to, subject) =>
    localpost.emails.send({ from: 'Acme <hi@acme.test>', to, subject, html: '<p>Hello</p>' })
  describe('a user', () => {
    test('signs up', async ({ localpost }) => {
      await send(localpost, 'ada@example.com', ${JSON.stringify(subject)})
      await send(localpost, 'bob@example.com', 'Hello')
    })
  })
  test('fails', { retry: 1 }, async ({ localpost }) => {
    await send(localpost, 'bounce@simulator.localpost', 'Again')
    expect(1).toBe(2)
  })
  test('sends nothing', async ({ localpost }) => {})
  ${more}`
const used = `import { afterEach, beforeEach, test } from 'vitest'
  import { useLocalpost } from 'localpost/testing'
  const localpost = useLocalpost({ beforeEach, afterEach })
  test('uses the hooks', async () => {
    await localpost().emails.send({ from: 'a@acme.test', to: 'eve@example.com', subject: 'Hooks', text: 'x' })
    await localpost().inbox.waitFor({ subject: 'Hooks' })
  })`
const indexOf = (file: string) =>
  JSON.parse(
    /<script type="application\/json" id="index">(.*)<\/script>/.exec(readFileSync(file, 'utf8'))![1]!,
  )

it('vitest writes a report of the mails of its tests, compares it with a baseline, and adds a summary', async () => {
  const dir = projects.make({
    'a.test.js': tests(
      'Welcome',
      `test('is removed later', async ({ localpost }) => void (await send(localpost, 'x@example.com', 'Old')))`,
    ),
    'b.test.js': used,
    'vitest.config.js': config({ outputFile: 'first.html' }),
  })
  const first = await runVitest(dir)
  expect(first.output).toContain('localpost: 5 mails in first.html')
  const { mails, gone, problems, baseline } = indexOf(join(dir, 'first.html'))
  expect([gone, problems, baseline]).toEqual([[], [], null])
  expect(
    mails
      .map(({ file, test, to, subject, state, change }: Record<string, unknown>) => [
        file,
        test,
        to,
        subject,
        state,
        change,
      ])
      .toSorted(),
  ).toEqual([
    ['a.test.js', 'a user > signs up', ['ada@example.com'], 'Welcome', 'passed', null],
    ['a.test.js', 'a user > signs up', ['bob@example.com'], 'Hello', 'passed', null],
    ['a.test.js', 'fails', ['bounce@simulator.localpost'], 'Again', 'failed', null],
    ['a.test.js', 'is removed later', ['x@example.com'], 'Old', 'passed', null],
    ['b.test.js', 'uses the hooks', ['eve@example.com'], 'Hooks', 'passed', null],
  ])

  writeFileSync(
    join(dir, 'vitest.config.js'),
    config({ outputFile: 'out/second.html', baseline: 'first.html', summaryFile: 'summary.md' }),
  )
  const added = `test('is added', async ({ localpost }) => void (await send(localpost, 'y@example.com', '![new](https://a.test)')))`
  writeFileSync(join(dir, 'a.test.js'), tests('Welcome back', added))
  await runVitest(dir)
  const second = indexOf(join(dir, 'out/second.html'))
  expect(
    second.mails.map(({ subject, change }: Record<string, unknown>) => [subject, change]).toSorted(),
  ).toEqual([
    ['![new](https://a.test)', 'new'],
    ['Again', 'same'],
    ['Hello', 'same'],
    ['Hooks', 'same'],
    ['Welcome back', 'changed'],
  ])
  expect(second.gone).toEqual([
    { file: 'a.test.js', test: 'is removed later', to: ['x@example.com'], subject: 'Old' },
  ])
  const summary = readFileSync(join(dir, 'summary.md'), 'utf8')
  expect(summary).toContain('### Changed (1)\n\n- Welcome back to ada\\@example.com')
  expect(summary).toContain('### New (1)\n\n- \\!\\[new\\]\\(https\\://a.test\\)')
  expect(summary).toContain('### Gone (1)')
}, 120_000)

it('tests that do not run leave their mails out of the comparison', async () => {
  const dir = projects.make({
    'a.test.js': tests('Welcome'),
    'vitest.config.js': config({ outputFile: 'a.html' }),
  })
  await runVitest(dir)
  writeFileSync(join(dir, 'vitest.config.js'), config({ outputFile: 'b.html', baseline: 'a.html' }))
  await runVitest(dir, '-t', 'signs up')
  const { mails, gone } = indexOf(join(dir, 'b.html'))
  expect(mails).toHaveLength(2)
  expect(gone).toEqual([])
}, 120_000)

it.each([
  [{ outputfile: 'a.html' }, 'Unknown option "outputfile" of localpost/reporter. Did you mean "outputFile"?'],
  [{ baseline: '' }, 'Option "baseline" of localpost/reporter is ""; it takes a path.'],
])(
  'refuses %j',
  async (options, message) => {
    const dir = projects.make({ 'a.test.js': used, 'vitest.config.js': config(options) })
    const { status, output } = await runVitest(dir)
    expect(status).toBe(1)
    expect(output).toContain(message)
  },
  60_000,
)

it('says that a baseline is missing or is none, and still writes the report', async () => {
  const dir = projects.make({
    'b.test.js': used,
    'no-report.html': '<p>Hello</p>',
    'vitest.config.js': config({ outputFile: 'a.html', baseline: 'none.html' }),
  })
  expect((await runVitest(dir)).status).toBe(0)
  expect(indexOf(join(dir, 'a.html')).problems).toEqual([
    expect.stringContaining('none.html cannot be read (ENOENT'),
  ])
  writeFileSync(join(dir, 'vitest.config.js'), config({ outputFile: 'a.html', baseline: 'no-report.html' }))
  await runVitest(dir)
  expect(indexOf(join(dir, 'a.html')).problems).toEqual([
    expect.stringContaining('it is no report of Localpost'),
  ])
  expect(existsSync(join(dir, 'a.html.part'))).toBe(false)
}, 60_000)
