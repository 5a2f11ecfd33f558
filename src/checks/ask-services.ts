import { ownSignal } from '../core/own-signal.ts'
import type { Clock } from '../core/clock.ts'
import type { JobThread } from '../core/job-thread.ts'
import { createZone } from '../domains/zone.ts'
import { reasonOf } from '../net/guarded-request.ts'
import type { MailCheckOptions } from './options.ts'
import { checkRegistry } from './registry.ts'
import { toReport } from './report.ts'
import type { checkJobs } from './run.ts'
import type {
  AskInput,
  AskingCheck,
  CheckedMail,
  RegisteredCheck,
  CheckResult,
  CheckServices,
  MailKnowledge,
} from './check.ts'
import type { CheckReport } from './types.ts'

/** The input beside the mail that is checked. */
export interface CheckContext {
  /** Reads the message for external programs; null if it is not composed yet, or has more than 1 MB. Default: null. */
  raw?(): Promise<Uint8Array | null>
  /** Knowledge from outside of the mail, such as DNS records. Default: none. */
  knowledge?: MailKnowledge
  /** Also requests the links and images. Default: false. */
  live?: boolean | undefined
  /** Ends the checks. */
  signal?: AbortSignal | undefined
}

/** Runs the checks that make requests, all at once. A check without an answer reports why; the others are kept. */
export async function askServices(
  mail: CheckedMail,
  { except = [] }: MailCheckOptions,
  { raw = async () => null, knowledge, live = false, signal }: CheckContext,
  deps: { services: CheckServices; thread: JobThread<typeof checkJobs>; clock: Pick<Clock, 'after'> },
): Promise<CheckReport> {
  const { services, thread, clock } = deps
  const seconds = live ? 30 : 10
  const deadline = new AbortController()
  const cancelDeadline = clock.after(seconds * 1000, () =>
    deadline.abort(new Error(`no answer within ${seconds} seconds`)),
  )
  let message: Promise<Uint8Array | null> | undefined
  const asked: AskInput = {
    mail,
    services,
    live,
    zone: createZone(knowledge ?? { records: [], complete: [] }),
    signal: AbortSignal.any(signal ? [ownSignal(signal), deadline.signal] : [deadline.signal]),
    facts: () => thread.run('htmlFacts', [mail.html], { size: mail.html.length, signal }),
    raw: () => (message ??= raw()),
  }
  try {
    const rows = checkRegistry.filter(
      (row): row is RegisteredCheck & AskingCheck => 'ask' in row && !except.includes(row.id),
    )
    const outcomes = await Promise.all(rows.map(async (row) => [row, await answerOf(row, asked)] as const))
    signal?.throwIfAborted()
    return toReport(mail, outcomes)
  } finally {
    cancelDeadline()
  }
}

async function answerOf(row: AskingCheck, asked: AskInput): Promise<CheckResult | string> {
  try {
    return await row.ask(asked)
  } catch (error) {
    return `The check could not be made: ${reasonOf(asked.signal.aborted ? asked.signal.reason : error)}.`
  }
}
