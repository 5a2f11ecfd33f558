/** Writes the types of the package: those of its entries and of all that they name, and nothing else. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { entries } from './bundle.mjs'

const src = join(dirname(fileURLToPath(import.meta.url)), '../src')

/** The folder of the types for `require`: the same files, which a package.json there calls CommonJS. */
export const commonTypes = 'common-types'

/** @param out  The folder, which gets `<name>.d.ts` for every module. */
export function writeDeclarations(out) {
  const all = declarationsOf(Object.keys(entries))
  const common = declarationsOf(Object.keys(entries).filter((name) => !entries[name].parts))
  for (const [name, text] of all) write(join(out, `${name}.d.ts`), text)
  for (const [name, text] of common) write(join(out, commonTypes, `${name}.d.ts`), text)
  write(join(out, commonTypes, 'package.json'), '{ "type": "commonjs" }\n')
}

/**
 * The types of some modules below `src` and of all that these name.
 *
 * @returns By the module's name without ending. Every package that is named is in the text.
 */
export function declarationsOf(names) {
  const found = new Map()
  const walk = (name) => {
    if (found.has(name)) return
    const path = join(src, `${name}.ts`)
    const { outputText, diagnostics } = ts.transpileDeclaration(readFileSync(path, 'utf8'), {
      fileName: path,
      reportDiagnostics: true,
      compilerOptions,
    })
    const [fault] = diagnostics ?? []
    if (fault) throw new Error(`${path}: ${ts.flattenDiagnosticMessageText(fault.messageText, '\n')}`)
    const named = ts
      .preProcessFile(outputText)
      .importedFiles.filter(({ fileName }) => fileName.startsWith('.'))
    found.set(name, withBuiltNames(outputText, named))
    for (const { fileName } of named)
      walk(relative(src, resolve(dirname(path), fileName)).replace(/\.ts$/, ''))
  }
  names.forEach(walk)
  return found
}

/** `./mail.ts` is `./mail.js` once it is built. From the end on, so that the places stay right. */
function withBuiltNames(text, named) {
  return named.toReversed().reduce((built, { fileName, pos }) => {
    // It begins with the quote.
    const start = pos + 1
    return built.slice(0, start) + fileName.replace(/\.ts$/, '.js') + built.slice(start + fileName.length)
  }, text)
}

const compilerOptions = {
  module: ts.ModuleKind.NodeNext,
  target: ts.ScriptTarget.ES2023,
  isolatedDeclarations: true,
  declaration: true,
}

function write(file, text) {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
