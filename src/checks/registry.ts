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
import type { CheckRow } from './check.ts'

/** Every check of a mail. docs/checks.md is written from this table. */
export const checkRegistry: readonly CheckRow[] = [
  ...messageChecks,
  ...formChecks,
  ...linkChecks,
  ...liveChecks,
  ...accessibilityChecks,
  ...deliveryChecks,
  ...headerChecks,
  ...recordChecks,
  ...bimiChecks,
  ...spamChecks,
  ...clientChecks,
]
