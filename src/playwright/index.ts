import type { TestInfo, TestType } from '@playwright/test'
import type { Inbox } from '../inbox/methods.ts'
import { createWithoutLeakWarning } from '../instance/create.ts'
import type { Localpost } from '../instance/instance.ts'
import type { LocalpostOptions } from '../options/options.ts'
import { handOverMails } from '../report/hand-over.ts'
import type { ReportedTest } from '../report/reported.ts'
import { type AccountSettings, openAccount, type TestAccount } from '../testing/account.ts'

export { withMailMatchers } from './mail-matchers.ts'
export type { AccountInbox } from '../testing/account-inbox.ts'
export type { AccountSettings, TestAccount } from '../testing/account.ts'

/** A listening instance, for a test of Playwright. */
export interface ListeningLocalpost extends Localpost {
  /** Base URL of `/v1`, of the page and of the control API. */
  readonly url: string
  readonly inbox: Inbox
}

/** The fixtures of a test. */
export interface LocalpostFixtures {
  /** The worker's instance, emptied before each test. Closed automatically. */
  localpost: ListeningLocalpost
}

/** The fixture of a worker: one instance, whatever the number of its tests. */
export interface LocalpostWorkerFixtures {
  /** Options of the instance, set by `use` of a project or a file. Default: none. */
  localpostOptions: LocalpostOptions
  /** The instance itself; tests use `localpost` instead. */
  localpostInstance: ListeningLocalpost
}

/**
 * Adds the fixture `localpost` to the `test` of Playwright. A worker has one instance, since Playwright runs the tests
 * of a worker one after the other; each test begins with an empty one. Its HTTP and SMTP ports stay the same while the
 * worker lives, so that the app under test can be started once with `localpost.url` or `localpost.smtp`.
 *
 * @param base  The `test` of `@playwright/test`, which is not imported here, or one that extends it.
 * @example
 * import { test as base } from '@playwright/test'
 * import { withLocalpost } from 'localpost/playwright'
 * const test = withLocalpost(base)
 * test('signs up', async ({ page, localpost }) => {
 *   await page.getByLabel('Email').fill('ada@example.com')
 *   const mail = await localpost.inbox.waitFor({ to: 'ada@example.com' })
 *   await page.goto(mail.links[0].href)
 * })
 */
export function withLocalpost<TestArgs extends object, WorkerArgs extends object>(
  base: TestType<TestArgs, WorkerArgs>,
): TestType<TestArgs & LocalpostFixtures, WorkerArgs & LocalpostWorkerFixtures> {
  return base.extend<LocalpostFixtures, LocalpostWorkerFixtures>(localpostFixtures)
}

/** The fixtures of a test with an account on a server. */
export interface AccountFixtures {
  /** The worker's account, emptied before each test. Removed automatically. */
  localpost: TestAccount
}

/** The fixture of a worker: one account, whatever the number of its tests. */
export interface AccountWorkerFixtures {
  /** The server, set by `use` of a project or a file. Default: that of the variable `LOCALPOST_URL`. */
  localpostServer: AccountSettings
  /** The account itself; tests use `localpost` instead. */
  localpostAccount: TestAccount
}

/**
 * Adds the fixture `localpost` to the `test` of Playwright: an account for each worker, on a server that runs elsewhere.
 * It is emptied before each test and removed at the end of the worker; the server removes it if the worker was killed.
 *
 * @param base  The `test` of `@playwright/test`, which is not imported here, or one that extends it.
 * @example
 * const test = withLocalpostAccount(base)
 * test('signs up', async ({ page, localpost }) => {
 *   await page.getByLabel('Email').fill('ada@example.com')
 *   const mail = await localpost.inbox.waitFor({ to: 'ada@example.com' })
 *   await page.goto(mail.links[0].href)
 * })
 */
export function withLocalpostAccount<TestArgs extends object, WorkerArgs extends object>(
  base: TestType<TestArgs, WorkerArgs>,
): TestType<TestArgs & AccountFixtures, WorkerArgs & AccountWorkerFixtures> {
  return base.extend<AccountFixtures, AccountWorkerFixtures>(accountFixtures)
}

type Use = (account: TestAccount) => Promise<void>

const accountFixtures = {
  localpostServer: [{}, { scope: 'worker', option: true }],
  localpostAccount: [
    async ({ localpostServer }: AccountWorkerFixtures, use: Use) => {
      const account = await openAccount(localpostServer)
      try {
        await use(account)
      } finally {
        await account.close()
      }
    },
    { scope: 'worker' },
  ],
  localpost: async ({ localpostAccount }: AccountWorkerFixtures, use: Use, info?: TestInfo) =>
    useEmptied(localpostAccount, use, info),
} satisfies Parameters<TestType<object, object>['extend']>[0]

/** The fixtures that `withLocalpost` adds, for your own `base.extend`. */
export const localpostFixtures: PlaywrightFixtures = {
  localpostOptions: [{}, { scope: 'worker', option: true }],
  localpostInstance: [
    async ({ localpostOptions }, use) => {
      const post = await createWithoutLeakWarning(localpostOptions)
      try {
        await post.listen()
        assertListening(post)
        await use(post)
      } finally {
        await post.close()
      }
    },
    { scope: 'worker' },
  ],
  localpost: async ({ localpostInstance }, use, info) => useEmptied(localpostInstance, use, info),
}

/** The fixtures in the shape that Playwright's `extend` takes. */
export interface PlaywrightFixtures {
  localpostOptions: [LocalpostOptions, { scope: 'worker'; option: true }]
  localpostInstance: [
    (args: LocalpostWorkerFixtures, use: (post: ListeningLocalpost) => Promise<void>) => Promise<void>,
    { scope: 'worker' },
  ]
  localpost: (
    args: LocalpostWorkerFixtures,
    use: (post: ListeningLocalpost) => Promise<void>,
    /** Of the test that runs. */
    info?: TestInfo,
  ) => Promise<void>
}

/** One test with an instance or account, whose mails then go to the report. */
async function useEmptied<Post extends ListeningLocalpost | TestAccount>(
  post: Post,
  use: (post: Post) => Promise<void>,
  info: TestInfo | undefined,
): Promise<void> {
  await post.reset()
  await use(post)
  if (info) await handOverMails(post, toReported(info))
}

function toReported({ file, titlePath, project, retry }: TestInfo): ReportedTest {
  const name = titlePath.slice(1).join(' > ')
  return { file, name: project.name === '' ? name : `[${project.name}] ${name}`, attempt: retry }
}

function assertListening(post: Localpost): asserts post is ListeningLocalpost {
  if (post.url === null) throw new TypeError('The instance does not listen.')
}
