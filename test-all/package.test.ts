import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { makeProject, nodeOf, type Project } from './project.ts'
import { root, run } from './run.ts'

const bin = (name: string): string => join(root, 'node_modules/.bin', name)
const tarball = inject('tarball')

// Imports every entry that needs no framework, sends over SMTP and `/v1`, and exits without a call of `exit`.
const uses = (load: string): string => `
${load}
async function main() {
  const post = await createLocalpost({ waitTimeoutMs: 50_000 })
  const { url } = await post.listen()
  const client = createClient({ url, apiKey: post.apiKey })
  await client.emails.send({ from: 'Acme <hi@acme.test>', to: 'ada@example.com', subject: 'Code', text: 'Your code is 482913.' })
  await assertSent(post, { to: 'ada@example.com' })
  const mail = await post.inbox.waitFor({ to: 'ada@example.com' })
  const page = await (await fetch(url)).text()
  await post.close()
  console.log(process.version, mail.codes.join(), page.includes('<div id="app">'), typeof errorTable)
}
main()
`
const asModule = uses(`import { createLocalpost, errorTable } from 'localpost'
import { createClient } from 'localpost/client'
import { assertSent } from 'localpost/testing'`)
const asScript = uses(`const { createLocalpost, errorTable } = require('localpost')
if (!require('localpost/openapi.json').openapi.startsWith('3.')) throw new Error('no OpenAPI document')
const { createClient } = require('localpost/client')
const { assertSent } = require('localpost/testing')`)

const asTypes = `import { createLocalpost, LocalpostError, type Localpost, type Mail } from 'localpost'
import { createClient } from 'localpost/client'
import { withLocalpost } from 'localpost/playwright'
import { assertSent, useLocalpost } from 'localpost/testing'
import { createTest, expect, test } from 'localpost/vitest'
import { test as base } from '@playwright/test'

const post: Localpost = await createLocalpost({ strict: true })
const mail: Mail = await post.inbox.waitFor({ to: 'ada@example.com' })
const href: string | undefined = mail.links[0]?.href
await assertSent(post, { to: 'ada@example.com' })
const client = createClient({ url: 'http://127.0.0.1', apiKey: 'x' })
const { id }: { id: string } = await client.emails.send({ from: 'a@b.c', to: 'd@e.f', subject: 's', text: 't' })
test('typed', async ({ localpost }) => { await expect(localpost).toHaveSent({ to: id }) })
withLocalpost(base)('typed', async ({ localpost, page }) => { await page.goto(localpost.url) })
// @ts-expect-error -- no such option
await createLocalpost({ smptPort: 1 })
export { createTest, href, LocalpostError, useLocalpost }
`

// vitest itself cannot be required.
const asCommonTypes = `import { createLocalpost, LocalpostError, type Localpost, type Mail } from 'localpost'
import client = require('localpost/client')
import { withLocalpost } from 'localpost/playwright'
import { assertSent, useLocalpost } from 'localpost/testing'
import { test as base } from '@playwright/test'

async function main(): Promise<Mail> {
  const post: Localpost = await createLocalpost({ strict: true })
  await assertSent(post, { to: 'ada@example.com' })
  const { emails } = client.createClient({ url: 'http://127.0.0.1', apiKey: 'x' })
  const { id }: { id: string } = await emails.send({ from: 'a@b.c', to: 'd@e.f', subject: 's', text: 't' })
  return post.inbox.waitFor({ id })
}
// @ts-expect-error -- no such option
void createLocalpost({ smptPort: 1 })
export = { LocalpostError, main, test: withLocalpost(base), useLocalpost }
`
const asJestTypes = (reference: string): string => `${reference}
import 'localpost/jest'
import type { Localpost, Mail, WebhookPayload } from 'localpost'
export async function check(post: Localpost, mail: Mail, payload: WebhookPayload): Promise<string> {
  await expect(post).toHaveSent({ to: 'ada@example.com' })
  expect(mail).not.toHaveCode('482913')
  // @ts-expect-error -- no such member
  await expect(post).toHaveSent({ tow: 'ada@example.com' })
  if (payload.type === 'email.bounced') return payload.data.subtype
  if (payload.type === 'email.clicked') return payload.data.link
  // @ts-expect-error -- other events have no link
  return payload.data.link
}
`
// With module commonjs and the resolution of that time, which does not read `exports`.
const asOldTypes = `import { createLocalpost, type Mail } from 'localpost'
import { createClient } from 'localpost/client'
import 'localpost/jest'
import { withLocalpost } from 'localpost/playwright'
import Reporter from 'localpost/reporter'
import { assertSent, matchers } from 'localpost/testing'
import { test } from 'localpost/vitest'
export async function main(): Promise<Mail> {
  const post = await createLocalpost({ waitTimeoutMs: 50_000 })
  await assertSent(post, { to: 'ada@example.com' })
  // @ts-expect-error -- no such option
  createClient({ uri: 'http://127.0.0.1:8025', apiKey: 'x' })
  return post.inbox.waitFor()
}
export { matchers, Reporter, test, withLocalpost }
`
const ownTypes = `export { createLocalpost } from 'localpost'
export { createClient } from 'localpost/client'
export { localpost } from 'localpost/cypress'
export { assertSent } from 'localpost/testing'
`

let project: Project
beforeAll(async () => {
  const files = {
    'use.mjs': asModule,
    'use.cjs': asScript,
    'types.mts': asTypes,
    'types.cts': asCommonTypes,
    'jest.mts': asJestTypes("import { expect } from '@jest/globals'"),
    'jest.cts': asJestTypes("import { expect } from '@jest/globals'"),
    'global.mts': asJestTypes('/// <reference types="jest" />'),
    'old.ts': asOldTypes,
    'own.mts': ownTypes,
    'own.cts': ownTypes,
    'node_modules/.keep': '',
  }
  project = await makeProject(files, [
    tarball,
    'typescript@6.0.3',
    '@types/node@20.19.43',
    'vitest@4.1.12',
    '@playwright/test@1.65.1',
    '@jest/globals@30.5.2',
    '@types/jest@30.0.0',
  ])
})
afterAll(() => project?.remove())

describe('the packed package', () => {
  it('is clean for publint', async () => {
    const output = await run(bin('publint'), ['run', '--strict', tarball], { cwd: root })
    expect(output).toContain('All good!')
  })

  // The profile leaves out `node10`, the old resolution that no Node of `engines` has.
  it('resolves to the right types in every module mode, by are-the-types-wrong', async () => {
    const flags = ['--profile', 'node16', '--ignore-rules', 'cjs-resolves-to-esm', '--format', 'ascii']
    const output = await run(bin('attw'), [...flags, tarball], { cwd: root })
    const [, ...entries] = output.split(/^"(?=localpost)/m)
    const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { exports: object }
    expect(entries.length).toBe(Object.keys(exports).length)
    const verdicts = entries.flatMap((entry) => {
      const [name, ...lines] = entry.split('\n')
      const own = lines.filter((line) => /^(?:node16|bundler)/.test(line))
      expect(own.length).toBe(3)
      return own.map((line) => `"${name} ${line}`)
    })
    expect(verdicts.filter((line) => !line.includes('🟢'))).toEqual([])
    // vitest is an ES module, and cannot be required either.
    const modules = verdicts.filter((line) => line.includes('(from CJS): 🟢 (ESM)'))
    expect(modules).toEqual(['"localpost/vitest" node16 (from CJS): 🟢 (ESM)'])
  })

  it('holds the built files and their documentation, and nothing else of the checkout', () => {
    const { files } = inject('packed')
    expect(files).toEqual(
      expect.arrayContaining([
        'LICENSE',
        'README.md',
        'CHANGELOG.md',
        'dist/cli/main.js',
        'dist/ui/index.html',
      ]),
    )
    expect(
      files.filter((file) => !/^(?:dist\/|package\.json$|LICENSE$|README\.md$|CHANGELOG\.md$)/.test(file)),
    ).toEqual([])
    expect(files.filter((file) => /\.(?:test|spec)\.|\.env|\.localpost|\.built/.test(file))).toEqual([])
  })
})

describe('what an install brings', () => {
  it('matches the README', async () => {
    const alone = await makeProject({}, [tarball])
    try {
      const tree = JSON.parse(readFileSync(join(alone.dir, 'node_modules/.package-lock.json'), 'utf8')) as {
        packages: Record<string, { license?: string }>
      }
      const packages = Object.keys(tree.packages).length
      const megabytes = sizeOf(join(alone.dir, 'node_modules')) / 1e6
      console.info(`${packages} packages, ${megabytes.toFixed(1)} MB; packed ${inject('packed').size} bytes`)
      const readme = readFileSync(join(root, 'README.md'), 'utf8')
      const [, saidMegabytes] = /no dependencies, puts (\d+) MB into `node_modules`/.exec(readme) ?? []
      expect(packages).toBe(1)
      expect(Math.abs(megabytes - Number(saidMegabytes))).toBeLessThanOrEqual(1)
      // About 510,000 bytes of it draw the first page of a PDF, 60,000 parse HTML as browsers do, 30,000 render templates, 190,000 are
      // providers and their types, and 130,000 are the protocol of the tools for agents.
      expect(inject('packed').size).toBeLessThanOrEqual(2_840_000)
      expect(filesOf(join(alone.dir, 'node_modules')).filter((path) => path.endsWith('.node'))).toEqual([])
    } finally {
      alone.remove()
    }
  })
})

describe('a stack trace', () => {
  it('names files of the package that can be opened, at the line of the code', async () => {
    const code = `try { require('localpost').fixedClock('x') } catch (error) { console.log(error.stack) }`
    const stack = await run('node', ['-e', code], { cwd: project.dir })
    const [, file = '', line = ''] =
      /\((\/.*node_modules\/localpost\/dist\/[\w-]+\.cjs):(\d+):\d+\)/.exec(stack) ?? []
    const lines = readFileSync(file, 'utf8').split('\n').slice(0, Number(line))
    expect(lines.at(-1)).toMatch(/Error|throw|fail/)
    // Above the code of each module stands where it comes from.
    expect(lines.findLast((text) => /^\/\/ .*\.\w+$/.test(text))).toMatch(/^\/\/ src\/core\/.*\.ts$/)
  })

  it('needs no source maps: nothing but the page is minified', () => {
    for (const text of scripts()) {
      expect(text).not.toContain('sourceMappingURL')
      const lines = text.split('\n')
      expect(text.length / lines.length).toBeLessThan(400)
    }
  })
})

describe('types', () => {
  it.each([
    ['nodenext', 'nodenext'],
    ['preserve', 'bundler'],
  ])('are found with module %s and resolution %s', async (module, moduleResolution) => {
    const flags = [
      '--noEmit',
      '--strict',
      '--target',
      'es2023',
      '--types',
      'node',
      '--lib',
      'es2023,dom,esnext.disposable',
    ]
    const resolution = ['--module', module, '--moduleResolution', moduleResolution]
    const tsc = join(project.dir, 'node_modules/.bin/tsc')
    // A bundler resolves the imports of a CommonJS file in the same way as others.
    const ofModules = ['types.mts', 'jest.mts', 'global.mts']
    const files = module === 'nodenext' ? [...ofModules, 'types.cts', 'jest.cts'] : ofModules
    // vitest and Playwright are responsible for their own types.
    const foreign = [...flags, ...resolution, '--skipLibCheck', ...files]
    expect(await run(tsc, foreign, { cwd: project.dir })).toBe('')
    const own = module === 'nodenext' ? ['own.mts', 'own.cts'] : ['own.mts']
    expect(await run(tsc, [...flags, ...resolution, ...own], { cwd: project.dir })).toBe('')
  })

  it('are found with module commonjs, by the resolution that reads no `exports`', async () => {
    const flags = ['--noEmit', '--strict', '--target', 'es2023', '--types', 'node', '--skipLibCheck']
    const old = ['--module', 'commonjs', '--moduleResolution', 'node10', '--ignoreDeprecations', '6.0']
    const tsc = join(project.dir, 'node_modules/.bin/tsc')
    const lib = ['--lib', 'es2023,dom,esnext.disposable']
    expect(await run(tsc, [...flags, ...old, ...lib, 'old.ts'], { cwd: project.dir })).toBe('')
  })
})

// The oldest that `engines` allows, and the newest of each line.
const nodes = ['20.19.0', '20.20.2', '22.23.3', '24.21.0', '26.10.0']

describe.each(nodes)('Node %s', (version) => {
  let node: string
  beforeAll(async () => {
    node = await nodeOf(version)
  })

  it.each(['use.mjs', 'use.cjs'])('runs %s', async (file) => {
    expect(await run(node, [file], { cwd: project.dir })).toBe(`v${version} 482913 true object\n`)
  })

  it('runs the command', async () => {
    const cli = join(project.dir, 'node_modules/localpost/dist/cli/main.js')
    expect(await run(node, [cli, '--version'], { cwd: project.dir })).toContain(versionOf())
    expect(await run(node, [cli, '--help'], { cwd: project.dir })).toContain('--smtp-port')
  })
})

it('names in the README the Node versions that are tested here', () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  expect(nodes.filter((version) => !readme.includes(version))).toEqual([])
})

function versionOf(): string {
  return (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }).version
}

/** The JavaScript of the installed package, without the page. */
function scripts(): string[] {
  return filesOf(join(project.dir, 'node_modules/localpost/dist'))
    .filter((path) => /\.c?js$/.test(path) && !path.includes('/dist/ui/'))
    .map((path) => readFileSync(path, 'utf8'))
}

function sizeOf(folder: string): number {
  return filesOf(folder).reduce((sum, path) => sum + statSync(path).size, 0)
}

function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}
