import { createNoted } from '../instance/create.ts'
import type { Localpost } from '../instance/instance.ts'
import { nearest } from '../core/suggest.ts'
import { placeOf } from '../instance/leak-warning.ts'
import type { LocalpostOptions } from '../options/options.ts'
import { sayTestProcess } from '../instance/test-process.ts'

/**
 * Starts an instance for a test. It is `createLocalpost` in a test, whatever the framework: it keeps no process
 * alive, and where it is still open at the end, stderr names the line that started it.
 *
 * @param options  Those of `createLocalpost`. Default: in memory, SMTP on a free port, no HTTP port before `listen`.
 * @throws As `createLocalpost`.
 * @example
 * const post = await startForTest()
 * t.after(() => post.close())
 */
export async function startForTest(options?: LocalpostOptions): Promise<Localpost> {
  return createNoted(options, placeOf(startForTest))
}

/** The hooks of a test framework: vitest, Jest, node:test and Mocha have them under these names or similar ones. */
export interface TestHooks {
  beforeEach(run: () => Promise<void>): unknown
  afterEach(run: () => Promise<void>): unknown
  /** With `afterAll`: one instance for the file, emptied before each test. `before` of node:test and Mocha. */
  beforeAll?(run: () => Promise<void>): unknown
  /** `after` of node:test and Mocha. */
  afterAll?(run: () => Promise<void>): unknown
}

/**
 * Gives every test an instance of its own, or with `beforeAll` and `afterAll` the file one that is emptied before each
 * test; it is closed by itself.
 *
 * @returns The instance of the running test; throws outside of one.
 * @throws TypeError where a hook is missing.
 * @example
 * import { afterEach, beforeEach, test } from 'node:test'
 * const localpost = useLocalpost({ beforeEach, afterEach })
 * test('welcomes a new user', async () => {
 *   await signUp('ada@example.com', { smtp: localpost().smtp })
 *   await assertSent(localpost(), { to: 'ada@example.com', subject: /welcome/i })
 * })
 */
export function useLocalpost(hooks: TestHooks, options?: LocalpostOptions): () => Localpost {
  const { beforeAll, afterAll } = readHooks(hooks)
  if (!beforeAll !== !afterAll) {
    const [given, missing] = beforeAll ? ['beforeAll', 'afterAll'] : ['afterAll', 'beforeAll']
    throw new TypeError(
      `useLocalpost() was given ${given} without ${missing}. For one instance of the file hand over both (before and after of node:test are { beforeAll: before, afterAll: after }), for one of each test none of them.`,
    )
  }
  const place = placeOf(useLocalpost)
  let current: Localpost | null = null
  const start = async (): Promise<void> => {
    current = await createNoted(options, place)
  }
  const stop = async (): Promise<void> => {
    const ended = current
    current = null
    await ended?.close()
  }
  if (beforeAll && afterAll) {
    hooks.beforeAll?.(start)
    hooks.beforeEach(async () => current?.reset())
    hooks.afterAll?.(stop)
  } else {
    hooks.beforeEach(start)
    hooks.afterEach(stop)
  }
  return () => {
    if (current) return current
    throw new Error(
      'There is no instance here: useLocalpost() gives one to each test, from beforeEach to afterEach.',
    )
  }
}

// More than the hooks may be handed over, such as the whole of `@jest/globals`.
function readHooks(hooks: TestHooks): TestHooks {
  const given: object = typeof hooks === 'object' && hooks !== null ? hooks : {}
  const isHook = (name: string): boolean => typeof Reflect.get(given, name) === 'function'
  for (const name of isHook('beforeAll') ? ['beforeEach'] : ['beforeEach', 'afterEach']) {
    if (isHook(name)) continue
    const near = nearest(
      name,
      Object.keys(given).filter((key) => !hookNames.has(key)),
    )
    throw new TypeError(
      `useLocalpost() needs ${name}, a hook of the framework, as in useLocalpost({ beforeEach, afterEach }).${near ? ` It was given ${near}.` : ''}`,
    )
  }
  return hooks
}

const hookNames = new Set(['beforeAll', 'beforeEach', 'afterEach', 'afterAll'])

// Whoever imports this runs tests.
sayTestProcess()
