import { framesOfCaller, withFramesOf } from '../core/caller.ts'
import type { Localpost } from './instance.ts'
import { noteOpened, callSiteOf } from './leak-warning.ts'
import type { LocalpostOptions } from '../options/options.ts'
import { assertRealTicks } from './real-ticks.ts'
import { isTestProcess } from './test-process.ts'

/**
 * Starts a Localpost: a store, an SMTP port that captures everything, and the HTTP interface in process.
 *
 * @param options  By default everything stays in memory, SMTP takes a free port of 127.0.0.1, and nothing listens for
 *   HTTP until `listen`. It keeps the process alive until it is closed; that of a test only with `keepAlive: true`, and
 *   at the end of the process, stderr names the line that started each open instance.
 * @throws invalid_option, port_in_use, listen_failed, or an error of the store (`store_in_use`, `store_corrupt`, …).
 * @example
 * const post = await createLocalpost()
 * await post.emails.send({ from: 'Acme <hi@acme.com>', to: 'ada@example.com', subject: 'Hi', text: 'Hello' })
 * const mail = await post.inbox.waitFor({ to: 'ada@example.com' })
 * await post.close()
 */
export async function createLocalpost(options?: LocalpostOptions): Promise<Localpost> {
  const frames = framesOfCaller(createLocalpost)
  try {
    return await (isTestProcess()
      ? createWithLeakWarning(callSiteOf(createLocalpost), options)
      : open(options, { keepAlive: true }))
  } catch (error) {
    throw withFramesOf(error, frames)
  }
}

/**
 * {@link createLocalpost} in a test, with the line to name in a leak warning: hooks are called by the framework, not by
 * the test file.
 */
export async function createWithLeakWarning(place: string, options?: LocalpostOptions): Promise<Localpost> {
  const closed = noteOpened(place)
  try {
    const post = await createWithoutLeakWarning(options)
    const end = post.close
    const close = (): Promise<void> => {
      closed()
      return end()
    }
    return Object.assign(post, { close, [Symbol.asyncDispose]: close })
  } catch (error) {
    closed()
    throw error
  }
}

/** {@link createLocalpost} in a test, for fixtures, which close what they start. */
export async function createWithoutLeakWarning(options?: LocalpostOptions): Promise<Localpost> {
  return open(options, { keepAlive: false })
}

async function open(options: LocalpostOptions | undefined, defaults: { keepAlive: boolean }) {
  assertRealTicks()
  // Loaded on first use, because most files of a test run import the package without using it.
  const { openLocalpost } = await import('./open.ts')
  return openLocalpost(options, { deliversFrom: 'start', ...defaults })
}
