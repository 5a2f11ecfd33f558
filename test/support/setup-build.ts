import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** Builds dist once before the tests of a project that runs it, if it is stale. */
export default function setup(): void {
  const script = fileURLToPath(new URL('../../scripts/build.mjs', import.meta.url))
  execFileSync(process.execPath, [script, '--if-stale'], { stdio: ['ignore', 'inherit', 'inherit'] })
}
