import { randomBytes } from 'node:crypto'
import { basename, dirname } from 'node:path'
import { codeOf } from '../../core/errors.ts'
import { storeFault } from '../io-errors.ts'
import { type Files, type Stamp, stampOf, writeWhole } from '../../core/files.ts'
import type { PidSpace, Processes } from './processes.ts'
import { isSealed, sealed } from '../sealed.ts'
import { isRecord } from '../../core/members.ts'
import { sleep } from '../../core/machine.ts'

export interface Holder {
  readonly pid: number
  /** When the process began, in the format of the system; `""` if the system does not provide it. */
  readonly started: string
  readonly host: string
  readonly space: PidSpace
  /** The folder that the lock was written in; null if it is not known. A copy of the folder is another folder. */
  readonly place: FolderPlace | null
}

export interface LockDeps {
  readonly files: Files
  readonly path: string
  readonly folder: string
  readonly onNotice: (text: string) => void
  /** Default: the machine's. */
  readonly processes?: Processes
}

export type FolderPlace = Pick<Stamp, 'dev' | 'ino'>

/** The identity of this folder; null if the system does not provide it. */
export function folderPlace(files: Pick<Files, 'stampNow'>, folder: string): FolderPlace | null {
  const found = stampOf(files, folder)
  return found && { dev: found.dev, ino: found.ino }
}

/** The text of a new lock file of this process. No two are equal. */
export async function lockText(processes: Processes, place: FolderPlace | null = null): Promise<string> {
  const { pid, host } = processes
  const { boot, namespace } = await processes.pidSpace()
  const started = await processes.startOf(pid)
  const token = randomBytes(8).toString('hex')
  return sealed({ pid, started, host, boot, namespace, ...place, token })
}

/** @returns null if the text is not that of a lock, or was changed. */
export function parseHolder(text: string): Holder | null {
  try {
    const value: unknown = JSON.parse(text)
    if (!isRecord(value) || !isSealed(Buffer.from(text))) return null
    const { pid, started, host, boot, namespace, dev, ino } = value
    if (typeof pid !== 'number' || typeof started !== 'string' || typeof host !== 'string') return null
    if (typeof boot !== 'string' || typeof namespace !== 'string') return null
    const place = typeof dev === 'number' && typeof ino === 'number' ? { dev, ino } : null
    return { pid, started, host, space: { boot, namespace }, place }
  } catch {
    return null
  }
}

/** The guard of a lock: only the process that creates it may remove the lock of an ended one. */
export const guardOf = (path: string): string => `${path}.takeover`

/** The file that replaces the lock when a process closes the folder. */
export const closedMark = (path: string): string => `${path}.closed`

/** Where a file is written that is then linked as a lock or as its guard. */
const newLockPath = (path: string): string => `${path}.${randomBytes(8).toString('hex')}`

/**
 * The names of `newLockPath` for `lock` (`disk/paths.ts`) and for `guardOf` of it. A leftover file is that of a process
 * that was killed.
 */
export const newLockForm: RegExp = /^lock\.(?:takeover\.)?[0-9a-f]{16}$/

/**
 * Creates a lock file with its complete text: it is written under another name, then linked. If the file system has no
 * hard links (FAT, some network and container volumes), it is created empty and then written.
 *
 * @returns false if there is a file already.
 * @throws store_full, store_failed, store_read_only.
 */
export async function createLockFile(files: Files, path: string, text: string): Promise<boolean> {
  const aside = newLockPath(path)
  try {
    if (!(await writeNew(files, aside, text))) return false
    const fault = await linkNew(files, aside, path)
    if (fault === 'no_links') return await writeNew(files, path, text)
    // A network volume may create the link and still report that the name is taken.
    if (fault === 'taken') return (await readLockText(files, path)) === text
    return fault === null
  } catch (error) {
    throw storeFault(error, `Making the lock file ${path}`)
  }
}

/** Links a new file to its final name, and removes the other name. @returns Why it could not be linked; null if it was. */
async function linkNew(
  files: Files,
  aside: string,
  path: string,
): Promise<'taken' | 'removed' | 'no_links' | null> {
  try {
    await files.link(aside, path)
    return null
  } catch (error) {
    const code = codeOf(error)
    if (code === 'EEXIST') return 'taken'
    // Another process removed it as a leftover.
    if (code === 'ENOENT') return 'removed'
    if (noLinkCodes.has(code)) return 'no_links'
    throw error
  } finally {
    await files.remove(aside).catch(() => {})
  }
}

const noLinkCodes = new Set(['EPERM', 'EACCES', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EINVAL', 'UNKNOWN'])

async function writeNew(files: Files, path: string, text: string): Promise<boolean> {
  let fd: number
  try {
    fd = await files.open(path, 'wx')
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
  try {
    await writeWhole(files, fd, Buffer.from(text), 0)
  } catch (error) {
    await files.close(fd).catch(() => {})
    await files.remove(path).catch(() => {})
    throw error
  }
  await files.close(fd)
  return true
}

export type LockReads = Pick<Files, 'readAll' | 'list' | 'touched' | 'stampNow'>

/** A lock file's text, or null if there is none; `""` if a folder or a link to nothing has its name. */
export async function readLockText(
  files: Pick<LockReads, 'readAll' | 'list'>,
  path: string,
): Promise<string | null> {
  try {
    const bytes = await files.readAll(path)
    if (bytes) return bytes.toString()
  } catch (error) {
    if (!noFileCodes.has(codeOf(error))) throw error
  }
  return (await files.list(dirname(path))).includes(basename(path)) ? '' : null
}

const noFileCodes = new Set(['EISDIR', 'ELOOP'])

/** The same, but reads an incomplete text again, because it is written in two steps without hard links. */
export async function readSettled(files: LockReads, path: string): Promise<string | null> {
  const text = await readLockText(files, path)
  if (text === null || parseHolder(text)) return text
  await sleep(settleMs)
  return await readLockText(files, path)
}

const settleMs = 100
