import type { Facts } from '../store/store.ts'
import { eventStatuses, outcomeOf } from './statuses.ts'
import type { EmailMembers } from './types.ts'

/** The members of a stored email that its facts are derived from. */
interface FactSource extends Pick<
  EmailMembers,
  'unread' | 'source' | 'type' | 'recipients' | 'tags' | 'from' | 'domain_id'
> {
  created: number
  message: { size_bytes: number } | null
  attachment_count: number | null
}

/** The facts that searches use beside words and addresses. */
export const emailFacts: Facts<FactSource> = {
  version: 1,
  flags: [
    'unread',
    'api',
    'smtp',
    'transactional',
    'broadcast',
    'attachments',
    'no attachments',
    'undigested',
    ...eventStatuses,
  ],
  numbers: ['created', 'size'],
  // Tags and the domain's name in lower case.
  texts: ['tag', 'sender domain', 'domain id'],
  of({ unread, source, type, attachment_count, recipients, created, message, tags, from, domain_id }) {
    let flags = unread ? 1 : 0
    flags |= source === 'api' ? 2 : 4
    flags |= type === 'transactional' ? 8 : 16
    flags |= attachment_count === null ? 128 : attachment_count > 0 ? 32 : 64
    for (const { events } of recipients) {
      const at = eventStatuses.indexOf(outcomeOf(events) ?? 'sent')
      if (at >= 0 && events.length > 0) flags |= 1 << (firstStatus + at)
    }
    return {
      flags,
      numbers: [created, message?.size_bytes ?? 0],
      texts: [tags.length === 0 ? none : tags.map((tag) => tag.toLowerCase()), [domainOf(from)], [domain_id]],
    }
  },
}

const firstStatus = 8
const none: readonly string[] = []

/** The domain of an address, also of one with a name before it, in lower case. */
function domainOf(from: string): string {
  const end = from.endsWith('>') ? from.length - 1 : from.length
  return from.slice(from.lastIndexOf('@') + 1, end).toLowerCase()
}
