import { codeOf, LocalpostError } from '../../core/errors.ts'
import type { Files } from '../../core/files.ts'
import { sleep } from '../../core/machine.ts'
import {
  type Holder,
  type LockDeps,
  type LockReads,
  parseHolder,
  folderPlace,
  readLockText,
} from './lock-file.ts'
import { type Processes, systemProcesses } from './processes.ts'

/**
 * Finds out whether the process that wrote a lock still uses the folder. Takes some seconds if the process cannot be looked up.
 *
 * @returns `changed` if the lock was replaced meanwhile.
 * @throws store_in_use if the process is running.
 */
export async function judgeHolder(deps: LockDeps, found: string): Promise<'gone' | 'changed'> {
  const { files, path, folder, processes = systemProcesses } = deps
  const holder = parseHolder(found)
  if (!holder) {
    await assertNoFolder(deps)
    const who = 'the process that wrote it'
    const why = `The lock ${path} is damaged and does not say who uses the folder ${folder}. Waiting up to ${silence}, because a process may still use it.`
    return await waitForSilence(deps, found, { who, why, conclusion: ended(who) })
  }
  const state = await lookUp(holder, processes)
  if (state === 'gone') return 'gone'
  if (state === 'foreign') {
    const who = `process ${holder.pid} on the host ${JSON.stringify(holder.host)}`
    const why = `The folder ${folder} was last used by ${who}, in another container or on another machine. Waiting up to ${silence} to see whether that process still renews ${path}.`
    return await waitForSilence(deps, found, { who, why, conclusion: ended(who) })
  }
  if (!isCopied(files, folder, holder)) throw heldByProcess(holder, processes, folder)
  const who = `process ${holder.pid}`
  const why = `The lock ${path} was written by ${who} in another folder, so ${folder} seems to be a copy. Waiting up to ${silence} to see whether that process renews this lock too.`
  const conclusion = `${folder} is taken for a copy and opened. It may lack mail that was stored while it was copied: to copy a folder completely, stop Localpost first`
  return await waitForSilence(deps, found, { who, why, conclusion })
}

const ended = (who: string): string => `${who} has ended or writes nothing more. The folder is taken over`

/**
 * Whether a lock was written in another folder, by device and inode. Some file systems change these, so check too that
 * it is not renewed.
 */
export function isCopied(files: Pick<Files, 'stampNow'>, folder: string, { place }: Holder): boolean {
  const here = folderPlace(files, folder)
  return place !== null && here !== null && (place.dev !== here.dev || place.ino !== here.ino)
}

async function assertNoFolder({ files, path, folder }: LockDeps): Promise<void> {
  const error: unknown = await files.readAll(path).catch((reason: unknown) => reason)
  if (codeOf(error) !== 'EISDIR') return
  const message = `${path} is a folder. It has to be a file that says who uses the folder ${folder}. Remove it when no process uses that folder.`
  throw new LocalpostError('store_in_use', message)
}

/** A lock that is not renewed for this long belongs to a process that has ended or no longer writes. */
const silenceMs = 5000
const silence = `${silenceMs / 1000} seconds`

/**
 * Waits to see whether the lock is renewed. A holder that finds its own lock damaged stops writing within that time.
 *
 * @param words  Who holds the lock, why this waits, and what it means if the lock is not renewed.
 */
async function waitForSilence(
  { files, path, folder, onNotice, processes = systemProcesses }: LockDeps,
  found: string,
  { who, why, conclusion }: { who: string; why: string; conclusion: string },
): Promise<'gone' | 'changed'> {
  onNotice(why)
  const watched = await watchLock(files, path, found, processes.wait)
  if (watched === 'replaced') return 'changed'
  if (watched === 'renewed') {
    const message = `The folder ${folder} is in use by ${who}, which renewed its lock just now. Stop that process, or use another folder.`
    throw new LocalpostError('store_in_use', message)
  }
  onNotice(`The lock ${path} was not renewed for ${silence}, so ${conclusion}.`)
  return 'gone'
}

/** Waits as long as a running holder may write without reading its lock, which is missing. */
export async function watchMissing(deps: LockDeps): Promise<'gone' | 'changed'> {
  const { files, path, folder, onNotice, processes = systemProcesses } = deps
  onNotice(
    `The folder ${folder} was not closed, and its lock ${path} is missing. A process that still uses it stops writing now. Waiting ${silence} for that.`,
  )
  if ((await watchLock(files, path, null, processes.wait)) === 'replaced') return 'changed'
  onNotice(`The folder ${folder} is taken over.`)
  return 'gone'
}

/** Whether a holder's process is running; `foreign` if its pid cannot be looked up here. */
export async function lookUp(holder: Holder, processes: Processes): Promise<'lives' | 'gone' | 'foreign'> {
  if (!(await isHere(holder, processes))) return 'foreign'
  if (!processes.isAlive(holder.pid)) return 'gone'
  const started = await processes.startOf(holder.pid)
  return started === '' || holder.started === '' || started === holder.started ? 'lives' : 'gone'
}

/** Whether the holder's pid means the same process here. Two machines or two containers may have the same host name. */
async function isHere({ space }: Holder, processes: Processes): Promise<boolean> {
  const own = await processes.pidSpace()
  return own.boot !== '' && own.boot === space.boot && own.namespace === space.namespace
}

function heldByProcess(holder: Holder, processes: Processes, folder: string): LocalpostError {
  const who = holder.pid === processes.pid ? `this same process (${holder.pid})` : `process ${holder.pid}`
  const message = `The folder ${folder} is in use by ${who}. Stop or close it, or use another folder.`
  return new LocalpostError('store_in_use', message)
}

/**
 * Watches a lock whose holder cannot be looked up. Times of different machines are never compared: the file only has
 * to change while this process looks.
 *
 * @returns `renewed` as soon as its holder renews it, `replaced` if its text changes, `silent` if neither happens.
 */
export async function watchLock(
  files: LockReads,
  path: string,
  text: string | null,
  wait: (ms: number) => Promise<void> = sleep,
): Promise<'renewed' | 'replaced' | 'silent'> {
  const first = await timeOf(files, path)
  // Counted in reads, so that a process that was suspended meanwhile reads again before it decides.
  for (let looks = 0; looks < silenceMs / lookMs; looks++) {
    await wait(lookMs)
    if ((await readLockText(files, path)) !== text) return 'replaced'
    if ((await timeOf(files, path)) !== first) return 'renewed'
  }
  return 'silent'
}

/** If there is a folder instead of the lock file, its time has no meaning. */
function timeOf(files: LockReads, path: string): Promise<number | null> {
  return files.touched(path).catch(() => null)
}

const lookMs = 200
