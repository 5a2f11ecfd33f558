import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import * as webNatives from '../../src/core/web-natives.ts'
import { temporaryFolder } from '../support/folder.ts'

describe('globals that a test replaced between the import and the first request', () => {
  const names = Object.keys(webNatives)

  /** Runs both modules in a process whose globals nobody has read. */
  function run(replace: string): unknown {
    const dir = temporaryFolder()
    for (const name of ['natives', 'web-natives']) {
      const source = readFileSync(join(import.meta.dirname, `../../src/core/${name}.ts`), 'utf8')
      const { outputText } = ts.transpileModule(source, {
        compilerOptions: {
          module: ts.ModuleKind.ESNext,
          target: ts.ScriptTarget.ES2022,
          rewriteRelativeImportExtensions: true,
        },
      })
      writeFileSync(join(dir, `${name}.js`), outputText)
    }
    writeFileSync(join(dir, 'package.json'), '{"type":"module"}')
    const script = `
      const names = ${JSON.stringify(names)}
      const first = Object.fromEntries(names.map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)]))
      await import('./natives.js')
      ${replace}
      const present = names.map((name) => globalThis[name])
      const own = await import('./web-natives.js')
      const isLeft = names.every((name, at) => globalThis[name] === present[at])
      Object.defineProperties(globalThis, first)
      const isNode = names.every((name) => own[name] === globalThis[name])
      const works = new own.Response('x', { headers: { a: 'b' } }) instanceof globalThis.Response
      console.log(JSON.stringify({ isLeft, isNode, works }))`
    writeFileSync(join(dir, 'script.js'), script)
    return JSON.parse(execFileSync(process.execPath, ['script.js'], { cwd: dir, encoding: 'utf8' }))
  }

  it.each([
    ['by a value', '{ configurable: true, enumerable: true, writable: true, value: class Fake {} }'],
    ['by a getter', '{ configurable: true, get: () => names }'],
  ])('%s are neither taken nor put back', (_, fake) => {
    const replace = `for (const name of names) Object.defineProperty(globalThis, name, ${fake})`
    expect(run(replace)).toEqual({ isLeft: true, isNode: true, works: true })
  })

  it('by nothing are not put back', () => {
    const remove = 'for (const name of names) delete globalThis[name]'
    expect(run(remove)).toEqual({ isLeft: true, isNode: true, works: true })
  })

  it('and those that nobody replaced are those of Node', () => {
    expect(run('')).toEqual({ isLeft: true, isNode: true, works: true })
  })
})
