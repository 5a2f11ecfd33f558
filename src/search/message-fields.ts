import { messageBlob, type EmailRecord } from '../emails/email.ts'
import { isErrorOf } from '../core/errors.ts'
import { foldText } from '../core/fold-text.ts'
import { createRecentValues } from '../core/recent-values.ts'
import type { Reader } from '../reading/reader.ts'

/** The fields of a message that a search looks at: names of fields in lower case, values and file names folded. */
export interface MessageFields {
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly filenames: readonly string[]
}

/** Whether a message is what a query asks for. */
export type MessageTest = (fields: MessageFields) => boolean

/**
 * Makes a function that reads the header fields and the names of attachments of a mail. They are not indexed, because
 * few searches ask for them; the latest ones are cached.
 *
 * @returns A function of a mail, and of a signal that ends the work, which then throws its reason; it returns null for
 *   a mail whose message is not written, or is damaged.
 */
export function createMessageFields({
  reader,
}: {
  reader: Pick<Reader, 'fields'>
}): (email: EmailRecord, signal?: AbortSignal) => Promise<MessageFields | null> {
  const kept = createRecentValues<MessageFields>(maxChars, charsOf, maxCharsOfOne)
  return async (email, signal) => {
    const known = kept.get(email.id)
    if (known) return known
    // The message of an API send is written later; until then there is nothing to keep.
    if (email.message === null) return null
    try {
      const read = await reader.fields(messageBlob(email.id), signal)
      if (!read) return null
      const fields: MessageFields = {
        headers: read.headers.map(([name, value]) => [name.toLowerCase(), foldText(value)]),
        filenames: read.filenames.map(foldText),
      }
      kept.put(email.id, fields)
      return fields
    } catch (error) {
      // One damaged message must not make the whole search fail.
      if (isErrorOf(error, 'store_corrupt')) return null
      throw error
    }
  }
}

/** In characters. */
const maxChars = 8 * 1024 * 1024
const maxCharsOfOne = 64 * 1024

function charsOf({ headers, filenames }: MessageFields): number {
  const texts = [...headers.flat(), ...filenames]
  return texts.reduce((sum, text) => sum + text.length + 16, 0)
}
