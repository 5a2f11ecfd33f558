import { accountKey } from '../../composables/accounts.ts'

/** The searches made before in this browser, newest first. */
export function readRecent(): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(accountKey(storageName)) ?? '[]')
    return Array.isArray(kept) ? kept.filter((one) => typeof one === 'string').slice(0, mostSearches) : []
  } catch {
    return []
  }
}

/** Puts a search in front of them. */
export function addRecent(query: string): void {
  const kept = [query, ...readRecent().filter((one) => one !== query)].slice(0, mostSearches)
  try {
    localStorage.setItem(accountKey(storageName), JSON.stringify(kept))
  } catch {
    // Storage may be refused; then nothing is remembered.
  }
}

const storageName = 'localpost.searches'
const mostSearches = 8
