import { framesOfCaller, withFramesOf } from '../core/caller.ts'
import { createWithLeakWarning } from '../instance/create.ts'
import type { Localpost } from '../instance/instance.ts'
import { suggest } from '../core/suggest.ts'
import { callSiteOf } from '../instance/leak-warning.ts'
import type { LocalpostOptions } from '../options/options.ts'
import { declareTestProcess } from '../instance/test-process.ts'
import { handOverMails } from '../report/hand-over.ts'
import { createRunningTests, noneHere } from './running.ts'
import { isConcurrent } from './test-context.ts'
import { vitestTest } from './vitest-test.ts'

// Importing this means that tests run.
declareTestProcess()

/**
 * Starts an instance for a test, in any framework. It is the same as `createLocalpost`, but keeps no process alive, and
 * if it is still open at the end, stderr names the line that started it.
 *
 * @param options  Those of `createLocalpost`. Default: in memory, SMTP on a free port, no HTTP port before `listen`.
 * @throws As `createLocalpost`.
 * @example
 * const post = await startForTest()
 * t.after(() => post.close())
 */
export async function startForTest(options?: LocalpostOptions): Promise<Localpost> {
  const frames = framesOfCaller(startForTest)
  try {
    return await createWithLeakWarning(callSiteOf(startForTest), options)
  } catch (error) {
    throw withFramesOf(error, frames)
  }
}

/** The hooks of a test framework: vitest, Jest, node:test and Mocha have them under these names or similar ones. */
export interface TestHooks {
  beforeEach(run: EachHook): unknown
  afterEach(run: EachHook): unknown
  /** With `afterAll`: one instance for the file, emptied before each test. `before` of node:test and Mocha. */
  beforeAll?(run: () => Promise<void>): unknown
  /** `after` of node:test and Mocha. */
  afterAll?(run: () => Promise<void>): unknown
}

/** Some frameworks hand over the context of the test. */
type EachHook = (...given: unknown[]) => Promise<void>

/**
 * The instance of the running test.
 *
 * @param test  What the framework hands to the test: vitest and node:test its context. Needed where tests run at the
 *   same time (`test.concurrent`, `describe.concurrent`, `{ concurrency: true }`).
 * @throws Error outside of a test, and where tests run at the same time and the context is missing.
 */
export type UsedLocalpost = (test?: unknown) => Localpost

/**
 * Gives every test an instance of its own, or with `beforeAll` and `afterAll` the file one that is emptied before each
 * test; it is closed automatically. The instance of a file refuses tests that run at the same time.
 *
 * @returns Gives the instance of the running test; see {@link UsedLocalpost}.
 * @throws TypeError if a hook is missing.
 * @example
 * import { afterEach, beforeEach, test } from 'node:test'
 * const localpost = useLocalpost({ beforeEach, afterEach })
 * test('welcomes a new user', async () => {
 *   await signUp('ada@example.com', { smtp: localpost().smtp })
 *   await assertSent(localpost(), { to: 'ada@example.com', subject: /welcome/i })
 * })
 */
export function useLocalpost(hooks: TestHooks, options?: LocalpostOptions): UsedLocalpost {
  assertHooks(hooks)
  const place = callSiteOf(useLocalpost)
  return hooks.beforeAll ? useForFile(hooks, options, place) : useForEach(hooks, options, place)
}

function useForEach(hooks: TestHooks, options: LocalpostOptions | undefined, place: string): UsedLocalpost {
  const tests = createRunningTests()
  hooks.beforeEach(hookOf((test) => tests.begin(test, () => createWithLeakWarning(place, options))))
  hooks.afterEach(
    hookOf(async (test) => {
      await Promise.all(
        tests.end(test).map(async (post) => {
          await handOver(post, test)
          await post.close()
        }),
      )
    }),
  )
  return (test) => tests.find(test)
}

function useForFile(hooks: TestHooks, options: LocalpostOptions | undefined, place: string): UsedLocalpost {
  const tests = createRunningTests()
  let shared: Localpost | null = null
  hooks.beforeAll?.(async () => {
    shared = await createWithLeakWarning(place, options)
  })
  hooks.beforeEach(
    hookOf(async (test) => {
      // Asked before `begin`, which counts this test too.
      const isShared = tests.isShared(test)
      await tests.begin(test, async () => {
        // The other test would lose the mail that it looks for.
        if (isShared) throw new Error(oneAfterTheOther)
        if (!shared) throw new Error(noneHere)
        await shared.reset()
        return shared
      })
    }),
  )
  hooks.afterEach(
    hookOf(async (test) => {
      tests.end(test)
      if (shared) await handOver(shared, test)
    }),
  )
  hooks.afterAll?.(async () => {
    const ended = shared
    shared = null
    await ended?.close()
  })
  return (test) => {
    if (isConcurrent(test)) throw new Error(oneAfterTheOther)
    if (!shared) throw new Error(noneHere)
    return shared
  }
}

/** Gives the mails of a test to the reporter, which vitest may have. */
async function handOver(post: Localpost, context: unknown): Promise<void> {
  const test = vitestTest(context)
  if (test) await handOverMails(post, test)
}

const oneAfterTheOther =
  'Tests run at the same time, and useLocalpost() with beforeAll and afterAll gives all of them one instance, which each test would empty while others use it. Without these two hooks, each test has its own instance.'

// Bound: a function with parameters of its own would be taken for one that wants a callback (Jest, Mocha), or names
// fixtures (vitest, which reads its source).
function hookOf(run: (test: unknown) => Promise<void>): EachHook {
  const hook: EachHook = async (...given) => run(given[0])
  return hook.bind(null)
}

// The argument may have other members too, such as all those of `@jest/globals`.
function assertHooks(hooks: TestHooks): void {
  const given: object = typeof hooks === 'object' && hooks !== null ? hooks : {}
  const isHook = (name: string): boolean => typeof Reflect.get(given, name) === 'function'
  for (const name of eachHooks) {
    if (isHook(name)) continue
    const others = Object.keys(given).filter((key) => !hookNames.has(key))
    const near = suggest(name, others)
    throw new TypeError(
      `useLocalpost() needs ${name}, a hook of the framework, as in useLocalpost({ beforeEach, afterEach }).${near ? ` It was given ${near}.` : ''}`,
    )
  }
  const { beforeAll, afterAll } = hooks
  if (!beforeAll === !afterAll) return
  const [one, missing] = beforeAll ? ['beforeAll', 'afterAll'] : ['afterAll', 'beforeAll']
  throw new TypeError(
    `useLocalpost() was given ${one} without ${missing}. For one instance of the file hand over both (before and after of node:test are { beforeAll: before, afterAll: after }), for one of each test none of them.`,
  )
}

const eachHooks = ['beforeEach', 'afterEach'] as const
const hookNames: ReadonlySet<string> = new Set([...eachHooks, 'beforeAll', 'afterAll'])
