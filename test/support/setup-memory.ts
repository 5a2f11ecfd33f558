import { constants, accessSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

/** A file system in memory, on Linux. */
const memory = '/dev/shm'

/** More than the temporary files of a project's tests take at any time. */
const neededBytes = 2 * 1024 ** 3

/**
 * Puts the temporary folders of a project into memory if there is room, and removes them at the end of the run. The
 * tests sync thousands of files, which takes long on a disk.
 */
export default function setup(project: TestProject): (() => void) | undefined {
  if (!hasRoom()) return undefined
  removeLeft()
  const folder = mkdtempSync(join(memory, `localpost-tests-${process.pid}-`))
  project.config.env = { ...project.config.env, TMPDIR: folder }
  return () => rmSync(folder, { recursive: true, force: true })
}

/** Removes the folders of runs that were killed, which would take memory until the machine is restarted. */
function removeLeft(): void {
  for (const name of readdirSync(memory)) {
    const [, pid] = /^localpost-tests-(\d+)-/.exec(name) ?? []
    if (pid !== undefined && !isRunning(Number(pid)))
      rmSync(join(memory, name), { recursive: true, force: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: a process of another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

function hasRoom(): boolean {
  try {
    accessSync(memory, constants.W_OK)
    const { bavail, bsize } = statfsSync(memory)
    return bavail * bsize >= neededBytes
  } catch {
    return false
  }
}
