import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const root = fileURLToPath(new URL('../../src/', import.meta.url))

/** An exported function. */
export interface Parser {
  /** Path and name, as `mime/part.ts contentIdOf`. */
  name: string
  file: string
  exported: string
  /** Its first parameter. */
  takes: 'string' | 'Buffer' | 'Uint8Array' | 'other'
  /** How many more arguments it needs. */
  more: number
}

/** The exported functions of a folder of `src`, and of those below it. */
export function parsersIn(folder: string): Parser[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .sort()
    .flatMap((name) => exportsOf(join(root, folder, name)))
}

function exportsOf(path: string): Parser[] {
  const file = relative(root, path)
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true)
  return source.statements.flatMap((node) => {
    if (!ts.isFunctionDeclaration(node) || !node.name) return []
    if (!node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return []
    const [first, ...rest] = node.parameters
    const type = first?.type?.getText() ?? ''
    const takes = type === 'string' || type === 'Buffer' || type === 'Uint8Array' ? type : 'other'
    const more = rest.filter((one) => !one.questionToken && !one.initializer && !one.dotDotDotToken).length
    const exported = node.name.text
    return [{ name: `${file} ${exported}`, file, exported, takes, more }]
  })
}

/** The function of a parser. */
export async function load({ file, exported }: Parser): Promise<(...args: unknown[]) => unknown> {
  const module = (await import(join(root, file))) as Record<string, (...args: unknown[]) => unknown>
  const found = module[exported]
  if (!found) throw new Error(`${file} has no ${exported}`)
  return found
}
