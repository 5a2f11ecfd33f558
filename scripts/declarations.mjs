/** Writes the types of the package: those of its entries and of all modules that they import. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { entries } from './bundle.mjs'

const src = join(dirname(fileURLToPath(import.meta.url)), '../src')

/** The folder of the types for `require`: the same files, with a package.json that declares them as CommonJS. */
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
 * The types of some modules below `src`, and of all modules that they import.
 *
 * @returns The text of each module, by its name without extension. Imports of packages stay in the text.
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

/** Replaces `./mail.ts` by `./mail.js`, its name after the build. Starts at the end, so that positions stay valid. */
function withBuiltNames(text, named) {
  return named.toReversed().reduce((built, { fileName, pos }) => {
    // The position is that of the quote.
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
