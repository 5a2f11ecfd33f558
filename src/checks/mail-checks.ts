import type { Clock } from '../core/clock.ts'
import { isErrorOf } from '../core/errors.ts'
import type { JobQueue } from '../core/job-queue.ts'
import { longBytes, type JobThread } from '../core/job-thread.ts'
import { askServices, type CheckContext } from './ask-services.ts'
import { pick } from '../core/pick.ts'
import type { MailCheckOptions } from './options.ts'
import { checkRegistry } from './registry.ts'
import { joinReports, toReport } from './report.ts'
import { checkMail, type checkJobs } from './run.ts'
import type { CheckedMail, CheckServices } from './check.ts'
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
  context?: CheckContext,
) => Promise<CheckReport>

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
    { signal, knowledge }: CheckContext,
  ): Promise<CheckReport> {
    const members = pick(mail, checkedMembers)
    try {
      return await thread.run('checks', [members, options, knowledge], { signal, deadlineMs: jobTimeoutMs })
    } catch (error) {
      // The job was ended, for its time or memory.
      if (!isErrorOf(error, 'service_unavailable')) throw error
      return endedReport(members, options)
    } finally {
      await thread.rest()
    }
  }

  return async (mail, options, context = {}) => {
    context.signal?.throwIfAborted()
    const [read, asked] = await Promise.all([
      charsOf(mail) > longBytes
        ? queue.run(() => inThread(mail, options, context), queueTimeoutMs, context.signal)
        : checkMail(mail, options, context.knowledge),
      services && askServices(mail, options, context, { services, thread, clock }),
    ])
    return asked ? joinReports(read, asked) : read
  }
}

/** The report after the thread was ended, because a check took too long or too much memory. */
function endedReport(mail: CheckedMail, { except = [] }: MailCheckOptions): CheckReport {
  const message = `The checks of this mail took longer than ${jobTimeoutMs / 1000} seconds or too much memory, and were ended.`
  const ended = checkRegistry.filter((row) => 'run' in row && !except.includes(row.id))
  const outcomes = ended.map((row) => [row, message] as const)
  return toReport(mail, outcomes)
}

/** In characters. */
function charsOf({ headers, html, text }: CheckedMail): number {
  return headers.reduce((size, [, value]) => size + value.length, html.length + text.length)
}

/** Those of {@link CheckedMail}: the others of a mail are not copied to the thread. */
const checkedMembers = [
  'type',
  'source',
  'size_bytes',
  'received',
  'envelope',
  'subject',
  'html',
  'text',
  'headers',
  'links',
  'attachments',
  'dkim',
  'list_unsubscribe',
  'problem',
] as const
const jobTimeoutMs = 20_000
const queueTimeoutMs = 60_000
