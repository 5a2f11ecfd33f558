import { foldText } from '../core/fold-text.ts'
import type { EmailRecord } from '../emails/email.ts'
import type { Digests } from './digests.ts'
import type { createMessageFields } from './message-fields.ts'
import type { MailFilter } from './query.ts'
import { searchableHead } from './searchable.ts'

/** What reads the content of one mail. */
export interface ContentDeps {
  digests: Pick<Digests, 'text'>
  fieldsOf: ReturnType<typeof createMessageFields>
}

/** Whether one mail matches a query, by its record, its message and its text; no index is asked. */
export async function mailFits(
  email: EmailRecord,
  filter: MailFilter,
  deps: ContentDeps,
  signal?: AbortSignal,
): Promise<boolean> {
  if (!filter.accepts(email) || !(await messageFits(email, filter, deps, signal))) return false
  if (filter.rows.length === 0 && !filter.bodyForm) return true
  const { body } = await deps.digests.text(email, signal)
  if (filter.bodyForm && !filter.bodyForm.test(body)) return false
  const text = foldText(body)
  const head = searchableHead(email)
  return filter.rows.every(({ bytes, in: place, isNegative }) => {
    const wanted = bytes.toString()
    const holds = text.includes(wanted) || (place === 'all' && head.includes(wanted))
    return holds !== isNegative
  })
}

/** Whether the header fields and file names of a mail match, which only its message has. */
export async function messageFits(
  email: EmailRecord,
  { messages }: MailFilter,
  { fieldsOf }: Pick<ContentDeps, 'fieldsOf'>,
  signal?: AbortSignal,
): Promise<boolean> {
  if (messages.length === 0) return true
  const fields = await fieldsOf(email, signal)
  return fields !== null && messages.every((test) => test(fields))
}
