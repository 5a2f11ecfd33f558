import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import {
  failingCalls,
  failingMatchers,
  fileOf,
  firstPlaces,
  wrongCalls,
  wrongMatchers,
} from '../test/testing/_lines.ts'
import { makeProject, type Project } from './project.ts'
import { runAll } from './run.ts'

const failing = [...failingCalls, ...failingMatchers]
const all = [...failing, ...wrongCalls, ...wrongMatchers]
const jest = fileOf(
  `import { matchers } from 'localpost/testing'\nexpect.extend(matchers)\njest.setTimeout(60_000)`,
  all,
  '',
)
const playwright = fileOf(
  `import { expect as baseExpect, test } from '@playwright/test'
import { matchers } from 'localpost/testing'
const expect = baseExpect.extend(matchers)`,
  all,
  '{}',
)
// Without Babel's presets, Jest accepts CommonJS only.
const toCommon = (text: string): string =>
  text.replaceAll(
    /^import \{(.*)\} from ('.*')$/gm,
    (_, names: string, from: string) => `const {${names.replaceAll(' as ', ': ')}} = require(${from})`,
  )

let project: Project
beforeAll(async () => {
  const files = {
    'lines.test.js': toCommon(jest.text),
    'lines.pw.js': toCommon(playwright.text),
    'playwright.config.js': `module.exports = { testMatch: ['**/*.pw.js'], workers: 1, reporter: 'line', timeout: 60_000 }`,
  }
  project = await makeProject(files, [inject('tarball'), 'jest@30.5.2', '@playwright/test@1.65.1'])
})
afterAll(() => project?.remove())

/** The output of a failing run. */
async function failed(command: string, args: readonly string[]): Promise<string> {
  const bin = join(project.dir, 'node_modules/.bin', command)
  return runAll(bin, args, { cwd: project.dir }).then(
    (output) => expect.fail(`It passed: ${output}`),
    (error: unknown) => String(error),
  )
}

describe('a failure shows the line of the test', () => {
  it('in Jest', async () => {
    const output = await failed('jest', ['lines.test.js'])
    expect(output).toMatch(new RegExp(`Tests: +${all.length} failed, ${all.length} total`))
    expect(
      jest.lines.filter((line) => output.includes(`(lines.test.js:${line}:`)),
      output,
    ).toEqual(jest.lines)
    const wrong = jest.lines.slice(failing.length)
    expect(firstPlaces(output)).toEqual(wrong.map((line) => `lines.test.js:${line}`))
  })

  it('in Playwright', async () => {
    const output = await failed('playwright', ['test'])
    expect(output).toMatch(new RegExp(`\\b${all.length} failed`))
    expect(
      playwright.lines.filter((line) => output.includes(`lines.pw.js:${line}:`)),
      output,
    ).toEqual(playwright.lines)
    const wrong = playwright.lines.slice(failing.length)
    expect(firstPlaces(output)).toEqual(wrong.map((line) => `lines.pw.js:${line}`))
  })
})
