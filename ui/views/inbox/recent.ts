import { accountKey } from '../../composables/accounts.ts'

/** The searches made before in this browser, newest first. */
export function readRecent(): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(accountKey(name)) ?? '[]')
    return Array.isArray(kept) ? kept.filter((one) => typeof one === 'string').slice(0, most) : []
  } catch {
    return []
  }
}

/** Puts a search in front of them. */
export function addRecent(query: string): void {
  const kept = [query, ...readRecent().filter((one) => one !== query)].slice(0, most)
  try {
    localStorage.setItem(accountKey(name), JSON.stringify(kept))
  } catch {
    // Storage may be refused; then nothing is remembered.
    return
  }
}

const name = 'localpost.searches'
const most = 8
