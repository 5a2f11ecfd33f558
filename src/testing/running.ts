import type { Localpost } from '../instance/instance.ts'
import { isConcurrent, keyOf } from './test-context.ts'

/** The instances of the tests that run, each found by its test. */
export interface RunningTests {
  /**
   * A test begins.
   *
   * @param context  What the framework hands to hooks and tests; undefined if it hands over nothing.
   * @param open  Makes the instance of the test, or gives the one that it shares.
   * @throws What `open` throws.
   */
  begin(context: unknown, open: () => Promise<Localpost>): Promise<void>
  /** A test ends. @returns The instances that no test uses any more. */
  end(context: unknown): Localpost[]
  /** The instance of the test that asks. @throws Error if there is none, or if several tests run and the context is missing. */
  find(context: unknown): Localpost
  /** Whether another test runs now, or this one may run beside others. */
  isShared(context: unknown): boolean
}

interface Running {
  post: Localpost | null
  isConcurrent: boolean
  /** Whether nothing identifies the test, so that its key is a symbol. */
  isNameless: boolean
}

export function createRunningTests(): RunningTests {
  /** By what identifies the test, or by a symbol. */
  const running = new Map<unknown, Running>()
  /**
   * How many nameless tests have ended. When as many have ended as have begun, all of them are over. So each must end once:
   * frameworks without a context call afterEach also when beforeEach failed.
   */
  let ended = 0

  /** Concurrent tests without a name cannot be distinguished, so all of them end with the last one. */
  function endNameless(): unknown[] {
    const keys = [...running.keys()].filter((key) => running.get(key)?.isNameless)
    if (++ended < keys.length) return []
    ended = 0
    return keys
  }

  const isShared = (context: unknown): boolean => isConcurrent(context) || running.size > 0

  return {
    isShared,
    async begin(context, open) {
      const name = keyOf(context)
      const key = name ?? Symbol('test')
      if (running.has(key)) throw new Error(severalAtOnce)
      const isNameless = name === undefined
      const test: Running = { post: null, isConcurrent: isConcurrent(context), isNameless }
      running.set(key, test)
      try {
        test.post = await open()
      } catch (error) {
        // A framework that names its tests may not end one that never began.
        if (!isNameless) running.delete(key)
        throw error
      }
    },
    end(context) {
      const key = keyOf(context)
      const keys = key === undefined ? endNameless() : [key]
      const posts = keys.flatMap((one) => running.get(one)?.post ?? [])
      for (const one of keys) running.delete(one)
      return posts
    },
    find(context) {
      const key = keyOf(context)
      const [first, ...others] = running.values()
      if (key === undefined && (others.length > 0 || first?.isConcurrent)) throw new Error(severalAtOnce)
      const test = key === undefined ? first : running.get(key)
      if (test?.post) return test.post
      throw new Error(noneHere)
    },
  }
}

/** The error if no running test has an instance, as in a version of Jest without hooks for concurrent tests. */
export const noneHere: string =
  'There is no instance here: useLocalpost() gives one to each test, from beforeEach to afterEach. For a test that runs without these hooks, start one in the test: const post = await startForTest().'

const severalAtOnce =
  'Several tests run at the same time, and localpost() cannot tell which one asks. Hand over the context of the test, as in test("…", async (t) => { const post = localpost(t) }), or start an instance in the test: const post = await startForTest(). In vitest, the test of localpost/vitest gives each its own: test.concurrent("…", async ({ localpost }) => …).'
