import { accessibilityChecks } from './accessibility-checks.ts'
import { clientChecks } from './client-checks.ts'
import { deliveryChecks } from './delivery-checks.ts'
import { headerChecks } from './header-checks.ts'
import { linkChecks } from './link-checks.ts'
import { messageChecks } from './message-checks.ts'
import { spamChecks } from './spam-checks.ts'
import type { CheckRow } from './subject.ts'

/** Every check of a mail. docs/checks.md is written from this table. */
export const checkRegistry: readonly CheckRow[] = [
  ...messageChecks,
  ...linkChecks,
  ...accessibilityChecks,
  ...deliveryChecks,
  ...headerChecks,
  ...spamChecks,
  ...clientChecks,
]
