import { shorten } from '../core/quote.ts'
import { cutText, foldSpace } from '../core/text.ts'
import { htmlText } from '../emails/render.ts'
import { createHtmlCleaner, type HtmlCleaner } from '../mime/html/clean-element.ts'
import { parseHtml } from '../mime/html/parse-html.ts'
import { visibleText } from '../mime/html/visible-text.ts'
import { writeHtml } from '../mime/html/write-html.ts'
import type { Mail } from './types.ts'

/** A mail as it is quoted below an answer. */
export interface Quotation {
  /** For `text`: a line that says who wrote it, and lines that begin with `>`. */
  text: string
  /** For `html`: the same line, and a blockquote. */
  html: string
}

/** The quotation of a mail. Long text is cut, and long HTML is quoted as its text. */
export function quoteMail({
  from,
  received,
  text,
  html,
}: Pick<Mail, 'from' | 'received' | 'text' | 'html'>): Quotation {
  const said = linesOf(text.trim() === '' ? visibleText(html) : text)
  const attribution = `On ${new Date(received).toUTCString()}, ${shorten(foldSpace(from), maxFrom)} wrote:`
  const shown =
    html !== '' && html.length <= maxQuoted ? bodyContent(html) : said.map(htmlText).join('<br>\n')
  return {
    text: [attribution, ...said.map((line) => (line === '' ? '>' : `> ${line}`))].join('\n'),
    html: `<p>${htmlText(attribution)}</p>\n<blockquote type="cite">\n${shown}\n</blockquote>`,
  }
}

/** What the body of a document has, so that nothing in it ends or hides what is written around it. */
function bodyContent(html: string): string {
  const cleaner = createHtmlCleaner('none')
  const fateOf: HtmlCleaner['fateOf'] = (element) => {
    if (element.name === 'title') return 'gone'
    return outer.has(element.name) ? 'unwrapped' : cleaner.fateOf(element)
  }
  return writeHtml(parseHtml(html), { ...cleaner, fateOf }).html.replace(/^<!DOCTYPE[^>]*>/, '')
}

const outer: ReadonlySet<string> = new Set(['html', 'head', 'body', 'meta'])

/** The lines of a text, without empty ones at its ends. A CR alone ends a line too, as some programs read it. */
function linesOf(text: string): string[] {
  const cut = cutText(text, maxQuoted)
  const lines = cut
    .trim()
    .split(/\r\n?|\n/)
    .map((line) => line.trimEnd())
  return cut.length < text.length ? [...lines, '[…]'] : lines
}

/** How much of a body is quoted, in characters. */
const maxQuoted = 100_000
const maxFrom = 500
