/** The mails that a wait passes over, because they match its query and lack something else. */
export interface PassedOver {
  /** The term that leaves them out, with a space behind it; `""` without any. */
  term(): string
  /** The id after which mail is looked for; undefined while few mails were passed over. */
  after(): string | undefined
  add(id: string): void
}

/**
 * Passes over mails by their ids, as many as a query can name. Beyond that only later mail is looked for, so that a wait in a
 * large inbox has an end.
 */
export function createPassedOver(): PassedOver {
  let ids: string[] = []
  let newest: string | undefined
  return {
    term: () => (ids.length === 0 ? '' : `-id:${ids.join(',')} `),
    after: () => newest,
    add(id) {
      ids.push(id)
      if (ids.length < most) return
      newest = ids.reduce((one, other) => (one > other ? one : other))
      ids = []
    },
  }
}

/** A query in an URL has a few KB, and an id has 25 characters. */
const most = 200
