import type { MailCheckOptions } from './options.ts'
import { checkMail } from './run.ts'
import type { CheckedMail, MailKnowledge } from './subject.ts'
import type { CheckReport } from './types.ts'

/** The checks as work of the thread. */
export const checkJobs = {
  checks: (
    mail: CheckedMail,
    options: MailCheckOptions,
    given: { knowledge?: MailKnowledge | undefined },
  ): CheckReport => checkMail(mail, options, given),
}
