import { askLinks } from '../checks/live-checks.ts'
import type { LiveAnswer } from '../checks/live-links.ts'
import type { checkJobs } from '../checks/run.ts'
import { askSpamd, parseEndpoint, type SpamVerdict } from '../checks/spamd.ts'
import type { CheckServices } from '../checks/check.ts'
import type { JobThread } from '../core/job-thread.ts'
import { ownSignal } from '../core/own-signal.ts'
import { messageBlob, type EmailRecord } from '../emails/email.ts'
import type { Details } from './detail.ts'
import type { ReadOptions } from './read-options.ts'
import type { Reader } from '../reading/reader.ts'

/** What others say of a mail: the servers of its links, and a spam filter. */
export interface OutsideAnswers {
  /**
   * Requests each http address of a mail once, at most 100, for at most 30 seconds.
   *
   * @returns By address, in the order of the mail; those that were not asked in time are missing.
   * @throws not_found.
   */
  links(id: string, options?: ReadOptions): Promise<ReadonlyMap<string, LiveAnswer>>
  /**
   * The report of SpamAssassin; null if none is configured, or the message is not written or has more than 1 MB.
   *
   * @throws not_found, and an Error with the reason if it does not answer.
   */
  spam(id: string, options?: ReadOptions): Promise<SpamVerdict | null>
}

interface OutsideDeps {
  reader: Reader
  thread: JobThread<typeof checkJobs>
  /** Default: none; links are then not requested either. */
  services?: CheckServices
  find(id: string): Promise<EmailRecord>
  details: Details
}

export function createOutsideAnswers(deps: OutsideDeps): OutsideAnswers {
  const { reader, thread, services, find, details } = deps
  const withDeadline = (signal?: AbortSignal): AbortSignal =>
    AbortSignal.any([AbortSignal.timeout(maxAskMs), ...(signal ? [ownSignal(signal)] : [])])

  return {
    async links(id, { signal } = {}) {
      const email = await find(id)
      if (!services) return new Map()
      const ask = async (): Promise<ReadonlyMap<string, LiveAnswer>> => {
        const mail = await details.read(email, signal)
        const { html } = mail
        return askLinks({
          mail,
          services,
          facts: () => thread.run('htmlFacts', [html], { size: html.length, signal }),
          signal: withDeadline(signal),
        })
      }
      return details.inTurn([email], ask, signal)
    },
    async spam(id, { signal } = {}) {
      const { message } = await find(id)
      const endpoint = parseEndpoint(services?.spamd ?? '')
      if (!services || !endpoint || !message || message.size_bytes > maxAskedBytes) return null
      const { serviceProblemOf: problemOf } = services
      return reader.bytes(
        messageBlob(id),
        // The reader owns the bytes.
        (bytes) => askSpamd(endpoint, Buffer.from(bytes), { problemOf, signal: withDeadline(signal) }),
        signal,
      )
    },
  }
}

const maxAskMs = 30_000
/** Longer messages are not given to spam filters, which read only the beginning. */
export const maxAskedBytes: number = 1024 * 1024
