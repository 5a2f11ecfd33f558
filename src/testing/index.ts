// Instances for tests
export { startForTest, useLocalpost } from './instances.ts'
export type { TestHooks, UsedLocalpost } from './instances.ts'

// Accounts on a server that runs elsewhere
export { openAccount } from './account.ts'
export type { AccountInbox } from './account-inbox.ts'
export type { AccountSettings, TestAccount } from './account.ts'

// For expect.extend
export { matchers } from './matchers.ts'
export type { MailMatchers, Matchers } from './matchers.ts'

// Without expect
export {
  assertCode,
  assertEvent,
  assertLink,
  assertNoEvent,
  assertNotSent,
  assertNoUnrenderedPlaceholders,
  assertPassesChecks,
  assertSent,
} from './assertions.ts'

// Snapshots without expect
export { mailSnapshot } from './mail-snapshot.ts'

// Types of their arguments
export type { LinkExpectation } from './contents.ts'
export type { EventExpectation } from './event.ts'
export type { CheckOptions } from './expectation.ts'
export type { ChecksExpectation } from './mail-checks.ts'
export type { Inspected } from './received.ts'
export type { MailPictureOptions } from './mail-pictures.ts'
export type { MailSnapshotOptions } from './mail-snapshot.ts'
export type { Outcome, TextPattern } from './outcome.ts'
export type { SentExpectation } from './sent.ts'
