import { linkSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from './folder.ts'

/** A copy of a folder that shares its files, as `cp -al` makes it; removed at the end of the test. */
export function linkedCopyOf(dir: string): string {
  const copy = temporaryFolder()
  const linkAll = (path: string): void => {
    for (const entry of readdirSync(join(dir, path), { withFileTypes: true })) {
      const inner = join(path, entry.name)
      if (entry.isDirectory()) {
        mkdirSync(join(copy, inner), { mode: 0o700 })
        linkAll(inner)
      } else linkSync(join(dir, inner), join(copy, inner))
    }
  }
  linkAll('.')
  return copy
}
