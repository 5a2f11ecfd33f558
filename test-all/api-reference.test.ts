import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { root, run } from './run.ts'

it('docs/api matches the docstrings; `npm run docs` writes it', async () => {
  const out = mkdtempSync(join(tmpdir(), 'localpost-api-'))
  onTestFinished(() => rmSync(out, { recursive: true, force: true }))
  await run(join(root, 'node_modules/.bin/typedoc'), ['--out', out], { cwd: root })
  const files = readdirSync(out)
  expect(readdirSync(join(root, 'docs/api'))).toEqual(files)
  const stale = files.filter(
    (file) => readFileSync(join(out, file), 'utf8') !== readFileSync(join(root, 'docs/api', file), 'utf8'),
  )
  expect(stale).toEqual([])
})
