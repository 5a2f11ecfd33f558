import { systemClock } from '../../src/core/clock.ts'
import { createJobThread } from '../../src/core/job-thread.ts'
import type { EmailRecord } from '../../src/emails/email.ts'
import type { Localpost } from '../../src/index.ts'
import { readingJobs } from '../../src/reading/jobs.ts'
import { createReader } from '../../src/reading/blob-reader.ts'
import { createDigests, type Digests } from '../../src/search/digests.ts'
import type { Store } from '../../src/store/store.ts'

/** The subjects of the mails that a query finds, newest first. */
export const subjectsOf = async (post: Localpost, query: string): Promise<string[]> =>
  (await post.inbox.list({ query })).items.map(({ subject }) => subject)

/** Ids that sort by number. */
export const idOf = (n: number): string => `em_${String(n).padStart(22, '0')}`
/** A submission as it is stored before its first reading. */
export const anEmail = (n: number): EmailRecord => ({
  id: idOf(n),
  version: 0,
  type: 'transactional',
  source: 'smtp',
  from: 'bob@acme.test',
  to: ['ada@example.com'],
  cc: [],
  bcc: [],
  reply_to: null,
  subject: `mail ${n}`,
  template_id: null,
  domain_id: 'dm_1',
  created: 0,
  envelope: { mail_from: 'bob@acme.test', rcpt_to: ['ada@example.com'] },
  recipients: [],
  outbox: null,
  outbox_due: null,
  message: { size_bytes: 1, message_id: '' },
  unread: true,
  tags: [],
  snippet: null,
  attachment_count: null,
  undigested: true,
})

/** Reads the mails of a store. */
export const digestsOf = (store: Store): Digests =>
  createDigests({
    reader: createReader({ store, clock: systemClock, thread: createJobThread(readingJobs, null) }),
  })

/** For a search that reads no messages. */
export const noFields = (): Promise<null> => Promise.resolve(null)

/** Imports mails with the subjects `mail 0`, `mail 1` and so on. */
export async function submitMany(post: Localpost, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    const text = `From: bob@acme.test\r\nTo: ada@example.com\r\nSubject: mail ${n}\r\n\r\nText ${n}\r\n`
    await post.inbox.import(Buffer.from(text))
  }
}
