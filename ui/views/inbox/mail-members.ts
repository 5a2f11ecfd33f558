import type { Mail } from '../../../src/inbox/types.ts'
import { sizeWords } from '../../composables/words.ts'

/**
 * Where the page shows a member of a mail: in a file of this folder, as a fact under the fields of the head (null to
 * leave it out), or nowhere.
 */
type Place = { in: string } | ((mail: Mail) => string | null) | 'not shown'

const signatures: Readonly<Record<NonNullable<Mail['dkim']>['result'], string>> = {
  pass: 'Signed by',
  fail: 'Signature fails for',
  no_key: 'Signed, unverified, by',
  invalid: 'Signature broken for',
}

/** Every member of a mail: the compiler requires a row for each new one. Facts are shown in this order. */
export const mailMembers: { readonly [Member in keyof Required<Mail>]: Place } = {
  id: { in: 'MailView.vue' },
  subject: { in: 'MailHead.vue' },
  from: { in: 'MailHead.vue' },
  received: { in: 'MailHead.vue' },
  to: { in: 'MailHead.vue' },
  to_names: { in: 'row-words.ts' },
  cc: { in: 'MailDetails.vue' },
  bcc: { in: 'MailDetails.vue' },
  reply_to: { in: 'MailDetails.vue' },
  envelope: { in: 'MailDetails.vue' },
  tags: { in: 'MailHead.vue' },
  codes: { in: 'MailHead.vue' },
  links: { in: 'MailHead.vue' },
  source: ({ source }) => (source === 'api' ? 'HTTP API' : 'SMTP'),
  type: ({ type }) => (type === 'broadcast' ? 'Broadcast' : null),
  size_bytes: ({ size_bytes }) => (size_bytes > 0 ? sizeWords(size_bytes) : null),
  dkim: ({ dkim }) => dkim && `${signatures[dkim.result]} ${dkim.domain}`,
  list_unsubscribe: ({ list_unsubscribe }) =>
    list_unsubscribe && (list_unsubscribe.one_click ? 'One-click unsubscribe' : 'List-Unsubscribe'),
  unread: { in: 'MailBar.vue' },
  snippet: 'not shown',
  outcomes: { in: 'outcomes.ts' },
  attachment_count: { in: 'MailRow.vue' },
  last_event: { in: 'MailPanel.vue' },
  problem: { in: 'MailView.vue' },
  html: { in: 'MailPanel.vue' },
  text: { in: 'MailPanel.vue' },
  headers: { in: 'MailPanel.vue' },
  attachments: { in: 'MailPanel.vue' },
  recipients: { in: 'MailView.vue' },
  transcript: { in: 'EventsPanel.vue' },
  domain_id: 'not shown',
  metadata: { in: 'MailDetails.vue' },
  tracking: 'not shown',
  provider: { in: 'MailOrigin.vue' },
  thread: { in: 'conversations.ts' },
  is_answer: { in: 'conversations.ts' },
  trace_id: { in: 'MailDetails.vue' },
}

/** The facts of a mail, in words. */
export function factsOf(mail: Mail): string[] {
  return Object.values(mailMembers).flatMap((place) =>
    typeof place === 'function' ? (place(mail) ?? []) : [],
  )
}
