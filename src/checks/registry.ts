import { accessibilityChecks } from './accessibility-checks.ts'
import { bimiChecks } from './bimi-checks.ts'
import { clientChecks } from './client-checks.ts'
import { deliveryChecks } from './delivery-checks.ts'
import { formChecks } from './form-checks.ts'
import { headerChecks } from './header-checks.ts'
import { linkChecks } from './link-checks.ts'
import { liveChecks } from './live-checks.ts'
import { messageChecks } from './message-checks.ts'
import { recordChecks } from './record-checks.ts'
import { spamChecks } from './spam-checks.ts'
import type { CheckRow, RegisteredCheck } from './check.ts'

const byGroup: Readonly<Record<RegisteredCheck['group'], readonly CheckRow[]>> = {
  Message: [...messageChecks, ...formChecks],
  'Links and images': [...linkChecks, ...liveChecks],
  Accessibility: accessibilityChecks,
  Deliverability: [...deliveryChecks, ...headerChecks, ...recordChecks, ...bimiChecks, ...spamChecks],
  'Mail clients': clientChecks,
}

/** Every check of a mail. docs/checks.md is written from this table. */
export const checkRegistry: readonly RegisteredCheck[] = Object.entries(byGroup).flatMap(([group, checks]) =>
  checks.map((check) => ({ ...check, group: group as RegisteredCheck['group'] })),
)
