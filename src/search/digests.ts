import { contentBlob, messageBlob, type EmailRecord } from '../emails/email.ts'
import { isErrorOf } from '../core/errors.ts'
import { createRecentValues } from '../core/recent-values.ts'
import { createSharedWork } from '../core/shared-work.ts'
import { snippetOf } from '../mime/html/snippet.ts'
import type { Digest, DigestReading } from '../reading/digest.ts'
import type { Patience, Reader } from '../reading/reader.ts'

/**
 * Reads from mails what lists show and searches look at. A signal ends the work of its caller, which then throws the
 * reason of the signal.
 */
export interface Digests {
  /** The members that a list shows of a submission. */
  of(email: EmailRecord, signal?: AbortSignal): Promise<Digest>
  /** The text that a search for words looks at. */
  text(email: EmailRecord, signal?: AbortSignal): Promise<DigestReading>
  /**
   * The whole digest, for a caller that stores it: it is removed from the cache and not cached again.
   *
   * @param message  The bytes of a submission that were read already. Default: they are read.
   */
  take(email: EmailRecord, message?: Buffer | null): Promise<DigestReading>
}

type DigestReader = Pick<Reader, 'digest' | 'digestOf' | 'contentText'>

/**
 * A submission is not read while it arrives, because parsing costs several times as much as capturing. It is read when
 * no mail arrives (`column-indexer.ts`), or earlier if a list or search needs it. The latest digests are cached.
 */
export function createDigests({ reader }: { reader: DigestReader }): Digests {
  const kept = createRecentValues<DigestReading>(maxKeptChars, ({ body }) => body.length + charsOfOthers)
  const shared = createSharedWork()
  async function text(email: EmailRecord, caller?: AbortSignal): Promise<DigestReading> {
    const reading =
      kept.get(email.id) ??
      (await shared.run(email.id, (signal) => read(reader, email, { isPatient: false, signal }), caller))
    kept.put(email.id, reading)
    return reading
  }
  return {
    text,
    of(email, signal) {
      // One damaged message must not make the whole list fail.
      if (email.snippet === null)
        return text(email, signal).catch((error: unknown) => {
          if (isErrorOf(error, 'store_corrupt')) return unreadableReading
          throw error
        })
      return Promise.resolve(storedDigest(email))
    },
    async take(email, message = null) {
      const known = kept.take(email.id)
      if (known) return known
      return message ? reader.digestOf(message) : read(reader, email, { isPatient: true })
    },
  }
}

/** The result for a message that can never be read. */
export const unreadableReading: DigestReading = { snippet: '', attachment_count: 0, body: '', isCut: false }

function storedDigest({ snippet, attachment_count }: EmailRecord): Digest {
  return { snippet: snippet ?? '', attachment_count: attachment_count ?? 0 }
}

/** The digest of a message that was parsed. */
export function digestOfBodies(message: {
  text: string
  html: string
  attachments: readonly unknown[]
}): Digest {
  return { snippet: snippetOf(message.text, message.html), attachment_count: message.attachments.length }
}

/** Enough for several pages of the list: a thousand short mails. */
const maxKeptChars = 4 * 1024 * 1024
/** What a reading takes beside its text. */
const charsOfOthers = 4096

async function read(reader: DigestReader, email: EmailRecord, patience: Patience): Promise<DigestReading> {
  if (email.source === 'smtp')
    return (await reader.digest(messageBlob(email.id), patience)) ?? unreadableReading
  const text = await reader.contentText(contentBlob(email.id), patience)
  return { ...(text ?? unreadableReading), ...storedDigest(email) }
}
