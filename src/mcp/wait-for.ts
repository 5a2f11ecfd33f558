import { monotonicNow } from '../core/machine.ts'
import type { Inbox, InboxPages } from '../inbox/methods.ts'
import type { Mail } from '../inbox/types.ts'
import type { MailEntry } from '../inbox/views.ts'
import type { WaitOptions } from '../inbox/wait.ts'
import { excludingTerm, waitForWanted } from '../search/wait-for-wanted.ts'
import { recipientTest } from '../search/query-fits.ts'
import { cameAfter } from '../search/query-members.ts'
import { quotedString } from '../core/text.ts'

/**
 * Waits for a mail to a recipient that matches a query. In a text query, `to:ada@x.test` also finds `canada@x.test`; such
 * mails are passed over.
 *
 * @throws as `inbox.waitFor`.
 */
export async function waitForMail(
  inbox: Pick<Inbox, 'waitFor'> & Pick<InboxPages, 'entries' | 'read'>,
  { to, query }: { to?: string; query?: string },
  options: WaitOptions & { timeoutMs: number },
): Promise<Mail> {
  if (to === undefined) return inbox.waitFor(query, options)
  if (query === undefined) return inbox.waitFor({ to }, options)
  const { signal } = options
  const deadline = monotonicNow() + options.timeoutMs
  const wanted = `to:${quotedString(to)} ${query}`
  // `next` and `older` are described at `Matches` in search/wait-for-wanted.ts. Without `after` they take that of the caller.
  const next = (excluded: readonly string[], after = options.after): Promise<Mail> => {
    const timeoutMs = Math.max(0, Math.ceil(deadline - monotonicNow()))
    return inbox.waitFor(`${excludingTerm(excluded)}${wanted}`, { ...options, after, timeoutMs })
  }
  async function* older(below: string, after = options.after): AsyncGenerator<MailEntry> {
    const isLater = after === undefined ? () => true : cameAfter(after)
    // The id of a mail is a cursor, too: the page begins below it.
    for (let cursor: string | null = below; cursor !== null;) {
      const page = await inbox.entries({ query: wanted, cursor, limit: 500, signal })
      for (const entry of page.items) {
        if (!isLater({ id: entry.id, created: entry.received })) return
        yield entry
      }
      cursor = page.cursor
    }
  }
  const found = await waitForWanted<Mail | MailEntry>({ next, older }, recipientTest(to))
  // Only a whole mail has `codes`; of an entry of a list, the mail is read.
  return 'codes' in found ? found : inbox.read(found.id, { signal })
}
