import { readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '..')

/** The exports of each entry point at run time. Adding or removing a name is a decision. */
const names: Readonly<Record<string, readonly string[]>> = {
  '.': [
    'LocalpostError',
    'createClock',
    'createLocalpost',
    'errorTable',
    'fixedClock',
    'systemClock',
    'unrenderedPlaceholders',
  ],
  './client': ['LocalpostError', 'createClient'],
  './cypress': ['localpost'],
  './cypress/commands': [],
  './jest': [],
  './playwright': ['localpostFixtures', 'withLocalpost', 'withLocalpostAccount', 'withMailMatchers'],
  './reporter': ['default'],
  './testing': [
    'assertCode',
    'assertEvent',
    'assertLink',
    'assertNoEvent',
    'assertNoUnrenderedPlaceholders',
    'assertNotSent',
    'assertPassesChecks',
    'assertSent',
    'mailSnapshot',
    'matchers',
    'openAccount',
    'startForTest',
    'useLocalpost',
  ],
  './vitest': ['createAccountTest', 'createTest', 'expect', 'startForTest', 'test'],
}

/** Packages that the types of an entry point may name: its users have them. */
const foreign: Readonly<Record<string, readonly string[]>> = {
  './jest': ['expect'],
  './playwright': ['@playwright/test'],
  './vitest': ['vitest'],
}

interface Target {
  types: string
  default: string
}

interface Manifest {
  exports: Record<string, string | Target | { import: Target; require: Target }>
}

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest
const targets = Object.entries(manifest.exports).flatMap(
  ([name, target]): { name: string; imported: Target; required: Target | null }[] => {
    if (typeof target === 'string') return []
    return 'import' in target
      ? [{ name, imported: target.import, required: target.require }]
      : [{ name, imported: target, required: null }]
  },
)
const entries = targets.map(({ name, imported }): [string, string] => [
  name,
  join(root, sourceOf(imported.default)),
])

function sourceOf(built: string): string {
  return built.replace(/^\.\/dist\//, 'src/').replace(/\.js$/, '.ts')
}

describe('the public names', () => {
  it('match the entry points', () => {
    expect(entries.map(([name]) => name).sort()).toEqual(Object.keys(names).sort())
    for (const { imported, required } of targets) {
      expect(imported.types).toBe(imported.default.replace(/\.js$/, '.d.ts'))
      expect(required?.types ?? '').toBe(
        required ? imported.types.replace('dist/', 'dist/common-types/') : '',
      )
    }
  })

  it('can be loaded with require, except vitest, which cannot be', () => {
    expect(targets.filter(({ required }) => !required).map(({ name }) => name)).toEqual(['./vitest'])
  })

  // `@jest/globals` is there in a test of Jest only, and the globals of a test of Cypress there.
  it.each(entries.filter(([name]) => !['./cypress/commands', './jest'].includes(name)))(
    'of %s are unchanged',
    async (name, file) => {
      expect(Object.keys((await import(file)) as object).sort()).toEqual(names[name])
    },
  )
})

const imported = new Map<string, readonly string[]>()

describe('the public types', () => {
  it.each(entries)('of %s name no package that a user does not have', (name, file) => {
    const named = new Set<string>()
    const seen = new Set<string>()
    const walk = (path: string): void => {
      if (seen.has(path)) return
      seen.add(path)
      for (const fileName of importsOf(path)) {
        if (fileName.startsWith('.')) walk(resolve(dirname(path), fileName))
        else if (!fileName.startsWith('node:')) named.add(`${fileName} in ${relative(root, path)}`)
      }
    }
    walk(file)
    const allowed = foreign[name] ?? []
    expect([...named].filter((one) => !allowed.some((known) => one.startsWith(`${known} `)))).toEqual([])
  })
})

/** What the declarations that the compiler would write beside a file import. Entry points share most files. */
function importsOf(path: string): readonly string[] {
  const known = imported.get(path)
  if (known) return known
  const { outputText } = ts.transpileDeclaration(readFileSync(path, 'utf8'), {
    fileName: path,
    compilerOptions: { module: ts.ModuleKind.NodeNext, isolatedDeclarations: true, declaration: true },
  })
  const found = ts.preProcessFile(outputText).importedFiles.map(({ fileName }) => fileName)
  imported.set(path, found)
  return found
}
