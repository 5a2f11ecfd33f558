import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createLocalpost, type Localpost } from '../src/index.ts'
import { root, run } from './run.ts'
import { pythonWith } from './tools.ts'

let post: Localpost
let bin: string
/** A copy of the plugin, because its build leaves files beside it. */
const source = mkdtempSync(join(tmpdir(), 'localpost-pytest-'))

beforeAll(async () => {
  cpSync(join(root, 'integrations/pytest'), source, { recursive: true })
  bin = await pythonWith('pytest-plugin', [
    'pytest==8.4.2',
    'pytest-xdist==3.8.0',
    'setuptools==80.9.0',
    source,
  ])
  post = await createLocalpost({ requireKey: true })
  await post.listen()
})
afterAll(async () => {
  await post?.close()
  rmSync(source, { recursive: true, force: true })
})

it.each([['one process'], ['two workers', '-n', '2']])(
  'the plugin of pytest runs in %s',
  async (_, ...flags) => {
    const env = { LOCALPOST_URL: post.url ?? '', LOCALPOST_API_KEY: post.apiKey }
    const args = ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', ...flags, 'test-all/agents/test_plugin.py']
    expect(await run(join(bin, 'python'), args, { cwd: root, env })).toContain('2 passed')
    // Each worker has removed its account.
    expect((await post.accounts.list()).map(({ name }) => name)).toEqual(['default'])
  },
)
