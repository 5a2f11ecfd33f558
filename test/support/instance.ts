import { onTestFinished } from 'vitest'
import { createLocalpost, type Localpost, type LocalpostOptions } from '../../src/index.ts'

/** Starts an instance that closes when the test ends. */
export async function start(options?: LocalpostOptions): Promise<Localpost> {
  const post = await createLocalpost(options)
  onTestFinished(() => post.close())
  return post
}
