import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { findChromium } from '../test/e2e/browser.ts'
import manifest from '../examples/sign-up/package.json' with { type: 'json' }
import { makeProject, type Project } from './project.ts'
import { runAll } from './run.ts'

const body = `
  const { id } = await post.emails.send({
    from: 'Acme <hi@acme.test>',
    to: 'ada@example.com',
    subject: 'Hi',
    text: process.env.WORD + '. Your code is 482913.',
    html: '<html lang="en"><title>Hi</title><body><h1>' + process.env.WORD + '</h1><p>Your code is 482913.</p>',
  })
  const mail = await post.inbox.waitFor({ id }, { timeoutMs: 30_000 })
  await expect(mail).toPassChecks({ failOn: process.env.FAIL_ON || 'error' })
  if (process.env.ONLY !== 'pictures') expect(mail).toMatchMailSnapshot()
  if (process.env.ONLY !== 'text') await expect(mail).toMatchMailPictures()`

interface Runner {
  file: string
  content: string
  /** Its arguments, and those with which it accepts what differs. */
  command: readonly string[]
  accept: readonly string[]
}

const runners: Readonly<Record<string, Runner>> = {
  vitest: {
    file: 'mail.test.mjs',
    content: `import { expect, test } from 'localpost/vitest'
test('welcomes', async ({ localpost: post }) => {${body}
}, 90_000)`,
    command: ['vitest', 'run', 'mail.test.mjs'],
    accept: ['-u'],
  },
  Jest: {
    file: 'mail.test.cjs',
    content: `const { afterEach, beforeEach, expect, test } = require('@jest/globals')
const { matchers, useLocalpost } = require('localpost/testing')
expect.extend(matchers)
const localpost = useLocalpost({ beforeEach, afterEach })
test('welcomes', async () => {
  const post = localpost()${body}
}, 90_000)`,
    command: ['jest', '--testMatch', '**/mail.test.cjs'],
    accept: ['-u'],
  },
  Playwright: {
    file: 'mail.spec.mjs',
    content: `import { expect as baseExpect, test as base } from '@playwright/test'
import { withLocalpost, withMailMatchers } from 'localpost/playwright'
const test = withLocalpost(base)
const expect = withMailMatchers(baseExpect, base)
test('welcomes', async ({ localpost: post }) => {
  test.setTimeout(90_000)${body}
})`,
    command: ['playwright', 'test', 'mail.spec.mjs'],
    accept: ['--update-snapshots'],
  },
}

let project: Project
beforeAll(async () => {
  const { '@playwright/test': playwright, jest, vitest } = manifest.devDependencies
  project = await makeProject(
    Object.fromEntries(Object.values(runners).map(({ file, content }) => [file, content])),
    [`@playwright/test@${playwright}`, `jest@${jest}`, `vitest@${vitest}`, inject('tarball')],
  )
})
afterAll(() => project?.remove())

/** All files of the project that a run wrote beside its tests. */
function written(): string[] {
  return readdirSync(project.dir, { recursive: true, encoding: 'utf8' })
    .filter((name) => !name.startsWith('node_modules') && /snapshot/.test(name) && /\.\w+$/.test(name))
    .filter((name) => !name.startsWith('test-results'))
    .toSorted()
}

describe.each(Object.entries(runners))('the matchers of mails in %s', (name, { command, accept }) => {
  const start = (env: NodeJS.ProcessEnv, more: readonly string[] = []): Promise<string> =>
    runAll('npx', [...command, ...more], {
      cwd: project.dir,
      env: { CI: '', CHROMIUM_PATH: findChromium(), WORD: 'Welcome', ...env },
    })
  const before = new Set<string>()

  it('fail in CI where there is no snapshot, with what writes it', async () => {
    for (const one of written()) before.add(one)
    const what = { text: /--update|-u\b|--ci=false|without CI|write/i, pictures: /-u\b|--update|write/i }
    for (const [only, advice] of Object.entries(what))
      await expect(start({ CI: '1', ONLY: only })).rejects.toThrow(advice)
    expect(written().filter((one) => !before.has(one) && /received|\.png$|\.snap$/.test(one))).toEqual([])
  })

  it('write a snapshot and four pictures, and pass while the mail is the same', async () => {
    // In Playwright a run that writes what it did not find fails, unless it is told to write.
    if (name === 'Playwright') await expect(start({})).rejects.toThrow(/writing actual/)
    await start({}, name === 'Playwright' ? accept : [])
    const own = written().filter((one) => !before.has(one))
    expect(own.filter((one) => one.endsWith('.png'))).toHaveLength(4)
    const [text] = own.filter((one) => /\.(?:snap|txt)$/.test(one))
    const snapshot = readFileSync(join(project.dir, text ?? ''), 'utf8')
    expect(snapshot).toContain('Your code is [code].')
    await start({ CI: '1' })
  })

  it('fail where the mail has changed, and accept it when told to', async () => {
    await expect(start({ WORD: 'Goodbye', ONLY: 'text' })).rejects.toThrow(/Welcome[^]*Goodbye/)
    await expect(start({ WORD: 'Goodbye', ONLY: 'pictures' })).rejects.toThrow(/pixels/)
    const difference = readdirSync(project.dir, { recursive: true, encoding: 'utf8' }).find(
      (one) => !one.startsWith('node_modules') && /(?:difference|-diff)\.png$/.test(one),
    )
    expect(existsSync(join(project.dir, difference ?? 'nothing'))).toBe(true)
    await start({ WORD: 'Goodbye' }, accept)
    await start({ WORD: 'Goodbye', CI: '1' })
  })

  it('fail where a check finds something, and say what to do', async () => {
    // The signature of an API send without a registered domain is a note or a warning, whatever the mail says.
    await expect(start({ WORD: 'Hello {{name}}', FAIL_ON: 'warning' })).rejects.toThrow(
      /placeholder[^]*\{\{name\}\}/,
    )
  })
})
