import fs from 'node:fs'
import { dirname } from 'node:path'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { codeOf } from './errors.ts'
import { dateNow } from './machine.ts'

/**
 * The file system operations of the store. Tests inject faults here. All methods reject with the system's errors.
 * Descriptors are numbers; offsets and lengths are bytes.
 */
export interface Files {
  /**
   * `w` and `w+` create a new file: an existing one is removed, and a link is never followed. Other flags follow links,
   * like openNow: a data folder in which other users could create links is refused at the start, and its owner may have
   * moved a file to another disk.
   */
  open(path: string, flags: string): Promise<number>
  /** Opens for reading at once, so that nothing can happen between choosing a file and holding it. */
  openNow(path: string): number
  close(fd: number): Promise<void>
  /**
   * Closes a file that was only read. This does not wait for the disk, so the thread pool would only make it slower.
   */
  closeNow(fd: number): void
  /** @returns How many bytes were written, which may be fewer than given. */
  write(fd: number, bytes: Uint8Array, at: number): Promise<number>
  /** @returns How many bytes were read: 0 at the end. */
  read(fd: number, into: Uint8Array, at: number): Promise<number>
  /** The bytes from `start` up to `end` (exclusive) as a stream, which closes the descriptor when it is done. */
  stream(fd: number, start: number, end: number): Readable
  /** Makes a file's bytes survive a power loss. */
  sync(fd: number): Promise<void>
  truncate(fd: number, length: number): Promise<void>
  /** A file's length, or null if it does not exist. */
  size(path: string): Promise<number | null>
  /** A whole file, or null if it does not exist. */
  readAll(path: string): Promise<Buffer | null>
  /** The names in a folder; none if it does not exist. */
  list(path: string): Promise<string[]>
  rename(from: string, to: string): Promise<void>
  /** Removes a file, if it exists. */
  remove(path: string): Promise<void>
  /** Removes a folder, if it exists and is empty. */
  removeFolder(path: string): Promise<void>
  /** Creates a folder, and those above it, with access only for this user. @returns Whether it was missing. */
  makeFolder(path: string): Promise<boolean>
  /** Makes the names in a folder survive a power loss. */
  syncFolder(path: string): Promise<void>
  /** Gives a file a second name; EEXIST if that is taken. */
  link(from: string, to: string): Promise<void>
  /**
   * Gives a file a new time of change, which is not the last one.
   *
   * @param file  Its path, or an open descriptor. Windows takes only a path.
   * @param last  In milliseconds, as the new one, which is returned.
   */
  touch(file: string | number, last: number): Promise<number>
  /** A file's time of change, only to be compared with that of the same file; null if it does not exist. */
  touched(path: string): Promise<number | null>
  /**
   * Which file has this name now, and its time of change; null if there is none. Synchronous, so that nothing runs
   * between this check and the code that depends on it.
   */
  stampNow(path: string): Stamp | null
  /** How many bytes this user can still write to the disk of a folder. */
  freeBytes(folder: string): Promise<number>
}

/** See {@link Files.stampNow}. */
export interface Stamp {
  readonly dev: number
  readonly ino: number
  readonly mtimeMs: number
  /** How many names the file has. */
  readonly nlink: number
}

/** The stamp of a file; null also if the file cannot be examined. */
export function stampOf(files: Pick<Files, 'stampNow'>, path: string): Stamp | null {
  try {
    return files.stampNow(path)
  } catch {
    return null
  }
}

/** Whether two stamps are of one file, changed or not. */
export const isSameFile = (one: Stamp | null, other: Stamp): boolean =>
  one !== null && one.dev === other.dev && one.ino === other.ino

/** Whether a file has another name too, as in a copy of the folder made with hard links. Then a write changes both folders. */
export const isShared = (files: Pick<Files, 'stampNow'>, path: string): boolean =>
  (files.stampNow(path)?.nlink ?? 1) > 1

// Above this size, copying would block the event loop.
const atOnceBytes = 256 * 1024

/** The machine's own file system. */
export const nodeFiles: Files = {
  open: (path, flags) => (/^w\+?$/.test(flags) ? openAnew(path, flags) : fsOpen(path, flags, 0o600)),
  openNow: (path) => fs.openSync(path, 'r'),
  close: promisify(fs.close),
  closeNow: (fd) => fs.closeSync(fd),
  write: (fd, bytes, at) =>
    new Promise((resolve, reject) => {
      // This writes to the page cache, which takes a few microseconds. The thread pool would take seventy.
      if (bytes.byteLength <= atOnceBytes) return resolve(fs.writeSync(fd, bytes, 0, bytes.byteLength, at))
      fs.write(fd, bytes, 0, bytes.byteLength, at, (error, taken) => (error ? reject(error) : resolve(taken)))
    }),
  read: (fd, into, at) =>
    new Promise((resolve, reject) => {
      // Nearly always reads from the page cache, which still has what was written a moment ago.
      if (into.byteLength <= atOnceBytes) return resolve(fs.readSync(fd, into, 0, into.byteLength, at))
      fs.read(fd, into, 0, into.byteLength, at, (error, count) => (error ? reject(error) : resolve(count)))
    }),
  stream: (fd, start, end) => fs.createReadStream('', { fd, start, end: end - 1 }),
  sync: promisify(fs.fdatasync),
  truncate: promisify<number, number, void>(fs.ftruncate),
  size: (path) => absentAs(null, async () => (await fs.promises.stat(path)).size, 'ENOTDIR'),
  readAll: (path) => absentAs(null, () => fs.promises.readFile(path), 'ENOTDIR'),
  list: (path) => absentAs([], () => fs.promises.readdir(path), 'ENOTDIR'),
  rename: (from, to) => fs.promises.rename(from, to),
  remove: (path) => absentAs(undefined, () => fs.promises.unlink(path)),
  removeFolder,
  makeFolder: (path) => makeFolder(path),
  async syncFolder(path) {
    // Windows cannot open a folder; its file systems keep names in their journal.
    if (process.platform === 'win32') return
    const fd = await fsOpen(path, 'r', 0)
    try {
      await promisify(fs.fsync)(fd)
    } catch (error) {
      // Some file systems, such as network file systems, do not support this.
      if (!noSyncCodes.has(codeOf(error))) throw error
    } finally {
      await promisify(fs.close)(fd)
    }
  },
  link: (from, to) => fs.promises.link(from, to),
  async touch(file, last) {
    // Every file system keeps an even number of seconds exactly.
    const now = Math.floor(dateNow() / 2000) * 2000
    // A clock may be stopped, or belong to another machine.
    const time = now === last ? now + 2000 : now
    await (typeof file === 'string' ? utimes(file, time / 1000) : futimes(file, time / 1000))
    return time
  },
  // Opens the file: on a network volume that asks the server, while a look-up by name may be answered from a cache.
  touched: (path) =>
    absentAs(null, async () => {
      const file = await fs.promises.open(path)
      try {
        return (await file.stat()).mtimeMs
      } finally {
        await file.close()
      }
    }),
  stampNow: (path) => fs.statSync(path, { throwIfNoEntry: false }) ?? null,
  async freeBytes(folder) {
    const { bavail, bsize } = await fs.promises.statfs(folder)
    return bavail * bsize
  },
}

const utimes = (path: string, seconds: number): Promise<void> => fs.promises.utimes(path, seconds, seconds)
const futimes = promisify<number, number, void>((fd, seconds, done) => fs.futimes(fd, seconds, seconds, done))

const noSyncCodes = new Set(['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'])

/** Opens a file for some work, and closes it afterwards. @param flags  As for `Files.open`. */
export async function withFile<T>(
  files: Pick<Files, 'open' | 'close'>,
  path: string,
  flags: string,
  work: (fd: number) => Promise<T>,
): Promise<T> {
  const fd = await files.open(path, flags)
  try {
    return await work(fd)
  } finally {
    await files.close(fd)
  }
}

/** Writes all the bytes, in as many calls as the system needs: a full disk can take half of them without an error. */
export async function writeWhole(files: Files, fd: number, bytes: Uint8Array, at: number): Promise<void> {
  for (let done = 0; done < bytes.byteLength;) {
    const taken = await files.write(fd, done === 0 ? bytes : bytes.subarray(done), at + done)
    if (taken === 0) throw Object.assign(new Error('the system takes no more bytes'), { code: 'ENOSPC' })
    done += taken
  }
}

/** The code of the error of a file that ends before bytes that must be there. */
export const endCode = 'LOCALPOST_END'

/** Reads bytes that must be there. @throws An error with {@link endCode} where the file ends too early. */
export async function readWhole(files: Files, fd: number, at: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length)
  for (let done = 0; done < length;) {
    const count = await files.read(fd, bytes.subarray(done), at + done)
    if (count === 0) {
      const message = `the file ends at byte ${at + done}, ${length - done} bytes too early`
      throw Object.assign(new Error(message), { code: endCode })
    }
    done += count
  }
  return bytes
}

async function removeFolder(path: string): Promise<void> {
  try {
    await absentAs(undefined, () => fs.promises.rmdir(path))
  } catch (error) {
    if (codeOf(error) !== 'ENOTEMPTY') throw error
  }
}

/**
 * Makes a folder and those above it, one by one, because `recursive` never returns where a file system accepts no folder
 * (`/proc`).
 *
 * @param isAgain  Whether the folder above was just made: then a second ENOENT is the error.
 * @returns Whether the folder is new.
 */
async function makeFolder(path: string, isAgain: boolean = false): Promise<boolean> {
  try {
    await fs.promises.mkdir(path, { mode: 0o700 })
    return true
  } catch (error) {
    const above = dirname(path)
    if (codeOf(error) === 'ENOENT' && above !== path && !isAgain) {
      if (await makeFolder(above)) await nodeFiles.syncFolder(dirname(above)).catch(unreadable)
      return await makeFolder(path, true)
    }
    // Some systems answer this error for a folder that exists.
    const found = await fs.promises.stat(path).catch(() => null)
    if (found?.isDirectory()) return false
    throw error
  }
}

/** A folder that this user may not read cannot be synced; its owner made it long ago. */
export function unreadable(error: unknown): void {
  if (codeOf(error) !== 'EACCES' && codeOf(error) !== 'EPERM') throw error
}

async function openAnew(path: string, flags: string): Promise<number> {
  await absentAs(undefined, () => fs.promises.unlink(path))
  return fsOpen(path, flags.replace('w', 'wx'), 0o600)
}

const fsOpen = promisify<string, string, number, number>(fs.open)

async function absentAs<T>(absent: T, run: () => Promise<T>, alsoAbsent = ''): Promise<T> {
  try {
    return await run()
  } catch (error) {
    const code = codeOf(error)
    if (code === 'ENOENT' || (code !== '' && code === alsoAbsent)) return absent
    throw error
  }
}
