// An entry of the build (`scripts/bundle.mjs`): what the fixture takes from the rest. The fixture itself is an ES module,
// since vitest is one; the rest is shared with everything else that loads the package. The fixture must import shared code
// through this file, except types: another import would be bundled into it, as a second copy.
export { createWithoutLeakWarning } from '../instance/create.ts'
export { invalidOption } from '../core/errors.ts'
export { quote } from '../core/quote.ts'
export { assertKnownOptions } from '../core/known-options.ts'
export { handOverMails } from '../report/hand-over.ts'
export { accountSettingNames, openAccount } from '../testing/account.ts'
export { startForTest } from '../testing/instances.ts'
export { framesOfTest } from '../testing/frames.ts'
export { matchers } from '../testing/matchers.ts'
export { vitestTest } from '../testing/vitest-test.ts'
export type { Matchers } from '../testing/matchers.ts'
export type { Outcome } from '../testing/outcome.ts'
