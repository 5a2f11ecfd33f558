import { isErrorOf } from '../core/errors.ts'
import { emailCollection, type EmailRecord, needsDigest } from '../emails/email.ts'
import type { DigestReading } from '../reading/digest.ts'
import type { Store } from '../store/store.ts'
import type { RecordText, Texts } from '../store/texts.ts'
import { foldBody, headParts, searchableHead } from './searchable.ts'

/** A mail whose text is not stored yet. */
export interface ReadMail {
  readonly email: EmailRecord
  readonly reading: DigestReading
}

/** Stores the texts of mails in a store that keeps them itself. */
export class TextWriter {
  readonly #store: Pick<Store, 'bulk'>
  readonly #texts: Texts
  /** How many texts were stored since they were settled. */
  #unsettled = 0

  constructor(store: Pick<Store, 'bulk'>, texts: Texts) {
    this.#store = store
    this.#texts = texts
  }

  /** Stores what was read; one by one if not all can be stored. @returns The errors, by id. */
  async write(read: readonly ReadMail[]): Promise<ReadonlyMap<string, unknown>> {
    const failed = new Map<string, unknown>()
    let lastError = await this.#tryToPut(read)
    if (lastError === null) return failed
    for (const one of read) {
      // A database that does not answer is not asked once for each.
      const isAway = isErrorOf(lastError, 'service_unavailable')
      const error = isAway ? lastError : await this.#tryToPut([one])
      if (error === null) continue
      lastError = error
      failed.set(one.email.id, error)
    }
    return failed
  }

  /** @returns The error; null if all were stored. */
  async #tryToPut(read: readonly ReadMail[]): Promise<unknown> {
    try {
      await this.#put(read)
      return null
    } catch (error) {
      return error
    }
  }

  async #put(read: readonly ReadMail[]): Promise<void> {
    const digests = new Map(
      read.flatMap(({ email, reading: { snippet, attachment_count } }) => {
        return needsDigest(email) ? [[email.id, { snippet, attachment_count }]] : []
      }),
    )
    // The texts come last: a mail without one is read again after a crash.
    if (digests.size > 0)
      await this.#store.bulk(emailCollection, [...digests.keys()], (stored) => {
        return { ...stored, ...digests.get(stored.id), undigested: undefined }
      })
    const folded = read.map(({ email, reading }) => {
      const { body, isCut } = foldBody(reading)
      return { id: email.id, text: toRecordText(email, body), isCut }
    })
    if (folded.length > 0) await this.#texts.put(emailCollection, folded)
    this.#unsettled += folded.length
  }

  /** Makes searches of many new texts fast. Call it when nothing is left to read, except mails that failed. */
  async settle(): Promise<void> {
    if (this.#unsettled < manyTexts) return
    try {
      await this.#texts.settle(emailCollection)
      this.#unsettled = 0
    } catch {
      // Searches are only slower. It is tried again when reading ends the next time.
    }
  }
}

/** The text of a mail for the store. @param body  The folded text. */
function toRecordText(email: EmailRecord, body: string): RecordText {
  const parts = headParts(email) ?? unknownParts
  return { ...parts, head: searchableHead(email), body }
}

/** The parts of a head that are known only from the record, which a search then reads. */
const unknownParts = { subject: null, from: null, sender: null, to: null, cc: null, bcc: null }
/** So many new texts slow searches down until they are settled. */
const manyTexts = 250
