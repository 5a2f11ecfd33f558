import type { Clock } from '../core/clock.ts'
import { isErrorOf } from '../core/errors.ts'
import { createJobQueue, type JobQueue } from '../core/job-queue.ts'
import { createJobThread } from '../core/job-thread.ts'
import { askChecks } from './ask.ts'
import type { MailCheckOptions } from './options.ts'
import { checkRegistry } from './registry.ts'
import { joinReports } from './report.ts'
import { checkMail } from './run.ts'
import type { CheckedMail, CheckServices, MailKnowledge } from './subject.ts'
import type { CheckReport } from './types.ts'

/** The work of the thread. */
export type CheckJobs = {
  checks: {
    inputs: readonly [
      mail: CheckedMail,
      options: MailCheckOptions,
      given: { knowledge?: MailKnowledge | undefined },
    ]
    result: CheckReport
  }
}

/**
 * Runs all checks of mails. Long mails are checked one after the other in a thread, so that the event loop is not
 * blocked.
 */
export interface MailChecks {
  /**
   * @param options  Checked by `assertCheckOptions`.
   * @throws service_unavailable if too many long mails wait; the signal's reason.
   */
  check(mail: CheckedMail, options: MailCheckOptions, source?: CheckSource): Promise<CheckReport>
  /** Ends the thread. */
  close(): Promise<void>
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
 * @param options.queue  The queue of long mails. Default: a new one.
 * @param options.file  The module of the thread. Default: the built module next to this one.
 */
export function createMailChecks(
  clock: Pick<Clock, 'after'>,
  {
    services,
    queue = createJobQueue(clock, 1, maxWaiting),
    file = new URL('./worker.ts', import.meta.url),
  }: { services?: CheckServices | undefined; queue?: JobQueue; file?: URL } = {},
): MailChecks {
  const thread = createJobThread<CheckJobs>(clock, file, deadlineMs)

  async function inThread(
    mail: CheckedMail,
    options: MailCheckOptions,
    { signal, knowledge }: Pick<CheckSource, 'signal' | 'knowledge'>,
  ): Promise<CheckReport> {
    try {
      const report = await thread.run('checks', [checkedMembers(mail), options, { knowledge }], signal)
      return report ?? checkMail(mail, options, { knowledge })
    } catch (error) {
      if (!isErrorOf(error, 'service_unavailable')) throw error
      return endedReport(options)
    } finally {
      // Ends it: its heap and that of the reading thread together would exceed the memory limit for a large mail.
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
      const [read, asked] = await Promise.all([
        mail.html.length + mail.text.length <= longChars
          ? checkMail(mail, options, { knowledge })
          : inTurn(mail, options, { signal, knowledge }),
        services && askChecks(mail, { ...options, services, clock, raw, records: knowledge, signal, live }),
      ])
      return asked ? joinReports(read, asked) : read
    },
    close: () => thread.close(),
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

/** Mails with shorter bodies take a few milliseconds, less than the start of a thread. */
const longChars = 250_000
const deadlineMs = 20_000
const maxWaiting = 64
const patienceMs = 60_000
