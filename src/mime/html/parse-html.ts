import { createRequire } from 'node:module'
import { createHtmlBuilder, type DocumentMode } from './html-builder.ts'
import type { HtmlNode } from './html-tree.ts'

/** HTML as a browser without scripts reads it. */
export interface HtmlDocument {
  root: HtmlNode
  mode: DocumentMode
  /** Whether the rest was left out, because there are too many elements. */
  isCut: boolean
}

/**
 * Parses HTML by the HTML standard, with scripting off.
 *
 * The tree may be as deep as it has elements, so it must not be walked by recursion; `walkHtml` does not.
 *
 * @see https://html.spec.whatwg.org/multipage/parsing.html
 */
export function parseHtml(html: string): HtmlDocument {
  let made = 0
  let maxMade = 0
  const { adapter, document, mode } = createHtmlBuilder(() => {
    if (++made > maxMade) throw tooManyElements
  })
  const { Parser } = loadParser()
  const parser = new Parser({ scriptingEnabled: false, treeAdapter: adapter })
  let isCut = false
  try {
    let at = 0
    do {
      // The parser copies a text that has not ended at each step, so a step is a 64th of what was read.
      const length = Math.max(minStep, Math.floor(at / 64))
      maxMade = Math.min(maxElements, made + maxRepeated + length)
      parser.tokenizer.write(html.slice(at, at + length), at + length >= html.length)
      at += length
    } while (at < html.length)
  } catch (error) {
    if (error !== tooManyElements) throw error
    isCut = true
  }
  return { root: document, mode: mode(), isCut }
}

const tooManyElements = new Error('There are too many elements.')
/** More would take too much memory. */
const maxElements = 330_000
/**
 * How many more elements than characters a step may make: each tag of a block makes all formatting elements again that are
 * not closed, such as `<font>`, and there may be thousands.
 */
const maxRepeated = 10_000
const minStep = 1024

let loaded: Pick<typeof import('parse5'), 'Parser'> | undefined

/** Loads it at the first call, because that takes 20 ms and is only needed for HTML. */
function loadParser(): Pick<typeof import('parse5'), 'Parser'> {
  loaded ??= createRequire(import.meta.url)('parse5') as typeof import('parse5')
  return loaded
}
