import type { Mail, MailSummary } from '../inbox/types.ts'
import type { Inspected } from './received.ts'

/** Reads the mails of an inbox, newest first, as often as a check asks. */
export interface MailReader {
  summaries(): Promise<MailSummary[]>
  /** The whole mail, read once for all that does not change after its acceptance. Null if it was removed. */
  read(id: string): Promise<Mail | null>
  /** The whole mail as it is now, with its newest events. Null if it was removed. */
  readAgain(id: string): Promise<Mail | null>
}

/** Makes a reader for one check. It keeps what it read in memory, so another check needs a new one. */
export function createMailReader({ inbox }: Inspected): MailReader {
  const known = new Map<string, Mail>()

  async function readAgain(id: string): Promise<Mail | null> {
    try {
      const mail = await inbox.get(id)
      known.set(id, mail)
      return mail
    } catch (error) {
      if (isNotFound(error)) return null
      throw error
    }
  }

  return {
    async summaries() {
      const all: MailSummary[] = []
      let cursor: string | null = null
      do {
        const page = await inbox.list({ limit: pageSize, cursor })
        all.push(...page.items)
        cursor = page.cursor
      } while (cursor !== null)
      return all
    },
    read: async (id) => known.get(id) ?? (await readAgain(id)),
    readAgain,
  }
}

const pageSize = 200

// Recognised by its code, because the error may come from another copy of the package.
function isNotFound(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'not_found'
}
