import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Builds the page where it is missing or older than its sources. `test/support/setup-build.ts` has mostly done so; this is for
 * a run that was narrowed so that it did not.
 */
export function ensurePage(): void {
  const built = join(root, 'dist/ui/index.html')
  if (existsSync(built) && statSync(built).mtimeMs >= newestOf(join(root, 'ui'))) return
  const vite = join(root, 'node_modules/vite/bin/vite.js')
  execFileSync(process.execPath, [vite, 'build', 'ui', '--logLevel', 'warn'], { cwd: root, stdio: 'inherit' })
}

const root = fileURLToPath(new URL('../../', import.meta.url))

function newestOf(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  return Math.max(...files.map((file) => statSync(join(file.parentPath, file.name)).mtimeMs))
}
