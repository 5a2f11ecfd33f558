import { createZone } from '../domains/zone.ts'
import { readHtmlFacts } from './html-facts.ts'
import type { MailCheckOptions } from './options.ts'
import { checkRegistry } from './registry.ts'
import { readRawFacts } from './raw-facts.ts'
import { toReport, type CheckOutcome } from './report.ts'
import type { CheckedMail, MailKnowledge, CheckInput } from './check.ts'
import type { CheckReport } from './types.ts'

/**
 * Runs the checks on a mail that make no requests.
 *
 * @param options  Checked by `assertCheckOptions`.
 * @param knowledge  Default: no records, and no bytes.
 */
export function checkMail(
  mail: CheckedMail,
  { except = [], clients }: MailCheckOptions = {},
  knowledge: MailKnowledge = noKnowledge,
): CheckReport {
  const { sendingHosts, raw, ...records } = knowledge
  const subject: CheckInput = {
    mail,
    html: readHtmlFacts(mail.html),
    clients: clients && clients.length > 0 ? clients : null,
    dns: { zone: createZone(records), sendingHosts },
    raw,
  }
  const outcomes = checkRegistry.flatMap((row): CheckOutcome[] =>
    'run' in row && !except.includes(row.id) ? [[row, row.run(subject)]] : [],
  )
  return toReport(mail, outcomes)
}

const noKnowledge: MailKnowledge = { records: [], complete: [], sendingHosts: [], raw: null }

/** The checks as work of the thread. */
export const checkJobs: {
  checks: typeof checkMail
  htmlFacts: typeof readHtmlFacts
  rawFacts: typeof readRawFacts
} = { checks: checkMail, htmlFacts: readHtmlFacts, rawFacts: readRawFacts }
