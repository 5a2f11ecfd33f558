import { LocalpostError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import { emailCollection, hasArrived, type EmailRecord } from '../emails/email.ts'
import { cameAfter, type MailQuery } from '../search/query-members.ts'
import { recipientIn } from '../search/query-terms.ts'
import type { Store } from '../store/store.ts'
import type { Goal } from './watch.ts'

/** What a wait was for. */
export interface Wanted extends Goal {
  query: MailQuery | undefined
  /** When it began: Unix time in milliseconds. */
  since: number
}

/**
 * The error of a wait that timed out.
 *
 * @param what  The beginning of the message.
 * @param explain  Gives its end: why there is no mail for a recipient since a time.
 */
export async function timeoutError(
  store: Store,
  { query, filter, after, timeoutMs, since }: Wanted,
  what: string,
  explain: (to: string | undefined, since: Date | string) => Promise<string>,
): Promise<LocalpostError> {
  const { records } = await store.page(emailCollection, { direction: 'desc', limit: maxConsidered })
  const misses = records
    .map((email) => ({ email, held: filter.held(email) }))
    // The sort is stable, so the newest of equal entries stays first.
    .sort((a, b) => b.held - a.held)
    .slice(0, 3)
    .map(({ email }) => {
      const undelivered = hasArrived(email) ? '' : ' (not delivered yet)'
      const beforeAfter = after !== undefined && !cameAfter(after)(email) ? ' (not after `after`)' : ''
      return `${describeMail(email)}${undelivered}${beforeAfter}`
    })
  const nearest = misses.length > 0 ? ` The nearest misses: ${misses.join('; ')}.` : ' The inbox is empty.'
  const why = await explain(recipientIn(query), after ?? new Date(since - lookBackMs))
  const message = `${what} ${describeQuery(query)} within ${timeoutMs} ms.${nearest}${why}`
  return new LocalpostError('wait_timeout', message)
}

// Only the newest mails are considered, because the expected mail should have arrived just now.
const maxConsidered = 200

/** The app may have tried to send shortly before the wait began. */
const lookBackMs = 60_000

/** The error of `expectNone` when this mail matched. */
export function unexpectedMail(query: MailQuery | undefined, email: EmailRecord): LocalpostError {
  const message = `Unexpected mail for ${describeQuery(query)}: ${describeMail(email)}.`
  return new LocalpostError('unexpected_mail', message)
}

function describeMail({ id, from, to, subject }: EmailRecord): string {
  const recipients = to.length > 0 ? quote(to.join(', ')) : 'undisclosed recipients'
  return `${id} from ${quote(from)} to ${recipients}, subject ${quote(subject)}`
}

function describeQuery(query: MailQuery | undefined): string {
  if (query === undefined) return 'any mail'
  if (typeof query === 'string') return quote(query)
  const parts = Object.entries(query).map(
    ([name, value]) => `${name}: ${value instanceof RegExp ? String(value) : quote(value)}`,
  )
  return `{ ${parts.join(', ')} }`
}
