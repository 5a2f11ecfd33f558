import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A folder that is removed at the end of the test. */
export function temporaryFolder(): string {
  const folder = makeFolder()
  onTestFinished(() => removeFolder(folder))
  return folder
}

/** A folder that the caller removes. */
export const makeFolder = (): string => mkdtempSync(join(tmpdir(), 'localpost-test-'))

export const removeFolder = (folder: string): void => rmSync(folder, { recursive: true, force: true })
