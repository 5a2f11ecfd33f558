import type { ListedMail } from '../../src/inbox/types.ts'

/**
 * Rows that were fetched again. Each that is as before stays the object that it was, so that it is not drawn again: most
 * refreshes change one of the rows in sight.
 */
export function keepSame(before: readonly ListedMail[], fetched: readonly ListedMail[]): ListedMail[] {
  const known = new Map(before.map((mail) => [mail.id, mail]))
  return fetched.map((mail) => {
    const old = known.get(mail.id)
    return old && JSON.stringify(old) === JSON.stringify(mail) ? old : mail
  })
}
