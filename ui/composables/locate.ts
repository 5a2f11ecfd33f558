import type { MailPage, MailSearch } from './api.ts'
import type { ListWindow } from './list-window.ts'

/**
 * The position of a mail in the list of a query, found with a few requests, because a list is sorted by id, the newest first.
 *
 * @param list.count  The number of its rows.
 * @param list.loaded  Rows that were fetched at once: nothing is asked for about a mail that would be among them.
 * @param list.signal  Ends the search.
 * @returns -1 if it is not in the list, or the search for it failed or was ended.
 */
export async function locate(
  id: string,
  list: {
    query: string
    count: number
    loaded: ListWindow
    fetch: (search: MailSearch, signal: AbortSignal) => Promise<MailPage>
    signal: AbortSignal
  },
): Promise<number> {
  const { query, count, loaded, fetch, signal } = list
  const [newest, oldest] = [loaded.emails[0], loaded.emails.at(-1)]
  let [from, to] = [0, count - 1]
  if (newest && oldest) {
    if (id < oldest.id) from = loaded.first + loaded.emails.length
    // It may have arrived since the rows were fetched.
    else if (id > newest.id) to = Math.max(0, loaded.first - 1)
    else {
      const at = loaded.emails.findIndex((mail) => mail.id === id)
      return at < 0 ? -1 : loaded.first + at
    }
  }
  for (let tries = 0; from <= to && tries < mostTries && !signal.aborted; tries++) {
    const middle = Math.floor((from + to) / 2)
    const page = await fetch({ query, offset: middle, limit: 1, count: 'page' }, signal).catch(() => null)
    const found = page?.emails[0]?.id
    if (found === id) return middle
    if (found === undefined || found < id) to = middle - 1
    else from = middle + 1
  }
  return -1
}

/** Enough for a billion mails. */
const mostTries = 30
