import type { Inbox } from '../inbox/methods.ts'
import type { Mail, MailSummary } from '../inbox/types.ts'
import type { Localpost } from '../instance/instance.ts'
import { optionTable } from '../options/table.ts'

/** The part of an instance that checks look at. */
export type Inspected = { readonly inbox: Pick<Inbox, 'list' | 'get'> } & Partial<
  Pick<Localpost, 'waitTimeoutMs'>
>

/** How long a check waits for what should come, in milliseconds. */
export function defaultTimeoutMs({ waitTimeoutMs }: Inspected): number {
  return waitTimeoutMs ?? optionTable.waitTimeoutMs.default
}

/** Reads the mails of an inbox, newest first, as often as a check asks. */
export interface MailReader {
  summaries(): Promise<MailSummary[]>
  /** The whole mail, read once for all that does not change after its acceptance. Null if it was removed. */
  read(id: string): Promise<Mail | null>
  /** The whole mail as it is now, with its newest events. Null if it was removed. */
  readAnew(id: string): Promise<Mail | null>
}

/** Makes a reader for one check. It keeps what it read in memory, so another check needs a new one. */
export function createMailReader({ inbox }: Inspected): MailReader {
  const known = new Map<string, Mail>()

  async function readAnew(id: string): Promise<Mail | null> {
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
      for (let cursor: string | null = null; ;) {
        const page = await inbox.list({ limit: pageSize, cursor })
        all.push(...page.items)
        cursor = page.cursor
        if (cursor === null) return all
      }
    },
    read: async (id) => known.get(id) ?? (await readAnew(id)),
    readAnew,
  }
}

const pageSize = 200

// Recognised by its code, because the error may come from another copy of the package.
function isNotFound(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'not_found'
}
