import { readdirSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { makeProject, type Project } from './project.ts'
import { root, run } from './run.ts'

// The specification's own validator, as a project of its own: nothing here needs it but this.
const validate = `
const { Spec, Validation } = require('@cyclonedx/cyclonedx-library')
const text = require('node:fs').readFileSync(0, 'utf8')
new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(text).then((errors) => console.log(JSON.stringify(errors)))
`

let project: Project
beforeAll(async () => {
  project = await makeProject({ 'validate.cjs': validate }, [
    inject('tarball'),
    '@cyclonedx/cyclonedx-library@10.3.0',
    'ajv@8.20.0',
    'ajv-formats@3.0.1',
    'ajv-formats-draft2019@1.6.1',
  ])
})
afterAll(() => project?.remove())

it('an install is limited to the package itself', () => {
  expect(new Set(inLibrary()).size).toBeGreaterThan(20)
  const loaded = scripts().flatMap((text) =>
    [...text.matchAll(/\b(?:require|import)\("([^".][^"]*)"\)/g)].map(([, name = '']) => name),
  )
  const outside = new Set(loaded.filter((name) => !isBuiltin(name)))
  // A package that a user may add is loaded only where its option is given.
  const { dependencies, peerDependenciesMeta } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  ) as { dependencies?: unknown; peerDependenciesMeta: object }
  expect([...outside].filter((name) => !(name in peerDependenciesMeta))).toEqual([])
  expect(dependencies).toBeUndefined()
})

it('the bill of materials lists exactly what is bundled, with the installed versions', async () => {
  // A package that holds another one is not in the build because of the other one.
  const listed = sbom().components.filter(({ type }) => type === 'library')
  const names = [...new Set(listed.map(fullName))]
  const bundled = [...new Set([...inLibrary(), ...(await inPage())])]
  expect(names.toSorted()).toEqual(bundled.toSorted())
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version?: string }>
  }
  const installed = new Set(
    Object.entries(packages).map(
      ([path, { version }]) => `${path.slice(path.lastIndexOf('node_modules/') + 13)} ${version}`,
    ),
  )
  expect(listed.filter((one) => !installed.has(`${fullName(one)} ${one.version}`))).toEqual([])
})

it('the bill of materials is valid, and reaches what packages contain of others', async () => {
  const text = readFileSync(installedFile('sbom.cdx.json'), 'utf8')
  const broken = text.replace('"version": 1,', '"version": "one",')
  const check = async (input: string): Promise<unknown> =>
    JSON.parse(await run('node', ['validate.cjs'], { cwd: project.dir, input }))
  expect(await check(broken)).not.toBeNull()
  expect(await check(text)).toBeNull()
  const contents = Object.fromEntries(
    sbom().components.flatMap(({ name, components }) =>
      components ? [[name, components.map((one) => one.name)]] : [],
    ),
  )
  expect(contents).toEqual({
    'node-forge': ['base-x', 'jsbn'],
    server: ['content-type'],
    nodemailer: ['punycode.js'],
    'pdfjs-dist': ['core-js'],
    tldts: ['publicsuffix-list', 'tldts-core'],
  })
})

it('no library is bundled twice, but for entities, of which htmlparser2 and parse5 need different versions', () => {
  // The copies inside of packages are those of their authors.
  const names = sbom().components.map(fullName)
  expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual(['entities'])
})

it('the licence of everything bundled is in the package', () => {
  const text = readFileSync(installedFile('THIRD-PARTY-LICENSES.txt'), 'utf8')
  const entries = text.split(`\n${'-'.repeat(80)}\n\n`)
  const titles = entries.map((entry) => entry.slice(0, entry.indexOf('\n')))
  for (const one of sbom().components.flatMap((whole) => [whole, ...(whole.components ?? [])])) {
    const title = [fullName(one), one.version].filter(Boolean).join(' ')
    expect(titles.some((entry) => entry.startsWith(`${title} (`) && entry.endsWith(')'))).toBe(true)
  }
  expect(entries.filter((entry) => entry.length < 150)).toEqual([])
})

describe('the audit', () => {
  const advisory = { title: 'Leaks', url: 'https://github.com/advisories/GHSA-1' }
  const audit = (...names: string[]): Promise<string> => {
    const vulnerabilities = Object.fromEntries(
      names.map((name) => [name, { name, severity: 'high', via: [advisory, 'another'] }]),
    )
    return run('node', ['scripts/audit.mjs'], { cwd: root, input: JSON.stringify({ vulnerabilities }) })
  }

  it.each(['h3', '@vue/shared', 'core-js'])('fails for a fault of %s, which is in dist', async (name) => {
    await expect(audit('vitest', name)).rejects.toThrow(`in dist: ${name} (high): Leaks`)
  })

  it('reports a fault of other packages', async () => {
    expect(await audit('vitest')).toContain('not in dist: vitest (high): Leaks, https://github.com')
    expect(await audit()).toContain('0 packages in dist, 0 others')
  })

  it('fails without a report', async () => {
    const input = JSON.stringify({ message: 'no registry', error: { summary: '', detail: '' } })
    await expect(run('node', ['scripts/audit.mjs'], { cwd: root, input })).rejects.toThrow('no registry')
  })
})

interface Component {
  readonly type: string
  readonly group?: string
  readonly name: string
  readonly version?: string
  readonly components?: readonly Component[]
}

function sbom(): { components: Component[] } {
  return JSON.parse(readFileSync(installedFile('sbom.cdx.json'), 'utf8')) as never
}

function fullName({ group, name }: Component): string {
  return group ? `${group}/${name}` : name
}

function installedFile(name: string): string {
  return join(project.dir, 'node_modules/localpost/dist', name)
}

/** The JavaScript of the installed package, without the page. */
function scripts(): string[] {
  const dist = installedFile('')
  return readdirSync(dist, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.c?js$/.test(name) && !name.startsWith('ui'))
    .map((name) => readFileSync(join(dist, name), 'utf8'))
}

/** The packages of the library: the bundler writes where each module comes from. */
function inLibrary(): string[] {
  const from = /^\/\/ node_modules\/(?:.*\/node_modules\/)?((?:@[^/\n]+\/)?[^/\n]+)\//gm
  return scripts().flatMap((text) => [...text.matchAll(from)].map(([, name = '']) => name))
}

/** The packages of the page, which is minified: those that a build of its own lists. */
async function inPage(): Promise<string[]> {
  const out = join(project.dir, 'page')
  await run('node', ['node_modules/vite/bin/vite.js', 'build', 'ui', '--outDir', out], { cwd: root })
  const ids = ['page-modules.json', 'worker-modules.json'].flatMap(
    (name) => JSON.parse(readFileSync(join(out, name), 'utf8')) as string[],
  )
  return ids.flatMap((id) => /^.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(id)?.[1] ?? [])
}
