import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Waits until no other process runs a task under the same lock file, then runs a synchronous task.
 * The lock of a process that has ended is taken over.
 */
export function withLock(file, task) {
  mkdirSync(dirname(file), { recursive: true })
  while (!take(file)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
  const release = () => rmSync(file, { force: true })
  // A task that fails may end the process.
  process.once('exit', release)
  try {
    return task()
  } finally {
    process.off('exit', release)
    release()
  }
}

function take(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
    if (!isHeld(file)) rmSync(file, { force: true })
    return false
  }
}

function isHeld(file) {
  try {
    const pid = Number(readFileSync(file, 'utf8'))
    // Between creation and writing the file is empty.
    return pid === 0 || process.kill(pid, 0)
  } catch (error) {
    return error.code === 'EPERM'
  }
}
