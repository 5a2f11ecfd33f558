import type { Clock } from '../core/clock.ts'
import { isErrorOf } from '../core/errors.ts'
import type { JobQueue } from '../core/job-queue.ts'
import { longBytes, type JobThread } from '../core/job-thread.ts'
import { askChecks } from './ask.ts'
import type { HtmlFacts } from './html-facts.ts'
import type { checkJobs } from './jobs.ts'
import type { MailCheckOptions } from './options.ts'
import { checkRegistry } from './registry.ts'
import { joinReports } from './report.ts'
import { checkMail } from './run.ts'
import type { CheckedMail, CheckServices, MailKnowledge } from './subject.ts'
import type { CheckReport } from './types.ts'

/** Runs all checks of mails. Long mails are checked in the thread, so that the event loop is not blocked. */
export interface MailChecks {
  /**
   * @param options  Checked by `assertCheckOptions`.
   * @throws service_unavailable if too many long mails wait; the signal's reason.
   */
  check(mail: CheckedMail, options: MailCheckOptions, source?: CheckSource): Promise<CheckReport>
}

/** The input beside the mail that is checked. */
export interface CheckSource {
  /** Reads the message for external programs; null if it is not composed yet, or too long. Default: null. */
  raw?(): Promise<Uint8Array | null>
  /** Knowledge from outside of the mail, such as DNS records. Default: none. */
  knowledge?: MailKnowledge
  /** Also requests the links and images. Default: false. */
  live?: boolean | undefined
  /** Ends the checks. */
  signal?: AbortSignal | undefined
}

/**
 * @param options.services  The services to use. Default: none.
 * @param options.queue  Where long mails wait for their turn. Default: only at the thread.
 */
export function createMailChecks(
  thread: JobThread<typeof checkJobs>,
  clock: Pick<Clock, 'after'>,
  {
    services,
    queue = { run: (job) => job() },
  }: { services?: CheckServices | undefined; queue?: JobQueue } = {},
): MailChecks {
  async function inThread(
    mail: CheckedMail,
    options: MailCheckOptions,
    { signal, knowledge }: Pick<CheckSource, 'signal' | 'knowledge'>,
  ): Promise<CheckReport> {
    try {
      return await thread.run('checks', [checkedMembers(mail), options, knowledge], {
        signal,
        deadlineMs,
      })
    } catch (error) {
      if (!isErrorOf(error, 'service_unavailable')) throw error
      return endedReport(options)
    } finally {
      await thread.rest()
    }
  }

  /** The same, when the mails before it are done. */
  async function inTurn(...given: Parameters<typeof inThread>): Promise<CheckReport> {
    const [, , { signal }] = given
    return queue.run(() => inThread(...given), patienceMs, signal)
  }

  return {
    async check(mail, options, { raw = async () => null, signal, knowledge, live } = {}) {
      signal?.throwIfAborted()
      const facts = (): Promise<HtmlFacts> =>
        thread.run('htmlFacts', [mail.html], { size: mail.html.length, signal })
      const [read, asked] = await Promise.all([
        sizeOf(mail) > longBytes
          ? inTurn(mail, options, { signal, knowledge })
          : checkMail(mail, options, knowledge),
        services &&
          askChecks(mail, { ...options, services, clock, raw, facts, records: knowledge, signal, live }),
      ])
      return asked ? joinReports(read, asked) : read
    },
  }
}

/** The report after the thread was ended, because a check took too long or too much memory. */
function endedReport({ except = [] }: MailCheckOptions): CheckReport {
  const message = `The checks of this mail took longer than ${deadlineMs / 1000} seconds or too much memory, and were ended.`
  const checks = checkRegistry
    .filter((row) => 'run' in row && !except.includes(row.id))
    .map(({ id, title, group }) => {
      return { id, title, group, outcome: 'gave_up', severity: null, count: 0, message } as const
    })
  return { findings: [], checks }
}

/** The members that checks read: the others of a mail are not copied to the thread. */
function checkedMembers(mail: CheckedMail): CheckedMail {
  const { type, source, size_bytes, received, envelope, subject, html, text } = mail
  const { headers, links, attachments, dkim, list_unsubscribe, problem } = mail
  const bodies = { subject, html, text, headers, links, attachments }
  return { type, source, size_bytes, received, envelope, ...bodies, dkim, list_unsubscribe, problem }
}

/** In characters. */
function sizeOf({ headers, html, text }: CheckedMail): number {
  return headers.reduce((size, [, value]) => size + value.length, html.length + text.length)
}

const deadlineMs = 20_000
const patienceMs = 60_000
