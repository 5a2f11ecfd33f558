/** The mails that match a query, of which a wait passes over those that lack something that no query asks for. */
export interface Matches<Match extends { id: string }> {
  /**
   * Waits for a match, the newest one first.
   *
   * @param without  A term that leaves out mails, with a space behind it; `""` for none.
   * @param after  The id after which mail is looked for; undefined where the wait began.
   * @throws wait_timeout.
   */
  next(without: string, after: string | undefined): Promise<Match>
  /** The existing matches below an id, newest first, down to `after` as above. */
  older(below: string, after: string | undefined): AsyncIterable<Match>
}

/**
 * Waits for the first match that is wanted. Mails are passed over by their ids, as many as a query can name. Then the existing
 * ones below them are read, and only later mail is waited for.
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
    const match = await next(passed.length === 0 ? '' : `-id:${passed.join(',')} `, after)
    if (isWanted(match)) return match
    passed.push(match.id)
    if (passed.length < most) continue
    passed.sort()
    for await (const one of older(passed[0] ?? '', after)) if (isWanted(one)) return one
    after = passed.at(-1)
    passed = []
  }
}

/** A query in an URL has a few KB, and an id has 25 characters. */
const most = 200
