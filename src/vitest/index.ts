import { expect as baseExpect, test as baseTest, type ExpectStatic, type TestAPI } from 'vitest'
import type { Localpost } from '../instance/instance.ts'
import type { LocalpostOptions } from '../options/options.ts'
import type { MailMatchers } from '../testing/matchers.ts'
import { withCallLines } from './lines.ts'
import { assertKnownOptions, createWithoutLeakWarning, matchers, startForTest } from './parts.ts'
import { assertScope, type TestScope, useInTest } from './scope.ts'

declare module 'vitest' {
  // oxlint-disable-next-line typescript/no-explicit-any -- merged with vitest's own, whose parameter it must repeat
  interface Matchers<T = any> extends MailMatchers {}
}

/** The fixtures of a test, in addition to vitest's own. */
export interface LocalpostFixtures {
  /**
   * Options of the instance, for a file or a suite: `test.override({ localpostOptions: { strict: true } })`. Default:
   * those of `createTest`, or none.
   */
  localpostOptions: LocalpostOptions
  /** A running instance. Closed automatically. */
  localpost: Localpost
  /** The base URL of its HTTP server, which listens on a free port once this is used. */
  localpostUrl: string
}

/** Which tests share an instance. */
export interface TestSettings {
  /**
   * `test`: an instance for each test. `file` or `worker`: one for all of them, emptied before each test; a test that
   * runs at the same time as others (`test.concurrent`) fails there, as it would delete their mail. Default: `test`.
   */
  scope?: TestScope
  /** Default: none. */
  options?: LocalpostOptions
}

/**
 * Makes a `test` with the fixture `localpost`; at the top level of a file or a module.
 *
 * @throws invalid_option for an unknown setting or scope; the options are checked when an instance starts.
 * @example
 * const test = createTest({ scope: 'worker', options: { strict: true } })
 */
export function createTest(settings?: TestSettings): TestAPI<LocalpostFixtures> {
  assertKnownOptions(settings, ['scope', 'options'], 'createTest()')
  const { scope = 'test', options = {} } = settings ?? {}
  assertScope(scope, 'createTest()')
  return baseTest.extend<LocalpostFixtures & { localpostInstance: Localpost }>({
    localpostOptions: [
      // A function, since vitest before 4.1 takes a plain value for one of the whole file.
      // oxlint-disable-next-line no-empty-pattern -- vitest reads the names of the fixtures it uses there
      async ({}, use: (options: LocalpostOptions) => Promise<void>) => use(options),
      { scope },
    ],
    localpostInstance: [
      async (
        { localpostOptions }: { localpostOptions: LocalpostOptions },
        use: (post: Localpost) => Promise<void>,
      ) => {
        const post = await createWithoutLeakWarning(localpostOptions)
        try {
          await use(post)
        } finally {
          await post.close()
        }
      },
      { scope },
    ],
    localpost: async ({ localpostInstance, task }, use) =>
      useInTest(localpostInstance, { task, scope, names: { maker: 'createTest()', what: 'instance' } }, use),
    localpostUrl: async ({ localpost }, use) => {
      await use(localpost.url ?? (await localpost.listen()).url)
    },
  })
}

/**
 * Vitest's `test` with a Localpost for each test.
 *
 * @example
 * import { expect, test } from 'localpost/vitest'
 * test('welcomes a new user', async ({ localpost }) => {
 *   await signUp('ada@example.com', { smtp: localpost.smtp })
 *   await expect(localpost).toHaveSent({ to: 'ada@example.com', subject: /welcome/i })
 * })
 */
export const test: TestAPI<LocalpostFixtures> = createTest()

baseExpect.extend(withCallLines(matchers))

/** Vitest's `expect` with the matchers of {@link MailMatchers}, which the import of this module adds. */
export const expect: ExpectStatic = baseExpect

export { createAccountTest } from './account.ts'
export { startForTest }
export type { AccountFixtures, AccountTestSettings } from './account.ts'
export type { TestScope } from './scope.ts'
export type { AccountInbox } from '../testing/account-inbox.ts'
export type { AccountSettings, TestAccount } from '../testing/account.ts'
export type { MailMatchers } from '../testing/matchers.ts'
