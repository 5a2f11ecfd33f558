import { quote } from '../core/errors.ts'
import { maxDepth } from '../core/json-body.ts'
import { createLineAt } from '../core/line-at.ts'
import { maxNesting, TemplateFaultError, type TemplateFault } from './output.ts'

/**
 * A template of Mustachio, read. Its language is Mustache with paths of several names, `../`, and loops of their own:
 * `{{name}}` is escaped, `{{{name}}}` and `{{&name}}` are not; `{{#each list}}…{{/each}}`, `{{#name}}…{{^name}}…{{/name}}` and
 * comments `{{! … }}`. Each block has its value as its context: `../` leads to what is around it; from an item of a list, to
 * the list. Braces of other forms are text.
 *
 * @see https://postmarkapp.com/support/article/1077-template-syntax
 */
export type MustachioNode =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'value'; readonly path: MustachioPath; readonly isEscaped: boolean }
  | { readonly kind: BlockKind; readonly path: MustachioPath; readonly body: readonly MustachioNode[] }

type BlockKind = 'each' | 'section' | 'inverted'

/** A path in a template. */
export interface MustachioPath {
  /** As written. */
  readonly written: string
  /** `..` leads upwards. */
  readonly names: readonly string[]
  /** Where it is; both numbers begin at 1. */
  readonly place: () => { line: number; column: number }
}

/** Reads a template, in time in proportion to its length. @throws TemplateFaultError with all that is wrong with it. */
export function parseMustachio(source: string): readonly MustachioNode[] {
  let lineAt: ((offset: number) => number) | null = null
  const placeOf = (offset: number): { line: number; column: number } => {
    lineAt ??= createLineAt(source)
    return { line: lineAt(offset), column: offset - source.lastIndexOf('\n', offset - 1) }
  }
  const faults: TemplateFault[] = []
  const fail = (index: number, message: string): void => {
    if (faults.length < maxFaults) faults.push({ ...placeOf(index), message })
  }
  const root: MustachioNode[] = []
  const open: { name: string; kind: BlockKind; body: MustachioNode[]; index: number }[] = []
  let nodes = root
  let done = 0
  let tagsLeft = maxTags

  const pathAt = (text: string, index: number): MustachioPath => {
    const written = text.trim()
    const problem = pathProblem(written)
    if (problem !== null) fail(index, problem)
    return { written, names: written.match(/\.\.\/|[^./]+/g)?.map(asName) ?? [], place: () => placeOf(index) }
  }
  const begin = (kind: BlockKind, path: MustachioPath, index: number): void => {
    const body: MustachioNode[] = []
    nodes.push({ kind, path, body })
    if (open.length >= maxNesting) fail(index, `is nested deeper than ${maxNesting} blocks`)
    open.push({ name: path.written, kind, body, index })
    nodes = body
  }
  const end = (): void => {
    open.pop()
    nodes = open.at(-1)?.body ?? root
  }

  for (const match of source.matchAll(tag)) {
    const [whole] = match
    const { index } = match
    if (--tagsLeft < 0) {
      fail(index, `has more than ${maxTags} tags`)
      break
    }
    if (index > done) nodes.push({ kind: 'text', text: source.slice(done, index) })
    done = index + whole.length
    const isTriple = whole.startsWith('{{{')
    const inner = isTriple ? whole.slice(3, -3) : whole.slice(2, -2)
    const innermost = open.at(-1)
    if (isTriple) nodes.push({ kind: 'value', path: pathAt(inner, index), isEscaped: false })
    else if (inner.startsWith('!')) continue
    else if (/^#each(?:\s|$)/.test(inner)) begin('each', pathAt(inner.slice('#each'.length), index), index)
    else if (inner === '/each') {
      if (innermost?.kind === 'each') end()
      else fail(index, 'closes a loop, and none is open here: each {{/each}} needs its {{#each name}}')
    } else if (inner.startsWith('#') || inner.startsWith('^')) {
      const path = pathAt(inner.slice(1), index)
      // The same name again is the other half of the block.
      if (innermost && innermost.kind !== 'each' && innermost.name === path.written) end()
      begin(inner.startsWith('#') ? 'section' : 'inverted', path, index)
    } else if (inner.startsWith('/')) {
      const name = inner.slice(1).trim()
      if (innermost && innermost.kind !== 'each' && innermost.name === name) end()
      else fail(index, mismatch(name, innermost))
    } else {
      const isRaw = inner.startsWith('&')
      nodes.push({ kind: 'value', path: pathAt(isRaw ? inner.slice(1) : inner, index), isEscaped: !isRaw })
    }
  }
  if (done < source.length) nodes.push({ kind: 'text', text: source.slice(done) })
  for (const { name, kind, index } of open) {
    fail(index, `opens ${quote(name)}, which is not closed: add {{/${kind === 'each' ? 'each' : name}}}`)
  }
  if (faults.length > 0) throw new TemplateFaultError(...faults)
  return root
}

const tag = /\{\{[^{}]+\}\}|\{\{\{[^{}]+\}\}\}/g
const maxTags = 50_000
const maxFaults = 20

const asName = (name: string): string => (name === '../' ? '..' : name)

function pathProblem(written: string): string | null {
  if (written === '') return 'has no name between its braces'
  if ((written.match(/[^./]+/g)?.length ?? 0) > maxDepth)
    return `${quote(written)} has more than ${maxDepth} names: data is never nested so deeply`
  if (/^(?:\.|(?:\.\.\/)*(?:[\p{L}\p{N}\p{M}_]+(?:\.[\p{L}\p{N}\p{M}_]+)*|\.)?)$/u.test(written)) return null
  return `${quote(written)} is not a path: use names of letters, digits and _ with dots between them, after any number of ../`
}

function mismatch(name: string, innermost: { name: string; kind: BlockKind } | undefined): string {
  if (!innermost) return `closes ${quote(name)}, which is not open`
  const expected = innermost.kind === 'each' ? 'each' : innermost.name
  return `closes ${quote(name)}, but ${quote(expected)} is open: close that first`
}
