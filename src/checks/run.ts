import { monotonicNow } from '../core/machine.ts'
import { isSteps, paced, type Steps } from '../core/yield.ts'
import { createZone } from '../domains/zone.ts'
import { htmlFactSteps, noFacts } from './html-facts.ts'
import type { MailCheckOptions } from './options.ts'
import { checkRegistry } from './registry.ts'
import { createReport } from './report.ts'
import type { CheckedMail, CheckResult, MailKnowledge, Subject } from './subject.ts'
import type { CheckReport } from './types.ts'

/**
 * Runs the checks on a mail that make no requests. The work yields to the event loop at intervals. A check that takes
 * longer than its budget ends and reports that; the results of the others are kept.
 *
 * @param options  Checked by `assertCheckOptions`.
 * @param given.budgetMs  For each check. Default: 2 seconds.
 * @param given.knowledge  Default: no records, and no bytes.
 * @param given.signal  Ends the checks. @throws its reason.
 */
export async function checkMail(
  mail: CheckedMail,
  options: MailCheckOptions = {},
  {
    budgetMs = 2000,
    knowledge = noKnowledge,
    signal,
  }: {
    budgetMs?: number
    knowledge?: MailKnowledge | undefined
    signal?: AbortSignal | undefined
  } = {},
): Promise<CheckReport> {
  return paced(checkSteps(mail, options, budgetMs, knowledge), signal)
}

function* checkSteps(
  mail: CheckedMail,
  { except = [], clients }: MailCheckOptions,
  budgetMs: number,
  { sendingHosts, raw, ...records }: MailKnowledge,
): Steps<CheckReport> {
  const facts = yield* within(htmlFactSteps(mail.html), budgetMs)
  const dns = { zone: createZone(records), sendingHosts }
  const subject: Subject = {
    mail,
    html: facts ?? noFacts(),
    clients: clients && clients.length > 0 ? clients : null,
    dns,
    raw,
  }
  const report = createReport(mail)
  for (const row of checkRegistry) {
    if (except.includes(row.id) || !('run' in row)) continue
    const made = facts === undefined && readsHtml.has(row.group) ? undefined : row.run(subject)
    const result: CheckResult | undefined = isSteps(made) ? yield* within(made, budgetMs) : made
    report.add(
      row,
      result === undefined ? `The check took longer than ${budgetMs} ms and was ended.` : result,
    )
    yield
  }
  return report.report()
}

/** The groups whose checks read what is in the HTML. */
const readsHtml: ReadonlySet<string> = new Set(['Links and images', 'Accessibility'])

const noKnowledge: MailKnowledge = { records: [], complete: [], sendingHosts: [], raw: null }

/** Runs work with its own time budget. @returns Its result; undefined if it ran out of time. */
function* within<T>(work: Iterator<undefined, T>, budgetMs: number): Generator<undefined, T | undefined> {
  const deadline = monotonicNow() + budgetMs
  for (let steps = 1; ; steps++) {
    const step = work.next()
    if (step.done) return step.value
    // Reading the clock costs more than most steps.
    if ((steps & 15) === 0 && monotonicNow() > deadline) return undefined
    yield
  }
}
