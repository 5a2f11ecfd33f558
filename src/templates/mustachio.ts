import { quote } from '../core/quote.ts'
import { maxDepth } from '../core/json-depth.ts'
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
  const template = new OpenTemplate(source)
  let textStart = 0
  let tagCount = 0
  for (const { 0: tag, index } of source.matchAll(/\{\{[^{}]+\}\}|\{\{\{[^{}]+\}\}\}/g)) {
    if (++tagCount > maxTags) {
      template.fail(index, `has more than ${maxTags} tags`)
      break
    }
    template.addText(textStart, index)
    template.addTag(tag, index)
    textStart = index + tag.length
  }
  template.addText(textStart, source.length)
  return template.close()
}

/** A block whose end was not read yet. */
interface OpenBlock {
  readonly name: string
  readonly kind: BlockKind
  readonly body: MustachioNode[]
  readonly index: number
}

/** A template while it is read, from its beginning to its end. */
class OpenTemplate {
  readonly #root: MustachioNode[] = []
  readonly #open: OpenBlock[] = []
  readonly #faults: TemplateFault[] = []
  readonly #source: string
  #lineAt: ((offset: number) => number) | null = null

  constructor(source: string) {
    this.#source = source
  }

  addText(start: number, end: number): void {
    if (start < end) this.#nodes().push({ kind: 'text', text: this.#source.slice(start, end) })
  }

  addTag(tag: string, index: number): void {
    if (tag.startsWith('{{{')) return this.#addValue(tag.slice(3, -3), index, false)
    const inner = tag.slice(2, -2)
    const content = inner.slice(1)
    switch (inner.charAt(0)) {
      case '!':
        return
      case '&':
        return this.#addValue(content, index, false)
      case '#':
        if (/^each(?:\s|$)/.test(content)) this.#begin('each', this.#pathAt(content.slice(4), index), index)
        else this.#beginSection('section', content, index)
        return
      case '^':
        return this.#beginSection('inverted', content, index)
      case '/':
        return this.#end(content, index)
      default:
        return this.#addValue(inner, index, true)
    }
  }

  /** @throws TemplateFaultError */
  close(): readonly MustachioNode[] {
    for (const { name, kind, index } of this.#open)
      this.fail(index, `opens ${quote(name)}, which is not closed: add {{/${kind === 'each' ? kind : name}}}`)
    if (this.#faults.length > 0) throw new TemplateFaultError(...this.#faults)
    return this.#root
  }

  fail(index: number, message: string): void {
    if (this.#faults.length < maxFaults) this.#faults.push({ ...this.#placeOf(index), message })
  }

  /** Where the next node goes. */
  #nodes(): MustachioNode[] {
    return this.#open.at(-1)?.body ?? this.#root
  }

  #addValue(text: string, index: number, isEscaped: boolean): void {
    this.#nodes().push({ kind: 'value', path: this.#pathAt(text, index), isEscaped })
  }

  #begin(kind: BlockKind, path: MustachioPath, index: number): void {
    const body: MustachioNode[] = []
    this.#nodes().push({ kind, path, body })
    if (this.#open.length >= maxNesting) this.fail(index, `is nested deeper than ${maxNesting} blocks`)
    this.#open.push({ name: path.written, kind, body, index })
  }

  #beginSection(kind: BlockKind, text: string, index: number): void {
    const path = this.#pathAt(text, index)
    // The same name again is the other half of the block.
    if (this.#isInSection(path.written)) this.#open.pop()
    this.#begin(kind, path, index)
  }

  #end(text: string, index: number): void {
    const name = text.trim()
    const innermost = this.#open.at(-1)
    if (text === 'each' ? innermost?.kind === 'each' : this.#isInSection(name)) this.#open.pop()
    else if (name === 'each' && innermost?.kind === 'each') {
      this.#open.pop()
      this.fail(index, 'has spaces in its braces: a loop ends with {{/each}}')
    } else if (text === 'each')
      this.fail(index, 'closes a loop, and none is open here: each {{/each}} needs its {{#each name}}')
    else if (!innermost) this.fail(index, `closes ${quote(name)}, which is not open`)
    else {
      const expected = innermost.kind === 'each' ? 'each' : innermost.name
      this.fail(index, `closes ${quote(name)}, but ${quote(expected)} is open: close that first`)
    }
  }

  #isInSection(name: string): boolean {
    const innermost = this.#open.at(-1)
    return innermost !== undefined && innermost.kind !== 'each' && innermost.name === name
  }

  #pathAt(text: string, index: number): MustachioPath {
    const written = text.trim()
    const problem = pathProblem(written)
    if (problem !== null) this.fail(index, problem)
    const names = written.match(/\.\.\/|[^./]+/g)?.map((name) => (name === '../' ? '..' : name)) ?? []
    return { written, names, place: () => this.#placeOf(index) }
  }

  #placeOf(offset: number): { line: number; column: number } {
    this.#lineAt ??= createLineAt(this.#source)
    return { line: this.#lineAt(offset), column: offset - this.#source.lastIndexOf('\n', offset - 1) }
  }
}

const maxTags = 50_000
const maxFaults = 20

function pathProblem(written: string): string | null {
  if (written === '') return 'has no name between its braces'
  if ((written.match(/[^./]+/g)?.length ?? 0) > maxDepth)
    return `${quote(written)} has more than ${maxDepth} names: data is never nested so deeply`
  if (/^(?:\.|(?:\.\.\/)*(?:[\p{L}\p{N}\p{M}_]+(?:\.[\p{L}\p{N}\p{M}_]+)*|\.)?)$/u.test(written)) return null
  return `${quote(written)} is not a path: use names of letters, digits and _ with dots between them, after any number of ../`
}
