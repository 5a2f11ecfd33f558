import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { hasPrograms } from './programs.ts'

/**
 * Mounts a small disk in memory for a test.
 *
 * @returns Its folder; null if this user may not mount disks, which is then reported on stderr.
 */
export function smallDisk(bytes: number): string | null {
  if (!hasPrograms('full disks', ['mount'])) return null
  const dir = mkdtempSync(join(tmpdir(), 'localpost-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', dir], { stdio: 'ignore' })
  } catch {
    rmSync(dir, { recursive: true })
    process.stderr.write(`SKIPPED: mounting a disk of ${bytes / 1024 ** 2} MB needs root on Linux.\n`)
    return null
  }
  onTestFinished(() => {
    execFileSync('umount', ['-l', dir])
    rmSync(dir, { recursive: true })
  })
  return dir
}
