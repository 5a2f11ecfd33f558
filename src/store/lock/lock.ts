import { dirname, join } from 'node:path'
import { LocalpostError } from '../../core/errors.ts'
import type { Files } from '../../core/files.ts'
import { storeFault } from '../io-errors.ts'
import { HeldLock } from './held-lock.ts'
import {
  closedMark,
  createLockFile,
  guardOf,
  type LockDeps,
  type LockReads,
  lockText,
  parseHolder,
  folderPlace,
  readSettled,
  readLockText,
} from './lock-file.ts'
import { isCopied, judgeHolder, lookUp, watchLock, watchMissing } from './judge.ts'
import { type Processes, systemProcesses } from './processes.ts'
import { sleep } from '../../core/machine.ts'

/**
 * Takes the lock of a folder. A holder in the same boot and pid namespace is looked up by its pid. If it has ended, or
 * if another process has its pid now, the lock is taken over at once. Any other holder (in another container or on
 * another machine) must renew its lock; after some seconds without a renewal it is taken over. The same applies to a
 * lock that was copied together with its folder, and to a missing or damaged lock, unless the folder was closed. A
 * running holder notices a lost lock within this time, and stops writing.
 *
 * @throws store_in_use while its holder is running; store_full, store_failed, store_read_only.
 */
export async function takeLock(deps: LockDeps): Promise<HeldLock> {
  const { files, path, folder, processes = systemProcesses } = deps
  const text = await lockText(processes, folderPlace(files, folder))
  let tookOver = false
  for (let tries = 0; tries < maxTries; tries++) {
    // Checked before anything is written: on a full disk a write would fail, even if a running process has the folder.
    const found = await readSettled(files, path)
    if (found === null) {
      if (!tookOver && !(await isClosed(files, path, folder))) {
        if ((await watchMissing(deps)) === 'changed') continue
        tookOver = true
      }
      if (await createLockFile(files, path, text)) return await begin(deps, text, tookOver)
      continue
    }
    if ((await judgeHolder(deps, found)) !== 'gone') continue
    await removeStale(deps, found, text)
    tookOver = true
  }
  const message = `Other processes keep taking the folder ${folder}. Use another folder.`
  throw new LocalpostError('store_in_use', message)
}

/**
 * Finds the holder of the folder, and changes nothing. Takes some seconds if the holder cannot be looked up.
 *
 * @returns null if there is no lock file. `pid` is null if its text cannot be read; `copied` is true if a running
 *   process wrote it in another folder.
 */
export async function readLock(
  files: LockReads,
  path: string,
  processes: Processes = systemProcesses,
): Promise<{ pid: number | null; host: string; lives: boolean; copied: boolean } | null> {
  const text = await readLockText(files, path)
  if (text === null) return null
  const holder = parseHolder(text)
  if (!holder) return { pid: null, host: '', lives: false, copied: false }
  const found = await lookUp(holder, processes)
  const copied = found === 'lives' && isCopied(files, dirname(path), holder)
  const isUnsure = copied || found === 'foreign'
  const lives =
    found !== 'gone' && (!isUnsure || (await watchLock(files, path, text, processes.wait)) !== 'silent')
  return { pid: holder.pid, host: holder.host, lives, copied }
}

const maxTries = 50

/** Whether a folder without a lock is not in use: it was closed, or is new. */
export async function isClosed(files: Pick<Files, 'size'>, path: string, folder: string): Promise<boolean> {
  if ((await files.size(closedMark(path))) !== null) return true
  return (await files.size(join(folder, 'checkpoint.json'))) === null
}

/** Removes the mark before anything is written, so that the folder counts as not closed. */
async function begin(deps: LockDeps, text: string, tookOver: boolean): Promise<HeldLock> {
  const lock = new HeldLock({ ...deps, text, tookOver })
  try {
    await deps.files.remove(closedMark(deps.path))
    return lock
  } catch (error) {
    await lock.release().catch(() => {})
    throw storeFault(error, `Taking the folder ${deps.folder}`)
  }
}

/**
 * Replaces the lock of an ended process by the mark of a closed folder. Only a process that holds the guard may do it.
 * Without the guard, a process that has just read the old lock could remove the new lock of a faster one.
 */
async function removeStale(deps: LockDeps, stale: string, own: string): Promise<void> {
  const { files, path } = deps
  const guard = guardOf(path)
  if (!(await createLockFile(files, guard, own))) return waitForGuard(deps, guard)
  try {
    if ((await readSettled(files, path)) === stale) await files.rename(path, closedMark(path))
  } catch (error) {
    throw storeFault(error, `Taking over the lock file ${path}`)
  } finally {
    await files.remove(guard).catch(() => {})
  }
}

async function waitForGuard({ files, processes }: LockDeps, guard: string): Promise<void> {
  // Its process may have been killed in the few milliseconds that a guard exists.
  const found = await readLock(files, guard, processes)
  if (found && !found.lives) await files.remove(guard)
  else await sleep(guardWaitMs)
}

const guardWaitMs = 20
