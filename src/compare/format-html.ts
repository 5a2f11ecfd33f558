import { scannedLength, loadTokenizer } from '../mime/html/scan-html.ts'

/**
 * HTML as lines, so that two versions can be compared: each block element on a line of its own, indented by its depth,
 * texts and inline elements as they flow. White space is folded, attributes are in quotes, entities are decoded.
 *
 * In linear time, whatever the HTML is; at most its first million characters, and {@link maxFormattedLines} lines.
 */
export function formatHtml(html: string): string[] {
  const source = html.slice(0, scannedLength)
  const page = createLines()
  let name = ''
  let tag = ''
  let value: string | null = null
  const { Tokenizer } = loadTokenizer()
  const textAt = (start: number, end: number): string => source.slice(start, end)
  const openTagEnds = (): void => page.open(name, `${tag}>`)
  const tokenizer = new Tokenizer(
    { decodeEntities: true },
    {
      onopentagname(start, end) {
        name = textAt(start, end).toLowerCase()
        tag = `<${name}`
      },
      onattribname(start, end) {
        tag += ` ${textAt(start, end).toLowerCase()}`
        value = null
      },
      onattribdata: (start, end) => void (value = (value ?? '') + textAt(start, end)),
      onattribentity: (codepoint) => void (value = (value ?? '') + String.fromCodePoint(codepoint)),
      onattribend() {
        if (value !== null) tag += `="${folded(value).trim().replaceAll('"', '&quot;')}"`
      },
      onopentagend: openTagEnds,
      onselfclosingtag: openTagEnds,
      onclosetag: (start, end) => page.close(textAt(start, end).toLowerCase()),
      ontext: (start, end) => page.text(textAt(start, end).replaceAll('<', '&lt;')),
      ontextentity: (codepoint) => page.text(codepoint === 60 ? '&lt;' : String.fromCodePoint(codepoint)),
      oncomment: (start, end, endOffset) => page.block(`<!--${folded(textAt(start, end - endOffset))}-->`),
      oncdata() {},
      ondeclaration: (start, end) => page.block(`<!${folded(textAt(start, end))}>`),
      onprocessinginstruction() {},
      onend() {},
    },
  )
  for (let at = 0; at < source.length && page.count() <= maxFormattedLines; at += pieceLength)
    tokenizer.write(source.slice(at, at + pieceLength))
  tokenizer.end()
  const lines = page.end()
  if (lines.length > maxFormattedLines)
    return [...lines.slice(0, maxFormattedLines), `(Only the first ${maxFormattedLines} lines are shown.)`]
  if (html.length > source.length) lines.push(`(Only the first ${scannedLength} characters are shown.)`)
  return lines
}

/** More than any mail for people has. With its indent, a line may be much longer than the tag that it is made from. */
export const maxFormattedLines = 50_000
/** How much is read before the lines are counted. */
const pieceLength = 4096
const maxIndent = 60

interface Lines {
  open(name: string, tag: string): void
  close(name: string): void
  text(piece: string): void
  /** Something on a line of its own. */
  block(written: string): void
  /** How many lines there are so far. */
  count(): number
  end(): string[]
}

function createLines(): Lines {
  const lines: string[] = []
  /** The block elements that are open. */
  const opened: string[] = []
  /** Pieces of the line that is being written; joined at its end. */
  let line: string[] = []

  const push = (written: string): void => {
    lines.push('  '.repeat(Math.min(opened.length, maxIndent)) + written)
  }
  const endLine = (): void => {
    const pieces = line.join('')
    line = []
    const isRaw = rawText.has(opened.at(-1) ?? '')
    for (const one of isRaw ? pieces.split('\n') : [pieces]) {
      const written = folded(one).trim()
      if (written !== '') push(written)
    }
  }
  const leave = (depth: number): void => {
    endLine()
    opened.length = depth
  }

  return {
    open(name, tag) {
      if (!blocks.has(name)) {
        line.push(tag)
        if (name === 'br') endLine()
        return
      }
      endLine()
      // `<li>` after an open `<li>`, as HTML allows.
      if (implied.has(name) && opened.at(-1) === name) leave(opened.length - 1)
      push(tag)
      if (!empty.has(name)) opened.push(name)
    },
    close(name) {
      if (!blocks.has(name)) {
        if (!empty.has(name)) line.push(`</${name}>`)
        return
      }
      // Searched only in the innermost elements, so that closing tags without an opening one cost little.
      const least = Math.max(0, opened.length - searchedDepth)
      let at = opened.length - 1
      while (at >= least && opened[at] !== name) at--
      if (at < least) return
      leave(at)
      push(`</${name}>`)
    },
    text: (piece) => void line.push(piece),
    block(written) {
      endLine()
      push(written)
    },
    count: () => lines.length,
    end() {
      endLine()
      return lines
    },
  }
}

const searchedDepth = 200
const implied = new Set(['p', 'li', 'td', 'th', 'tr', 'dt', 'dd', 'option'])
const empty = new Set(['br', 'hr', 'img', 'meta', 'link', 'input', 'base', 'col', 'area', 'wbr'])
/** Elements whose lines stay as they are. */
const rawText = new Set(['style', 'script', 'pre', 'textarea'])
const blocks = new Set(
  (
    'html head body title meta link style script base table thead tbody tfoot tr td th caption colgroup col div p ' +
    'center h1 h2 h3 h4 h5 h6 ul ol li dl dt dd hr section article header footer main nav aside blockquote pre ' +
    'address figure figcaption form fieldset legend select option textarea button input template svg noscript'
  ).split(' '),
)

function folded(text: string): string {
  return text.replace(/[\s\u00a0]+/g, ' ')
}
