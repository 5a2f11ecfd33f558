import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'

test('the page is built without a warning, as `npm start` does it', { timeout: 120_000 }, () => {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const outDir = join(temporaryFolder(), 'ui')
  const args = [
    join(root, 'node_modules/vite/bin/vite.js'),
    'build',
    'ui',
    '--outDir',
    outDir,
    '--emptyOutDir',
  ]
  const { stdout, stderr, status } = spawnSync(process.execPath, [...args, '--logLevel', 'warn'], {
    cwd: root,
    encoding: 'utf8',
  })
  expect({ said: stdout + stderr, status }).toEqual({ said: '', status: 0 })
  expect(existsSync(join(outDir, 'index.html'))).toBe(true)
})
