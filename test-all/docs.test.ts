import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { blocksFor } from '../test/docs/blocks.ts'
import { startForDocs } from '../test/docs/run.ts'
import { root, run } from './run.ts'

it('the Go program of the guides sends a mail', async (context) => {
  // Go is not an npm package: where it is missing, this test is skipped and reported as such.
  const version = await run('go', ['version'], { cwd: root }).catch(() => null)
  if (version === null) context.skip('Go is not on this machine.')
  const [block] = blocksFor('go')
  const { post, adapt } = await startForDocs()
  const dir = mkdtempSync(join(tmpdir(), 'localpost-go-'))
  onTestFinished(async () => {
    await post.close()
    rmSync(dir, { recursive: true, force: true })
  })
  const code = adapt(block?.code ?? '')
  expect(code).toContain(String(post.smtp.port))
  writeFileSync(join(dir, 'main.go'), code)
  await run('go', ['run', 'main.go'], { cwd: dir })
  expect((await post.inbox.waitFor({ subject: 'From Go' })).subject).toBe('From Go')
})
