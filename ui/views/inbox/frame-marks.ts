import { bodyOf } from './frame-size.ts'
import { markedPieces } from './search-words.ts'

/**
 * Marks words in the mail of a frame as a highlight of the browser: no element and no style of the mail changes. Browsers
 * without such highlights show the mail without marks.
 *
 * @param words  In lower case; without any, the marks are removed.
 */
export function markWords(frame: HTMLIFrameElement, words: readonly string[]): void {
  const { contentDocument: content, contentWindow } = frame
  // Scripts of the page may use the realm of the frame; the mail itself runs none.
  const view = contentWindow as (Window & typeof globalThis) | null
  const body = content && bodyOf(content)
  if (!view || !content || !body || !('Highlight' in view)) return
  const { highlights } = view.CSS
  highlights.delete(name)
  const ranges = words.length === 0 ? [] : rangesIn(content, body, words)
  if (ranges.length === 0) return
  highlights.set(name, new view.Highlight(...ranges))
  if (styled.has(content)) return
  styled.add(content)
  const sheet = new view.CSSStyleSheet()
  sheet.replaceSync(`::highlight(${name}) { background: #ffe6a6; color: #1b1a18 }`)
  // A mail may name an element after a member of `document` and hide it, so that of the prototype is used.
  const sheets: CSSStyleSheet[] = Reflect.get(Document.prototype, 'adoptedStyleSheets', content)
  Reflect.set(Document.prototype, 'adoptedStyleSheets', [...sheets, sheet], content)
}

function rangesIn(content: Document, body: Element, words: readonly string[]): Range[] {
  const walker = Document.prototype.createTreeWalker.call(content, body, NodeFilter.SHOW_TEXT)
  const ranges: Range[] = []
  let looked = 0
  for (let node = walker.nextNode(); node && ranges.length < mostRanges; node = walker.nextNode()) {
    const text = node.nodeValue ?? ''
    looked += text.length
    if (looked > mostChars) break
    if (node.parentNode?.nodeName === 'STYLE') continue
    let at = 0
    markedPieces(text, words).forEach((piece, index) => {
      if (index % 2 === 1) {
        const range = Document.prototype.createRange.call(content)
        range.setStart(node, at)
        range.setEnd(node, at + piece.length)
        ranges.push(range)
      }
      at += piece.length
    })
  }
  return ranges
}

const name = 'localpost-search'
const styled = new WeakSet<Document>()
const mostRanges = 1000
const mostChars = 2_000_000
