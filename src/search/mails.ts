import { longBytes } from '../core/job-thread.ts'
import { emailCollection, type EmailRecord, messageBlob } from '../emails/email.ts'
import type { Page } from '../store/queries.ts'
import type { Store } from '../store/store.ts'
import type { Texts } from '../store/texts.ts'

/** The next mails after an id, in order of arrival; `""`: the first ones. */
export function mailsAfter(store: Store, id: string, limit: number): Promise<Page<EmailRecord>> {
  return store.page(emailCollection, { ...(id === '' ? {} : { after: [id] }), limit })
}

/** The emails of these ids that exist, in the order of the ids. */
export async function mailsOf(store: Store, ids: readonly string[]): Promise<EmailRecord[]> {
  const { records } = await store.page(emailCollection, { where: { any: [] }, also: ids, limit: ids.length })
  return records
}

/** How many mails are read and stored together, and the limit of the bytes of their messages. */
const maxGroupMails = 64
const maxGroupBytes = 1024 * 1024

/** Some of the mails at a time, limited by the bytes of their messages. */
export function* groupsOf(emails: readonly EmailRecord[]): Generator<EmailRecord[]> {
  let group: EmailRecord[] = []
  let bytes = 0
  for (const email of emails) {
    const size = email.message?.size_bytes ?? 0
    if (group.length === maxGroupMails || (group.length > 0 && bytes + size > maxGroupBytes)) {
      yield group
      group = []
      bytes = 0
    }
    group.push(email)
    bytes += size
  }
  if (group.length > 0) yield group
}

/** Submissions with their bytes, where these are short enough to be read together. */
export async function withMessages(
  texts: Texts,
  group: readonly EmailRecord[],
): Promise<{ email: EmailRecord; message: Buffer | null }[]> {
  const short = group.filter(({ source, message }) => {
    return source === 'smtp' && message !== null && message.size_bytes <= longBytes
  })
  const ids = short.map(({ id }) => messageBlob(id))
  // Without the bytes each is read alone, so that one that cannot be read does not keep the others.
  const found = ids.length > 0 ? await texts.blobs(emailCollection, ids).catch(() => []) : []
  const messages = new Map(short.map(({ id }, nth) => [id, found[nth]]))
  return group.map((email) => ({ email, message: messages.get(email.id) ?? null }))
}

/** The id of the newest mail; `""` if there is none. */
export async function newestId(store: Store): Promise<string> {
  return (await store.ids(emailCollection, { direction: 'desc', limit: 1 }))[0] ?? ''
}
