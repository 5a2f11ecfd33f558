import fs from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { codeOf } from './errors.ts'
import { dateNow } from './machine.ts'
import { type Files, ignoreNoPermission } from './files.ts'

// Up to this size bytes are copied at once; more would block the event loop.
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
  size: (path) => absentAs(null, async () => (await fs.promises.stat(path)).size, { orNoFolder: true }),
  readAll: (path) => absentAs(null, () => fs.promises.readFile(path), { orNoFolder: true }),
  list: (path) => absentAs([], () => fs.promises.readdir(path), { orNoFolder: true }),
  rename: (from, to) => fs.promises.rename(from, to),
  remove: (path) => absentAs(undefined, () => fs.promises.unlink(path)),
  async removeFolder(path) {
    try {
      await absentAs(undefined, () => fs.promises.rmdir(path))
    } catch (error) {
      if (codeOf(error) !== 'ENOTEMPTY') throw error
    }
  },
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

/**
 * Makes a folder and those above it, one by one, because `recursive` never returns where a file system accepts no folder
 * (`/proc`).
 *
 * @param hasMadeParent  Whether the folder above was just made: then a second ENOENT is the error.
 * @returns Whether the folder is new.
 */
async function makeFolder(path: string, { hasMadeParent = false } = {}): Promise<boolean> {
  try {
    await fs.promises.mkdir(path, { mode: 0o700 })
    return true
  } catch (error) {
    const above = dirname(path)
    if (codeOf(error) === 'ENOENT' && above !== path && !hasMadeParent) {
      if (await makeFolder(above)) await nodeFiles.syncFolder(dirname(above)).catch(ignoreNoPermission)
      return await makeFolder(path, { hasMadeParent: true })
    }
    // Some systems answer this error for a folder that exists.
    const found = await fs.promises.stat(path).catch(() => null)
    if (found?.isDirectory()) return false
    throw error
  }
}

async function openAnew(path: string, flags: string): Promise<number> {
  await absentAs(undefined, () => fs.promises.unlink(path))
  return fsOpen(path, flags.replace('w', 'wx'), 0o600)
}

const fsOpen = promisify<string, string, number, number>(fs.open)

/** @param options.orNoFolder  Whether a file in place of a folder of the path counts as absent too. */
async function absentAs<T>(absent: T, run: () => Promise<T>, { orNoFolder = false } = {}): Promise<T> {
  try {
    return await run()
  } catch (error) {
    const code = codeOf(error)
    if (code === 'ENOENT' || (orNoFolder && code === 'ENOTDIR')) return absent
    throw error
  }
}
