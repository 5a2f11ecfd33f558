import type { Readable } from 'node:stream'
import { codeOf } from './errors.ts'

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
  /** Closes a file that was only read. That does not wait for the disk: the thread pool would only make it slower. */
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
  /** Which file has this name now; null without one. Synchronous, so that nothing runs before the next statement. */
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

/** For `catch`: null for that error; throws others again. */
export function nullAtEnd(error: unknown): null {
  if (codeOf(error) === endCode) return null
  throw error
}

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

/** A folder that this user may not read cannot be synced; it existed before, so its entry is on the disk already. */
export function ignoreNoPermission(error: unknown): void {
  if (codeOf(error) !== 'EACCES' && codeOf(error) !== 'EPERM') throw error
}
