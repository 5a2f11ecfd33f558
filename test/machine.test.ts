import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../src', import.meta.url))

/** The globals that a library of fake timers replaces. */
const faked = new Set(
  (
    'setTimeout clearTimeout setInterval clearInterval setImmediate clearImmediate ' +
    'queueMicrotask performance requestAnimationFrame requestIdleCallback'
  ).split(' '),
)
const fakedMembers = ['Date.now', 'process.nextTick', 'process.hrtime', 'globalThis.setTimeout']
const fakedModules = /^(?:node:)?(?:timers(?:\/promises)?|perf_hooks)$/

/** The places in a source that use a timer, or the time, that a test may have faked. */
function lookups(name: string, text: string): string[] {
  const source = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true)
  const own = new Set<string>()
  const found: string[] = []
  const note = (node: ts.Node): void => {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart())
    found.push(`${name}:${line + 1} ${node.getText().split('\n')[0]}`)
  }
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
      if (fakedModules.test(node.moduleSpecifier.text)) note(node)
      const { namedBindings } = node.importClause ?? {}
      if (namedBindings && ts.isNamedImports(namedBindings))
        for (const { name: bound } of namedBindings.elements) own.add(bound.text)
      return
    }
    const isTime = ts.isNewExpression(node) && node.expression.getText() === 'Date' && !node.arguments?.length
    if (isTime) note(node)
    if (ts.isPropertyAccessExpression(node)) {
      if (fakedMembers.includes(node.getText())) note(node)
      // `socket.setTimeout` is different.
      return visit(node.expression)
    }
    if (ts.isIdentifier(node) && faked.has(node.text) && !own.has(node.text) && isUse(node)) note(node)
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

function isUse({ parent }: ts.Identifier): boolean {
  return !(
    ts.isPropertyAssignment(parent) ||
    ts.isPropertySignature(parent) ||
    ts.isMethodDeclaration(parent)
  )
}

describe('the sources', () => {
  const files = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !['core/machine.ts', 'core/natives.ts'].includes(relative(root, path)))

  it('take timers and time from machine.ts only, where tests have not faked them', () => {
    expect(files.length).toBeGreaterThan(100)
    expect(files.flatMap((path) => lookups(relative(root, path), readFileSync(path, 'utf8')))).toEqual([])
  })

  it.each([
    'setTimeout(run, 1)',
    'await new Promise((done) => setImmediate(done))',
    'const now = Date.now()',
    'const now = new Date()',
    'const now = performance.now()',
    'process.nextTick(run)',
    "import { setTimeout as sleep } from 'node:timers/promises'",
    "import { performance } from 'node:perf_hooks'",
  ])('would be reported: %s', (text) => {
    expect(lookups('file.ts', text)).toHaveLength(1)
  })
})
