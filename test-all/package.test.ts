import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { makeProject, nodeOf, type Project } from './project.ts'
import { root, run } from './run.ts'

const bin = (name: string): string => join(root, 'node_modules/.bin', name)
const tarball = inject('tarball')

// Imports every entry that needs no framework, sends over SMTP and `/v1`, and ends by itself.
const uses = (load: string): string => `
${load}
async function main() {
  const post = await createLocalpost()
  const { url } = await post.listen()
  const client = createClient({ baseUrl: url, apiKey: post.apiKey })
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
const client = createClient({ baseUrl: 'http://127.0.0.1', apiKey: 'x' })
const { id }: { id: string } = await client.emails.send({ from: 'a@b.c', to: 'd@e.f', subject: 's', text: 't' })
test('typed', async ({ localpost }) => { await expect(localpost).toHaveSent({ to: id }) })
withLocalpost(base)('typed', async ({ localpost, page }) => { await page.goto(localpost.url) })
// @ts-expect-error -- no such option
await createLocalpost({ smptPort: 1 })
export { createTest, href, LocalpostError, useLocalpost }
`

let project: Project
beforeAll(async () => {
  const files = {
    'use.mjs': asModule,
    'use.cjs': asScript,
    'types.mts': asTypes,
    'node_modules/.keep': '',
  }
  project = await makeProject(files, [
    tarball,
    'typescript@6.0.3',
    '@types/node@20.19.43',
    'vitest@4.1.12',
    '@playwright/test@1.65.1',
  ])
})
afterAll(() => project?.remove())

describe('the packed package', () => {
  it('is clean for publint', async () => {
    const output = await run(bin('publint'), ['run', '--strict', tarball], { cwd: root })
    expect(output).toContain('All good!')
  })

  // ESM only: what `require` gets is the ES module, which every Node of `engines` loads. The profile leaves out the
  // resolutions that no such Node has: the old `node10`, and a CommonJS file of types for `require`.
  it('has right types wherever it is resolved, for are-the-types-wrong', async () => {
    const output = await run(bin('attw'), ['--profile', 'esm-only', '--format', 'ascii', tarball], {
      cwd: root,
    })
    const verdicts = output.split('\n').filter((line) => /^ ?(?:node16|bundler|node10)/.test(line.trim()))
    expect(verdicts.length).toBeGreaterThanOrEqual(20)
    expect(verdicts.filter((line) => !line.includes('🟢') && !line.includes('(ignored)'))).toEqual([])
  })

  it('holds what runs and what tells of it, and nothing of the checkout', () => {
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
  it('stays below the bounds that the README states', async () => {
    const alone = await makeProject({}, [tarball])
    try {
      const tree = JSON.parse(readFileSync(join(alone.dir, 'node_modules/.package-lock.json'), 'utf8')) as {
        packages: Record<string, { license?: string }>
      }
      const packages = Object.keys(tree.packages).length
      const megabytes = sizeOf(join(alone.dir, 'node_modules')) / 1e6
      console.info(`${packages} packages, ${megabytes.toFixed(1)} MB; packed ${inject('packed').size} bytes`)
      expect(packages).toBeLessThanOrEqual(80)
      expect(megabytes).toBeLessThanOrEqual(32)
      expect(inject('packed').size).toBeLessThanOrEqual(600_000)
    } finally {
      alone.remove()
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
    // The types of vitest and Playwright are theirs to answer for.
    expect(
      await run(tsc, [...flags, ...resolution, '--skipLibCheck', 'types.mts'], { cwd: project.dir }),
    ).toBe('')
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
    // Node 20.19 to 22 remark on `require` of an ES module, on stderr.
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

function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
}
