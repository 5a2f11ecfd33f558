/** Finds the regular expressions in TypeScript and Vue files: literals, and `new RegExp(…)`. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import ts from 'typescript'
import { compileScript, parse } from 'vue/compiler-sfc'
import { root } from './prepare.mjs'

/**
 * Parts of patterns that are not constant, by how they are written in the code: what stands for them, and why that is enough.
 * A part that is `null` is the whole pattern, which is not one of this project.
 */
const parts = new Map([
  [
    "forwardingHeaders.map((name) => name.replace(/\\*$/, '.*')).join('|')",
    ['x-.*|forwarded', 'a list of names'],
  ],
  ["months.join('|')", ['May|June', 'names from Intl']],
  ["weekdays.join('|')", ['Monday', 'names from Intl']],
  ["chars.join('[ -]?')", ['1[ -]?2', 'the characters of a code']],
  ['escapedPattern(one)', ['x', 'a text without the characters that have a meaning']],
  ["names.map(escapedPattern).join('|')", ['x|xy', 'texts without the characters that have a meaning']],
  ["delimiters.replace(/[-.+/]/g, '\\\\$&')", ['.', 'characters of a class']],
  ['name', ['x', 'one of a few names']],
  ['side', ['x', 'width or height']],
  ['mostSpaces', ['9', 'a number']],
  ['pattern.source', [null, 'a pattern of the user of the library']],
  ['form.source', [null, 'a pattern of the user of the library']],
])

/**
 * @param {string[]} folders
 * @returns {{ patterns: { source: string, flags: string, places: string[] }[], unread: string[] }} Each pattern once, and the
 *   places of those that cannot be read.
 */
export function patternsIn(folders) {
  const patterns = new Map()
  const unread = []
  for (const { path, code } of folders.flatMap(filesIn)) {
    const file = ts.createSourceFile(path, code, ts.ScriptTarget.Latest, true)
    const text = readFileSync(path, 'utf8')
    visit(file, (node) => {
      const found = ts.isRegularExpressionLiteral(node) ? literal(node) : constructed(node, file)
      if (found === undefined) return
      const at = Math.max(0, text.indexOf(node.getText()))
      const place = `${relative(root, path)}:${text.slice(0, at).split('\n').length}`
      if (found === null)
        unread.push(`${place}: ${node.getText()} cannot be read: a part of it is not constant.`)
      else if (found.source !== null) {
        const written = `/${found.source}/${found.flags}`
        const known = patterns.get(written) ?? { ...found, places: [] }
        patterns.set(written, { ...known, places: [...known.places, place] })
      }
    })
  }
  return { patterns: [...patterns.values()], unread }
}

function filesIn(folder) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:ts|vue)$/.test(name) && !name.endsWith('.d.ts'))
    .map((name) => join(folder, name))
    .map((path) => ({ path, code: codeOf(path) }))
}

/** The code of a component has the expressions of its template. */
function codeOf(path) {
  const text = readFileSync(path, 'utf8')
  if (!path.endsWith('.vue')) return text
  const { descriptor } = parse(text, { filename: path })
  return compileScript(descriptor, { id: 'x', inlineTemplate: true }).content
}

function visit(node, each) {
  each(node)
  ts.forEachChild(node, (child) => visit(child, each))
}

function literal({ text }) {
  const end = text.lastIndexOf('/')
  return { source: text.slice(1, end), flags: text.slice(end + 1) }
}

/** @returns null for a pattern that cannot be read; undefined for another node. */
function constructed(node, file) {
  if (!(ts.isNewExpression(node) || ts.isCallExpression(node)) || node.expression.getText() !== 'RegExp')
    return undefined
  const [pattern, flags] = node.arguments ?? []
  try {
    const source = textOf(pattern, file)
    const isFixed = flags !== undefined && ts.isStringLiteral(flags)
    return { source, flags: isFixed ? flags.text : '' }
  } catch {
    return null
  }
}

/** The text of a constant expression. @throws for a part that is not constant. */
function textOf(node, file) {
  const part = parts.get(node.getText())
  if (part !== undefined) return part[0]
  if (ts.isStringLiteralLike(node)) return node.text
  if (ts.isRegularExpressionLiteral(node)) return literal(node).source
  if (ts.isTemplateExpression(node)) {
    return (
      node.head.text +
      node.templateSpans.map((one) => textOf(one.expression, file) + one.literal.text).join('')
    )
  }
  if (ts.isIdentifier(node)) return textOf(valueOf(node.text, file), file)
  if (ts.isPropertyAccessExpression(node) && node.name.text === 'source') return textOf(node.expression, file)
  if (ts.isNewExpression(node)) return textOf(node.arguments[0], file)
  const list = joinedList(node)
  if (list) return list.elements.map((one) => textOf(one, file)).join('|')
  throw new Error(`${node.getText()} is not constant`)
}

/** The array of `[…].join('|')`. */
function joinedList(node) {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return undefined
  const { expression, name } = node.expression
  const isJoin = name.text === 'join' && node.arguments[0]?.getText() === "'|'"
  return isJoin && ts.isArrayLiteralExpression(expression) ? expression : undefined
}

/** What a constant of this file is set to. */
function valueOf(name, file) {
  let found
  visit(file, (node) => {
    if (ts.isVariableDeclaration(node) && node.name.getText() === name) found ??= node.initializer
  })
  if (!found) throw new Error(`${name} is not a constant of its file`)
  return found
}
