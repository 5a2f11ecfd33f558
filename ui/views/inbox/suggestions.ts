import type { QueryKey } from '../../../src/search/query-keys.ts'

/** One suggestion to continue a search with. */
export interface Suggestion {
  /** The whole search after it was taken; it may be gone on with. */
  query: string
  /** The shown text. */
  words: string
  hint: string
}

export interface SuggestionParts {
  /** The keys of the query language, with what they mean and the values they take, where those are few. */
  keys: readonly QueryKey[]
  /** Searches made before, newest first. */
  recent: readonly string[]
  /** Values from the loaded mails, by key: senders, recipients, tags. */
  known: Readonly<Record<string, readonly string[]>>
}

/**
 * What the last word of a search may become: a key, one of its values, or, while nothing is typed yet, a search made
 * before.
 */
export function suggest(query: string, { keys, recent, known }: SuggestionParts): Suggestion[] {
  const before = query.slice(0, query.length - (query.split(/\s/).at(-1)?.length ?? 0))
  const minus = query.slice(before.length).startsWith('-') ? '-' : ''
  const word = query.slice(before.length + minus.length).toLowerCase()
  const take = (text: string): string => `${before}${minus}${text}`
  if (query.trim() === '') {
    return [
      ...recent.slice(0, 4).map((one) => ({ query: one, words: one, hint: 'Searched before' })),
      ...keys
        .filter(({ name }) => usual.has(name))
        .map(({ name, hint }) => ({ query: `${name}:`, words: `${name}:`, hint })),
    ]
  }
  const colon = word.indexOf(':')
  if (colon === -1) {
    if (word === '') return []
    return keys
      .filter(({ name }) => name.startsWith(word))
      .map(({ name, hint }) => ({ query: take(`${name}:`), words: `${minus}${name}:`, hint }))
  }
  const found = keys.find(({ name }) => name === word.slice(0, colon))
  if (!found) return []
  const begun = word.slice(colon + 1).replace(/^"/, '')
  return [...(found.values ?? []), ...(known[found.name] ?? [])]
    .filter((value) => value.toLowerCase().includes(begun) && value.toLowerCase() !== begun)
    .slice(0, mostSuggestions)
    .map((value) => {
      const text = `${found.name}:${/[\s"]/.test(value) ? `"${value.replaceAll('"', '')}"` : value}`
      return { query: `${take(text)} `, words: `${minus}${text}`, hint: '' }
    })
}

/** Whether the last word is a key that waits for its value, or a quote that is still open. */
export function isUnfinished(query: string): boolean {
  return /(?:^|\s)-?[a-z-]+:$/i.test(query.trimEnd()) || query.split('"').length % 2 === 0
}

const mostSuggestions = 9
/** The keys that are shown before anything is typed. The filters above the list stand for some of the others. */
const usual: ReadonlySet<string> = new Set(['from', 'to', 'subject', 'body', 'after', 'header'])
