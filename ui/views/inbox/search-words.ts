import { computed, inject, provide, type ComputedRef, type InjectionKey, type Ref } from 'vue'

/** What the parts of a mail know of the search of the list. */
interface MailSearch {
  /** The words that are looked for, in lower case; they are marked where they are shown. */
  words: ComputedRef<readonly string[]>
  /** Searches for something else. */
  search(query: string): void
}

/** For the inbox. */
export function provideMailSearch(query: Ref<string>, search: MailSearch['search']): MailSearch {
  const words = computed(() => searchedWords(query.value))
  const found = { words, search }
  provide(key, found)
  return found
}

/** @returns Null in a part of the page that has no list, such as the dialog of an attached mail. */
export function useMailSearch(): MailSearch | null {
  return inject(key, null)
}

const key: InjectionKey<MailSearch> = Symbol('mail search')

/** The words of a search that a mail shows: without the excluded ones, and without keys such as `is:`. */
export function searchedWords(query: string): string[] {
  const found: string[] = []
  for (const [, minus, name, quoted, plain] of query.matchAll(part)) {
    const word = (quoted ?? plain ?? '').toLowerCase().trim()
    const isText = name === undefined || shown.has(name.slice(0, -1).toLowerCase())
    if (minus === undefined && isText && word !== '' && !/^(?:or|and)$/.test(word)) found.push(word)
  }
  return found.slice(0, mostWords)
}

const part = /(-)?([a-z]{1,20}:)?(?:"([^"]{0,200})"|([^\s"()]{1,200}))/gi
const shown: ReadonlySet<string> = new Set(['from', 'to', 'subject', 'body', 'cc'])
const mostWords = 10

/** A text in pieces: each second one is a match of a word. */
export function markedPieces(text: string, words: readonly string[]): string[] {
  if (words.length === 0) return [text]
  const lower = text.toLowerCase()
  // A letter whose lower case is longer would move what follows it.
  if (lower.length !== text.length) return [text]
  const pieces: string[] = []
  const next = words.map((word) => ({ word, start: lower.indexOf(word) }))
  let at = 0
  while (pieces.length < mostPieces) {
    for (const one of next) if (one.start !== -1 && one.start < at) one.start = lower.indexOf(one.word, at)
    const [hit] = next
      .filter(({ start }) => start !== -1)
      .toSorted((one, other) => one.start - other.start || other.word.length - one.word.length)
    if (!hit) break
    const end = hit.start + hit.word.length
    pieces.push(text.slice(at, hit.start), text.slice(hit.start, end))
    at = end
  }
  return [...pieces, text.slice(at)]
}

const mostPieces = 200
