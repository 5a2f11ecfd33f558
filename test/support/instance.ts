import { onTestFinished } from 'vitest'
import {
  createLocalpost,
  type ListenOptions,
  type Localpost,
  type LocalpostOptions,
} from '../../src/index.ts'
import { newPlace, placeOfData } from './adapters.ts'

/** Starts an instance that is closed at the end of the test. */
export async function start(options?: LocalpostOptions): Promise<Localpost> {
  const place = options?.dir === undefined && options?.store === undefined ? placeOfData() : {}
  // On a busy machine the default of three seconds may be too short.
  const post = await createLocalpost({ waitTimeoutMs: 10_000, ...place, ...options })
  onTestFinished(() => post.close())
  return post
}

/**
 * Starts an instance for several tests.
 *
 * @example
 * beforeAll(async () => {
 *   const shared = await startShared()
 *   post = shared.post
 *   return shared.end
 * })
 */
export async function startShared(
  options?: LocalpostOptions,
): Promise<{ post: Localpost; end: () => Promise<void> }> {
  const place = newPlace()
  const post = await createLocalpost({ waitTimeoutMs: 10_000, ...place.options, ...options })
  return {
    post,
    async end() {
      await post.close()
      place.remove()
    },
  }
}

/** Starts an instance and its HTTP server. */
export async function startListening(options?: LocalpostOptions, listen?: ListenOptions): Promise<Localpost> {
  const post = await start(options)
  await post.listen(listen)
  return post
}

/** Starts an instance whose deliveries are tried again soon, unless the options set other delays. */
export const startRetrying = (options?: LocalpostOptions): Promise<Localpost> =>
  start({ ...fastRetries, ...options })

/** Three more tries, 20 ms apart. */
export const fastRetries: LocalpostOptions = { retryDelaysMs: [20, 20, 20] }
