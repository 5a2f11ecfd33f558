import { randomUUID } from 'node:crypto'
import { inject, onTestFinished } from 'vitest'
import {
  createLocalpost,
  type ListenOptions,
  type Localpost,
  type LocalpostOptions,
} from '../../src/index.ts'

/** Starts an instance that is closed at the end of the test. */
export async function start(options?: LocalpostOptions): Promise<Localpost> {
  const place = options?.dir === undefined && options?.store === undefined ? placeOfData() : {}
  // On a busy machine the usual three seconds are short.
  const post = await createLocalpost({ waitTimeoutMs: 10_000, ...place, ...options })
  onTestFinished(() => post.close())
  return post
}

/** Where the data is if a test does not say it: in memory, or in a schema of the database that the tests run on. */
export function placeOfData(): LocalpostOptions {
  const url = inject('database')
  return url === undefined ? {} : { store: `${url}?schema=${`t${randomUUID()}`.replaceAll('-', '_')}` }
}

/** Starts an instance and its HTTP server. */
export async function startListening(options?: LocalpostOptions, listen?: ListenOptions): Promise<Localpost> {
  const post = await start(options)
  await post.listen(listen)
  return post
}

/** Starts an instance whose deliveries are tried again soon, where the options say nothing else. */
export const startRetrying = (options?: LocalpostOptions): Promise<Localpost> =>
  start({ ...fastRetries, ...options })

/** Three more tries, 20 ms apart. */
export const fastRetries: LocalpostOptions = { retryDelaysMs: [20, 20, 20] }
