import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createLocalpost, fixedClock, type LocalpostOptions } from '../../src/index.ts'
import { temporaryFolder } from '../support/folder.ts'
import { expectKeptAnswers, keptData } from '../support/kept-data.ts'

test('a folder of an earlier build opens, with the same answers byte for byte', async () => {
  const dir = temporaryFolder()
  cpSync(join(keptData, 'data'), dir, { recursive: true })
  const clock = fixedClock('2026-01-01T00:00:20Z')
  const options: LocalpostOptions = { dir, clock, apiKeys: ['lp_kept'] }
  for (const _ of ['first', 'second']) {
    const post = await createLocalpost(options)
    await expectKeptAnswers(post, 'folder')
    await post.close()
  }
  const post = await createLocalpost(options)
  await post.emails.send({ from: 'hi@acme.test', to: 'gil@example.com', subject: 'New', text: 'x' })
  expect((await post.emails.list()).count).toBe(8)
  await post.close()
}, 60_000)
