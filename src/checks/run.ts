import { createZone } from '../domains/zone.ts'
import { readHtmlFacts } from './html-facts.ts'
import type { MailCheckOptions } from './options.ts'
import { checkRegistry } from './registry.ts'
import { createReport } from './report.ts'
import type { CheckedMail, MailKnowledge, Subject } from './subject.ts'
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
  const subject: Subject = {
    mail,
    html: readHtmlFacts(mail.html),
    clients: clients && clients.length > 0 ? clients : null,
    dns: { zone: createZone(records), sendingHosts },
    raw,
  }
  const report = createReport(mail)
  for (const row of checkRegistry)
    if ('run' in row && !except.includes(row.id)) report.add(row, row.run(subject))
  return report.report()
}

const noKnowledge: MailKnowledge = { records: [], complete: [], sendingHosts: [], raw: null }
