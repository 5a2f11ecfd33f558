import { test as baseTest, type TestAPI } from 'vitest'
import type { AccountSettings, TestAccount } from '../testing/account.ts'
import { accountSettingNames, assertKnownOptions, openAccount } from './parts.ts'
import { assertScope, type TestScope, useInTest } from './scope.ts'

/** The fixtures of a test, in addition to vitest's own. */
export interface AccountFixtures {
  /** An account on the server. Removed automatically. */
  localpost: TestAccount
  /** The base URL of the server. */
  localpostUrl: string
}

/** Which tests share an account, and on which server it is opened. */
export interface AccountTestSettings extends AccountSettings {
  /**
   * `file` or `worker`: one for all of them, emptied before each test; a test that runs at the same time as others
   * (`test.concurrent`) fails there, as it would delete their mail. `test`: an account for each test. Default: `file`.
   */
  scope?: TestScope
}

/**
 * Makes a `test` whose fixture `localpost` is an account on a server that runs elsewhere; at the top level of a file or a
 * module. It is removed at the end, also after a test that failed, and by the server if the worker was killed.
 *
 * @throws invalid_option for an unknown setting or scope. Tests fail with the reason where no account can be opened.
 * @example
 * const test = createAccountTest() // the server of LOCALPOST_URL
 * test('welcomes a new user', async ({ localpost }) => {
 *   await signUp('ada@example.com', { smtp: localpost.smtp })
 *   await expect(localpost).toHaveSent({ to: 'ada@example.com', subject: /welcome/i })
 * })
 */
export function createAccountTest(settings?: AccountTestSettings): TestAPI<AccountFixtures> {
  assertKnownOptions(settings, ['scope', ...accountSettingNames], 'createAccountTest()')
  const { scope = 'file', ...account } = settings ?? {}
  assertScope(scope, 'createAccountTest()')
  return baseTest.extend<AccountFixtures & { localpostAccount: TestAccount }>({
    localpostAccount: [
      // oxlint-disable-next-line no-empty-pattern -- vitest reads the names of the fixtures it uses there
      async ({}, use: (account: TestAccount) => Promise<void>) => {
        const opened = await openAccount(account)
        try {
          await use(opened)
        } finally {
          await opened.close()
        }
      },
      { scope },
    ],
    localpost: async ({ localpostAccount, task }, use) =>
      useInTest(
        localpostAccount,
        { task, scope, names: { maker: 'createAccountTest()', what: 'account' } },
        use,
      ),
    localpostUrl: async ({ localpost }, use) => {
      await use(localpost.url)
    },
  })
}
