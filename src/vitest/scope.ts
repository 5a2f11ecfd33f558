import type { Localpost } from '../instance/instance.ts'
import type { TestAccount } from '../testing/account.ts'
import { handOverMails, invalidOption, quote, vitestTest } from './parts.ts'

/** Which tests share an instance or an account: one test only, all tests of a file, or all tests of a worker. */
export type TestScope = 'test' | 'file' | 'worker'

const scopes: readonly unknown[] = ['test', 'file', 'worker'] satisfies TestScope[]

/** @throws invalid_option. */
export function assertScope(scope: unknown, of: string): void {
  if (scopes.includes(scope)) return
  const message = `Option "scope" of ${of} is ${quote(scope)}; it takes "test", "file" or "worker".`
  throw invalidOption(message)
}

/** The test that runs, and whose fixtures it uses. */
interface RunningTest {
  task: { concurrent?: boolean | undefined }
  scope: TestScope
  /** For messages: what made the test, and what its tests share. */
  names: { maker: string; what: string }
}

/**
 * Gives a test its instance or account, emptied first if tests share it, and passes its mails to the reporter.
 *
 * @throws Error if tests that share it run at the same time.
 */
export async function useInTest<Post extends Localpost | TestAccount>(
  post: Post,
  { task, scope, names: { maker, what } }: RunningTest,
  use: (post: Post) => Promise<void>,
): Promise<void> {
  if (scope !== 'test') {
    if (task.concurrent)
      throw new Error(
        `This test runs at the same time as others, and the scope "${scope}" of ${maker} gives all of them one ${what}, which each test would empty while others use it. Use the scope "test": then each test has its own.`,
      )
    await post.reset()
  }
  await use(post)
  const test = vitestTest({ task })
  if (test) await handOverMails(post, test)
}
