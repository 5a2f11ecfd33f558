import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { beforeAll, describe, expect, it } from 'vitest'
import { allRows } from '../../src/options/options.ts'
import { listRows } from '../../src/options/read.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const rows = listRows(allRows)
  .filter(({ path }) => !allRows[path[0] ?? '']?.command)
  .map(({ path, row }) => ({ name: path.join('.'), path, row }))

/** The text that an editor shows where the types of the package are used, by the name of each option. */
let shown: Map<string, { type: string; comment: string }>
let problems: string[]

beforeAll(() => {
  const use = join(root, 'dist', 'use.ts')
  const lines = rows.map(({ path }) => `options${path.map((name) => `.${name}`).join('!')}`)
  const wrong = ["{ durability: 'ram' }", '{ port: 1 }', "{ attachments: { rot: '' } }"].map(
    (value, at) => `const wrong${at}: LocalpostOptions = ${value}`,
  )
  const source = [
    "import type { LocalpostOptions } from './index.js'",
    'declare const options: LocalpostOptions',
  ]
  const text = [...source, ...lines, ...wrong].join('\n')
  const service = ts.createLanguageService({
    getScriptFileNames: () => [use],
    getScriptVersion: () => '1',
    getScriptSnapshot: (path) => {
      const found = path === use ? text : ts.sys.readFile(path)
      return found === undefined ? undefined : ts.ScriptSnapshot.fromString(found)
    },
    getCurrentDirectory: () => root,
    getCompilationSettings: () => ({
      strict: true,
      module: ts.ModuleKind.NodeNext,
      target: ts.ScriptTarget.ES2023,
      skipLibCheck: true,
      types: [],
    }),
    getDefaultLibFileName: (options) => ts.getDefaultLibFilePath(options),
    fileExists: (path) => path === use || ts.sys.fileExists(path),
    readFile: (path) => (path === use ? text : ts.sys.readFile(path)),
  })
  shown = new Map(
    rows.map(({ name }, at) => {
      const line = lines[at] ?? ''
      const info = service.getQuickInfoAtPosition(use, text.indexOf(`${line}\n`) + line.length - 1)
      const type = ts.displayPartsToString(info?.displayParts)
      return [name, { type, comment: ts.displayPartsToString(info?.documentation) }]
    }),
  )
  problems = service
    .getSemanticDiagnostics(use)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
}, 60_000)

describe('the types of the package', () => {
  it.each(rows)('show the comment and the default of $name', ({ name, row }) => {
    const { comment = '', type } = shown.get(name) ?? {}
    expect(type).toMatch(/^\(property\) \w+\?: [^.]/)
    expect(type).not.toMatch(/: any|: unknown|: never|kind/)
    if (row.kind === 'group') expect(comment).toMatch(/^[A-Z].*\.$/s)
    else expect(comment).toContain('Default: ')
    const isList = Array.isArray(row.default) && row.default.length > 0
    const isWritten = ['number', 'boolean'].includes(typeof row.default) || isList
    const plain = comment.replaceAll(/[,`[\] ]/g, '')
    if (isWritten) expect(plain).toContain(`Default:${defaultText(row.default)}`)
    else if (typeof row.default === 'string' && row.kind !== 'text') expect(plain).toContain(row.default)
  })

  it('refuse unknown names and values, and options of the command', () => {
    expect(problems).toEqual([
      `Type '"ram"' is not assignable to type '"process" | "disk" | undefined'.`,
      `Object literal may only specify known properties, and 'port' does not exist in type 'LocalpostOptions'.`,
      `Object literal may only specify known properties, but 'rot' does not exist in type '{ root?: string | undefined; allowPrivate?: boolean | undefined; timeoutMs?: number | undefined; }'. Did you mean to write 'root'?`,
    ])
  })
})

function defaultText(value: unknown): string {
  return Array.isArray(value) ? value.join('') : String(value)
}
