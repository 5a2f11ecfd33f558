import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')

/**
 * Makes the package as another project finds it, without the page: for tests that run the library in a process of its
 * own. Types are left out, which `npm run typecheck` looks at.
 */
export function makePackage(): { dir: string; remove(): void } {
  const dir = mkdtempSync(join(tmpdir(), 'localpost-package-'))
  const script = join(root, 'scripts/build-library.mjs')
  execFileSync(process.execPath, [script, join(dir, 'dist'), '--no-types'], { stdio: ['ignore', 2, 2] })
  copyFileSync(join(root, 'package.json'), join(dir, 'package.json'))
  symlinkSync(join(root, 'node_modules'), join(dir, 'node_modules'))
  return { dir, remove: () => rmSync(dir, { recursive: true, force: true }) }
}
