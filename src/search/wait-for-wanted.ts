/** Finds the mails that match a query, for a wait that has a further condition which no query can express. */
export interface Matches<Match extends { id: string }> {
  /**
   * Waits for a match, the newest one first.
   *
   * @param excluded  The ids of mails to leave out: see {@link excludingTerm}.
   * @param after  The id after which mail is looked for; undefined where the wait began.
   * @throws wait_timeout.
   */
  next(excluded: readonly string[], after: string | undefined): Promise<Match>
  /** The existing matches below an id, newest first, down to `after` as above. */
  older(below: string, after: string | undefined): AsyncIterable<Match>
}

/**
 * Waits for the first match that is wanted. Mails that are not wanted are excluded by their ids, as many as a query can name.
 * Then the existing ones below them are read, and only later mail is waited for.
 *
 * @throws wait_timeout.
 */
export async function waitForWanted<Match extends { id: string }>(
  { next, older }: Matches<Match>,
  isWanted: (match: Match) => boolean,
): Promise<Match> {
  let passed: string[] = []
  let after: string | undefined
  for (;;) {
    const match = await next(passed, after)
    if (isWanted(match)) return match
    passed.push(match.id)
    if (passed.length < maxExcludedIds) continue
    passed.sort()
    for await (const one of older(passed[0] ?? '', after)) if (isWanted(one)) return one
    after = passed.at(-1)
    passed = []
  }
}

/** The beginning of a query that leaves out these mails; `""` for none. */
export function excludingTerm(ids: readonly string[]): string {
  return ids.length === 0 ? '' : `-id:${ids.join(',')} `
}

/** A query in an URL has a few KB, and an id has 25 characters. */
const maxExcludedIds = 200
