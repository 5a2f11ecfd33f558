import type { Clock } from '../core/clock.ts'
import { readContent } from '../emails/content.ts'
import { messageBlob, type EmailRecord } from '../emails/email.ts'
import { verifyDkim } from '../mime/dkim-verify.ts'
import { readFindings } from '../reading/jobs.ts'
import type { Reader } from '../reading/reader.ts'
import { digestOf, type Digests } from '../search/digests.ts'
import type { Store } from '../store/store.ts'
import { createKeyFinder } from './signing-keys.ts'
import type { Mail, TranscriptLine } from './types.ts'
import { toMail } from './views.ts'

interface DetailDeps {
  store: Store
  reader: Reader
  clock: Clock
  digests: Digests
  /** The SMTP transcript of a submission; null if it is not kept. Default: no transcripts. */
  transcriptOf?(id: string, sizeBytes: number): TranscriptLine[] | null
}

/** @returns Reads everything that the inbox shows of one mail. */
export function createDetails(deps: DetailDeps): (email: EmailRecord) => Promise<Mail> {
  const { store, reader, clock, digests } = deps
  const findKey = createKeyFinder(store)

  return async (email) => {
    const blob = messageBlob(email.id)
    const submitted = email.message && email.source === 'smtp' ? await reader.mail(blob) : null
    const message = submitted ?? (email.message && (await reader.message(blob)))
    const content = submitted ?? (await readContent(deps, email))
    const { links, codes, clipped } =
      submitted ?? (await readFindings({ ...content, subject: email.subject }))
    const digest = email.snippet === null && message ? digestOf(message) : await digests.of(email)
    const isSigned = message?.headers.some(([name]) => name.toLowerCase() === 'dkim-signature')
    const dkim = isSigned
      ? await reader.bytes(blob, (bytes) => verifyDkim(bytes, findKey, clock.now()))
      : null
    const transcript = deps.transcriptOf?.(email.id, email.message?.size_bytes ?? 0) ?? null
    return toMail(email, digest, content, message, { links, codes, clipped, dkim, transcript })
  }
}
