import type { ListedMail } from '../../../src/inbox/types.ts'
import type { Api } from '../../composables/api.ts'
import { markedPieces } from './search-words.ts'

/** Excerpts around what a search found in the texts of mails, for rows that would not show it. */
export interface Excerpts {
  /**
   * Reads the texts of these mails where that is needed; mails of an earlier call that are not read yet are left out.
   *
   * @param hasText  Whether the rows show the beginning of the text.
   */
  look(mails: readonly ListedMail[], words: readonly string[], hasText: boolean): void
  stop(): void
}

/** @param found  Gets the excerpts, by the ids of the mails. */
export function createExcerpts(api: Pick<Api, 'get'>, found: Map<string, string>): Excerpts {
  // Not `useLatest`: this is made outside of a component, after its part was loaded.
  let current = new AbortController()
  let sought = ''
  let waiting: string[] = []
  const asked = new Set<string>()
  /** The runs for the words that are sought now. */
  let running = 0

  async function run(words: readonly string[], { signal }: AbortController): Promise<void> {
    running++
    // What is waiting belongs to a newer run after an abort.
    for (let id = waiting.shift(); id !== undefined; id = signal.aborted ? undefined : waiting.shift()) {
      asked.add(id)
      const mail = await api.get(id, signal).catch(() => null)
      const excerpt = mail && excerptOf(mail.text || textIn(mail.html), words)
      if (excerpt && !signal.aborted) found.set(id, excerpt)
    }
    if (!signal.aborted) running--
  }

  return {
    look(mails, words, hasText) {
      if (words.join('\n') !== sought) {
        sought = words.join('\n')
        current.abort()
        current = new AbortController()
        running = 0
        asked.clear()
        found.clear()
      }
      waiting = []
      for (const mail of words.length === 0 ? [] : mails) {
        if (asked.has(mail.id) || found.has(mail.id) || mail.broadcast || isShown(mail, words, hasText))
          continue
        const inSnippet = excerptOf(mail.snippet, words)
        if (inSnippet) found.set(mail.id, inSnippet)
        else if (mail.size_bytes <= mostBytes) waiting.push(mail.id)
      }
      while (waiting.length > 0 && running < mostAtOnce) void run(words, current)
    },
    stop: () => current.abort(),
  }
}

/** Whether the row shows a word anyway: its people, its subject, and maybe the beginning of its text. */
function isShown(
  { from, to, to_names, subject, snippet }: ListedMail,
  words: readonly string[],
  hasText: boolean,
): boolean {
  const shown = [from, to[0] ?? '', to_names[0] ?? '', subject, hasText ? snippet.slice(0, shownChars) : '']
  return shown.some((text) => markedPieces(text, words).length > 1)
}

/** The text around the first word, in one line; null without any. */
export function excerptOf(text: string, words: readonly string[]): string | null {
  const [before, match, after] = markedPieces(text.slice(0, mostChars), words)
  if (before === undefined || match === undefined) return null
  // Near the end of the text there is room for more of what is before.
  const room = Math.max(charsBefore, charsOfLine - match.length - (after ?? '').length)
  const line = before.slice(-2 * room).replaceAll(/\s+/g, ' ')
  // From the beginning of a word, where one is near.
  const start = line.length > room ? line.slice(-room).replace(/^\S{1,12}\s/, '') : line
  const isCut = start.length < before.trimStart().length
  return `${isCut ? '…' : ''}${start.trimStart()}${match}${(after ?? '').slice(0, charsAfter).replaceAll(/\s+/g, ' ')}`
}

/** The text of HTML, which is not shown: nothing in it is loaded or run. */
function textIn(html: string): string {
  const { body } = new DOMParser().parseFromString(html.slice(0, mostChars), 'text/html')
  for (const element of body.querySelectorAll('style, script, title')) element.remove()
  return body.textContent ?? ''
}

const shownChars = 40
const charsBefore = 24
const charsOfLine = 48
const charsAfter = 160
const mostChars = 300_000
/** A larger mail keeps the beginning of its text. */
const mostBytes = 1024 * 1024
const mostAtOnce = 2
