import { compareMails, type compareJobs, type CompareOptions } from '../compare/compare.ts'
import { subjectForm } from '../compare/masks.ts'
import type { MailComparison } from '../compare/types.ts'
import type { JobThread } from '../core/job-thread.ts'
import { LocalpostError } from '../core/errors.ts'
import { assertKnownOptions } from '../core/known-options.ts'
import { nextTurn } from '../core/machine.ts'
import { emailCollection, type EmailRecord } from '../emails/email.ts'
import type { Store } from '../store/store.ts'
import type { Details } from './detail.ts'
import type { Mail } from './types.ts'

interface CompareDeps {
  store: Pick<Store, 'page'>
  find(id: string): Promise<EmailRecord>
  details: Details
  /** Where long mails are compared. */
  thread: JobThread<typeof compareJobs>
}

/**
 * @returns A function that compares two mails of the inbox. `other` may be `previous`: the last mail before it whose subject
 *   has the same form; not_found if none of the last 5,000 has.
 */
export function createCompare(
  deps: CompareDeps,
): (mail: string, other: string, options?: CompareOptions) => Promise<MailComparison> {
  const { store, find, details, thread } = deps
  /** The last mail before this one whose subject has the same form. */
  async function previous(email: EmailRecord, signal?: AbortSignal): Promise<EmailRecord> {
    const wanted = subjectForm(email.subject)
    let after = email.id
    for (let seen = 0; seen < maxSearched; seen += pageSize) {
      const older = { direction: 'desc', after: [after], limit: pageSize } as const
      const { records } = await store.page(emailCollection, older)
      const found = records.find(({ subject }) => subjectForm(subject) === wanted)
      if (found) return found
      const last = records.at(-1)
      if (!last) break
      after = last.id
      await nextTurn()
      signal?.throwIfAborted()
    }
    const message = `No earlier mail has the same subject as ${email.id}. Name the id of the mail to compare with.`
    throw new LocalpostError('not_found', message)
  }

  return async (id, other, options) => {
    assertKnownOptions(options, ['masked', 'signal'], 'inbox.compare()')
    const signal = options?.signal
    const email = await find(id)
    const against = other === 'previous' ? await previous(email, signal) : await find(other)
    const readEmail = async (): Promise<Mail> => {
      await details.rest(against)
      return details.read(email, signal)
    }
    const compare = (): Promise<MailComparison> =>
      compareMails(thread, readEmail, () => details.read(against, signal), options)
    return details.inTurn([against, email], compare, signal)
  }
}

const pageSize = 50
/** How many mails are looked at for the last one with a subject. */
const maxSearched = 5000
