import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { promisify } from 'node:util'
import { LocalpostError } from '../../core/errors.ts'
import { codeOf } from '../../core/errors.ts'
import { storeFault } from '../io-errors.ts'
import { type Files, writeWhole } from '../../core/files.ts'
import { isObject } from '../stored.ts'

/** What a lock file says of its holder. */
interface Holder {
  pid: number
  /** When the process began, in the system's own words; `""` where the system does not say. */
  started: string
  host: string
}

/** Looks up processes; replaced in tests. */
export interface Processes {
  readonly pid: number
  readonly host: string
  isAlive(pid: number): boolean
  /** When a process began: equal for the same process, different for a later one with its pid. `""`: not known. */
  startOf(pid: number): Promise<string>
}

export const systemProcesses: Processes = {
  pid: process.pid,
  host: hostname(),
  isAlive(pid) {
    try {
      process.kill(pid, 0)
      return true
    } catch (error) {
      return codeOf(error) === 'EPERM'
    }
  },
  async startOf(pid) {
    try {
      if (process.platform === 'linux') {
        const stat = await readFile(`/proc/${pid}/stat`, 'latin1')
        // The name in the second field may hold spaces and brackets; the fields behind it do not.
        return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
      }
      if (process.platform === 'win32') return ''
      const { stdout } = await promisify(execFile)('ps', ['-o', 'lstart=', '-p', String(pid)])
      return stdout.trim()
    } catch {
      return ''
    }
  },
}

/**
 * Takes the folder for this process. The lock of a process that is gone, or whose pid another process has now, is
 * taken over at once.
 *
 * @returns A function that gives the folder back.
 * @throws store_in_use when its holder lives, or is on another host, where this cannot be seen.
 */
export async function takeLock(
  files: Files,
  path: string,
  folder: string,
  processes: Processes = systemProcesses,
): Promise<() => Promise<void>> {
  const { pid, host } = processes
  const own: Holder = { pid, started: await processes.startOf(pid), host }
  const text = `${JSON.stringify({ ...own, token: randomBytes(8).toString('hex') })}\n`
  for (let tries = 0; tries < maxTries; tries++) {
    if (await create(files, path, text)) {
      return async () => {
        // Somebody may have removed the file by hand, and another process come since.
        if ((await files.readAll(path))?.toString() === text) await files.remove(path)
      }
    }
    const found = await readSettled(files, path)
    if (found === null) continue
    const holder = parseHolder(found)
    if (holder && (await lives(holder, processes))) throw inUse(holder, own, folder, path)
    await removeStale(files, path, found, text, processes)
  }
  throw new LocalpostError(
    'store_in_use',
    `Other processes keep taking the folder ${folder}. Use another folder.`,
  )
}

/**
 * Tells who has the folder, and changes nothing.
 *
 * @returns null where there is no lock file; `pid` is null where it says nothing that can be read.
 */
export async function readLock(
  files: Pick<Files, 'readAll'>,
  path: string,
  processes: Processes = systemProcesses,
): Promise<{ pid: number | null; host: string; lives: boolean } | null> {
  const text = (await files.readAll(path))?.toString()
  if (text === undefined) return null
  const holder = parseHolder(text)
  if (!holder) return { pid: null, host: '', lives: false }
  return { pid: holder.pid, host: holder.host, lives: await lives(holder, processes) }
}

const maxTries = 50

async function create(files: Files, path: string, text: string): Promise<boolean> {
  let fd: number
  try {
    fd = await files.open(path, 'wx')
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw storeFault(error, `Making the lock file ${path}`)
  }
  try {
    await writeWhole(files, fd, Buffer.from(text), 0)
  } catch (error) {
    await files.close(fd).catch(() => {})
    await files.remove(path).catch(() => {})
    throw storeFault(error, `Writing the lock file ${path}`)
  }
  await files.close(fd)
  return true
}

/** The lock's text. One that says nothing yet is looked at again: its maker may be between two steps. */
async function readSettled(files: Files, path: string): Promise<string | null> {
  const read = async (): Promise<string | null> => (await files.readAll(path))?.toString() ?? null
  const text = await read()
  if (text === null || parseHolder(text)) return text
  await new Promise((resolve) => setTimeout(resolve, settleMs))
  return await read()
}

const settleMs = 100

async function lives(holder: Holder, processes: Processes): Promise<boolean> {
  if (holder.host !== processes.host) return true
  if (!processes.isAlive(holder.pid)) return false
  const started = await processes.startOf(holder.pid)
  return started === '' || holder.started === '' || started === holder.started
}

/**
 * Takes a dead process's lock away. Only who holds the guard may: else one who read the dead lock a moment ago would
 * take away the lock that a quicker one has put in its place.
 */
async function removeStale(
  files: Files,
  path: string,
  stale: string,
  own: string,
  processes: Processes,
): Promise<void> {
  const guard = `${path}.takeover`
  if (!(await create(files, guard, own))) return waitForGuard(files, guard, processes)
  try {
    if ((await readSettled(files, path)) === stale) await files.remove(path)
  } catch (error) {
    throw storeFault(error, `Taking over the lock file ${path}`)
  } finally {
    await files.remove(guard).catch(() => {})
  }
}

async function waitForGuard(files: Files, guard: string, processes: Processes): Promise<void> {
  const text = await readSettled(files, guard)
  const holder = text === null ? null : parseHolder(text)
  // Its maker was killed within the few milliseconds that a guard is there.
  if (text !== null && !(holder && (await lives(holder, processes)))) await files.remove(guard)
  else await new Promise((resolve) => setTimeout(resolve, guardWaitMs))
}

const guardWaitMs = 20

function parseHolder(text: string): Holder | null {
  try {
    const value: unknown = JSON.parse(text)
    if (!isObject(value)) return null
    const { pid, started, host } = value
    if (typeof pid !== 'number' || typeof started !== 'string' || typeof host !== 'string') return null
    return { pid, started, host }
  } catch {
    return null
  }
}

function inUse(holder: Holder, own: Holder, folder: string, path: string): LocalpostError {
  if (holder.host !== own.host) {
    const message = `The folder ${folder} is in use by process ${holder.pid} on the host ${JSON.stringify(holder.host)}. Stop that process, or use another folder; if that host is gone, remove ${path}.`
    return new LocalpostError('store_in_use', message)
  }
  const who = holder.pid === own.pid ? `this same process (${holder.pid})` : `process ${holder.pid}`
  return new LocalpostError(
    'store_in_use',
    `The folder ${folder} is in use by ${who}. Stop or close it, or use another folder.`,
  )
}
