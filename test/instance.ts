import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createLocalpost, type Localpost, type LocalpostOptions } from '../src/index.ts'

/** Starts an instance that closes when the test ends. */
export async function start(options?: LocalpostOptions): Promise<Localpost> {
  const post = await createLocalpost(options)
  onTestFinished(() => post.close())
  return post
}

/** A folder that goes when the test ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'localpost-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
