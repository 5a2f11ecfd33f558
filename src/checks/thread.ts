import { ownSignal } from '../core/own-signal.ts'
import type { Clock } from '../core/clock.ts'
import { isErrorOf } from '../core/errors.ts'
import type { JobQueue } from '../core/job-queue.ts'
import { longBytes, type JobThread } from '../core/job-thread.ts'
import { createZone } from '../domains/zone.ts'
import { reasonOf } from '../net/guarded-request.ts'
import type { MailCheckOptions } from './options.ts'
import { checkRegistry } from './registry.ts'
import { joinReports, toReport } from './report.ts'
import { checkMail, type checkJobs } from './run.ts'
import type { Asked, AskingCheck, CheckedMail, CheckResult, CheckServices, MailKnowledge } from './subject.ts'
import type { CheckReport } from './types.ts'

/**
 * Runs all checks of a mail. Long mails are checked in the thread, so that the event loop is not blocked.
 *
 * @param options  Checked by `assertCheckOptions`.
 * @throws service_unavailable if too many long mails wait; the signal's reason.
 */
export type CheckWholeMail = (
  mail: CheckedMail,
  options: MailCheckOptions,
  source?: CheckSource,
) => Promise<CheckReport>

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
): CheckWholeMail {
  async function inThread(
    mail: CheckedMail,
    options: MailCheckOptions,
    { signal, knowledge }: CheckSource,
  ): Promise<CheckReport> {
    const members = checkedMembers(mail)
    try {
      return await thread.run('checks', [members, options, knowledge], { signal, deadlineMs })
    } catch (error) {
      if (!isErrorOf(error, 'service_unavailable')) throw error
      return endedReport(options)
    } finally {
      await thread.rest()
    }
  }

  /** Runs the checks that make requests, all at once. A check without an answer reports why; the others are kept. */
  async function ask(
    mail: CheckedMail,
    asking: CheckServices,
    { except = [] }: MailCheckOptions,
    { raw = async () => null, knowledge, live = false, signal }: CheckSource,
  ): Promise<CheckReport> {
    const seconds = live ? 30 : 10
    const late = new AbortController()
    const cancelDeadline = clock.after(seconds * 1000, () =>
      late.abort(new Error(`no answer within ${seconds} seconds`)),
    )
    let message: Promise<Uint8Array | null> | undefined
    const asked: Asked = {
      mail,
      services: asking,
      live,
      zone: createZone(knowledge ?? { records: [], complete: [] }),
      signal: AbortSignal.any(signal ? [ownSignal(signal), late.signal] : [late.signal]),
      facts: () => thread.run('htmlFacts', [mail.html], { size: mail.html.length, signal }),
      raw: () => (message ??= raw()),
    }
    try {
      const rows = checkRegistry.filter((row): row is AskingCheck => 'ask' in row && !except.includes(row.id))
      const outcomes = await Promise.all(rows.map(async (row) => [row, await answerOf(row, asked)] as const))
      signal?.throwIfAborted()
      return toReport(mail, outcomes)
    } finally {
      cancelDeadline()
    }
  }

  return async (mail, options, source = {}) => {
    source.signal?.throwIfAborted()
    const [read, asked] = await Promise.all([
      sizeOf(mail) > longBytes
        ? queue.run(() => inThread(mail, options, source), patienceMs, source.signal)
        : checkMail(mail, options, source.knowledge),
      services && ask(mail, services, options, source),
    ])
    return asked ? joinReports(read, asked) : read
  }
}

async function answerOf(row: AskingCheck, asked: Asked): Promise<CheckResult | string> {
  try {
    return await row.ask(asked)
  } catch (error) {
    return `The check could not be made: ${reasonOf(asked.signal.aborted ? asked.signal.reason : error)}.`
  }
}

/** The report after the thread was ended, because a check took too long or too much memory. */
function endedReport({ except = [] }: MailCheckOptions): CheckReport {
  const message = `The checks of this mail took longer than ${deadlineMs / 1000} seconds or too much memory, and were ended.`
  const checks = checkRegistry
    .filter((row) => 'run' in row && !except.includes(row.id))
    .map(({ id, title, group }) => {
      return {
        id,
        title,
        headline: title,
        group,
        outcome: 'gave_up',
        severity: null,
        count: 0,
        message,
      } as const
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
