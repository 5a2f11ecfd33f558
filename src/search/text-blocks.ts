import { join } from 'node:path'
import { isShared, writeWhole, type Files } from '../core/files.ts'

/** Bytes in blocks of one size. The owner holds the last one, which still grows, and makes one call at a time. */
export interface TextBlocks {
  readonly count: number
  /** Reads a full block, or its beginning into a shorter buffer; the result is valid until `into` is used again. */
  read(number: number, into: Buffer): Promise<Buffer>
  /** If this fails, as on a full disk, nothing was added. */
  add(block: Buffer): Promise<void>
  /** Removes the first blocks. If this fails, all of them are still there. */
  drop(dropped: number): Promise<void>
  clear(): Promise<void>
  /** Stores the unfinished block for the next start, and closes the medium. */
  close(last: Buffer): Promise<void>
  /** Closes the medium without changing it. */
  giveUp(): Promise<void>
}

export const blockBytes: number = 1024 * 1024

/** With less free space than this, new blocks wait in memory: the rest of the disk is for mail, and for removing mail. */
const keptFree = 16 * 1024 * 1024
/** How many blocks wait at most. */
const maxWaiting = 64
const unused = Buffer.alloc(0)

const noRoom = (folder: string): Error =>
  new Error(
    `The disk of ${folder} has less than ${keptFree / blockBytes} MiB of room besides the search index.`,
  )

/** Blocks in memory, for an instance without a folder. `read` gives the whole block itself, and does not use the buffer. */
export function memoryBlocks(): TextBlocks {
  let blocks: Buffer[] = []
  return {
    get count() {
      return blocks.length
    },
    read: async (number) => blocks[number] ?? Buffer.alloc(0),
    async add(block) {
      blocks.push(Buffer.from(block))
    },
    async drop(dropped) {
      blocks.splice(0, dropped)
    },
    async clear() {
      blocks = []
    },
    async close() {
      blocks = []
    },
    async giveUp() {},
  }
}

/**
 * Blocks in a file that may be deleted while it is not in use: it is rebuilt. Text in the heap, or in a file that is
 * mapped, would count as memory of the process; what is read in slices of a block stays in the cache of the system.
 *
 * @returns The blocks, and the bytes after the last full one.
 */
export async function openFileBlocks(
  folder: string,
  fileName: DerivedFile,
  files: Files,
): Promise<{ blocks: TextBlocks; rest: Buffer }> {
  await files.makeFolder(folder)
  const path = join(folder, fileName)
  await removeOutdated(folder, files)
  // A file that another folder shares is rebuilt: its process may use it too.
  const isUsable = (await files.size(path)) !== null && !isShared(files, path)
  let fd = await files.open(path, isUsable ? 'r+' : 'w+')
  const giveUp = (): Promise<void> => files.close(fd).catch(() => {})
  /** Number of blocks in the file. All blocks are these and then those in `waiting`. */
  let written = 0
  /** The blocks after them, while the disk has no room for them: until the next `add` or `drop` that finds room. */
  const waiting = memoryBlocks()
  const hasRoom = async (bytes: number): Promise<boolean> => {
    // Some file systems do not say how much is free.
    const free = await files.freeBytes(folder).catch(() => Number.POSITIVE_INFINITY)
    return free >= bytes + keptFree
  }
  const fill = async (into: Buffer, at: number): Promise<Buffer> => {
    for (let done = 0; done < into.length;) {
      const read = await files.read(fd, into.subarray(done), at + done)
      if (read === 0) return into.subarray(0, done)
      done += read
    }
    return into
  }
  const blocks: TextBlocks = {
    get count() {
      return written + waiting.count
    },
    read(number, into) {
      return number < written ? fill(into, number * blockBytes) : waiting.read(number - written, into)
    },
    async add(block) {
      if (!(await hasRoom((waiting.count + 1) * blockBytes))) {
        if (waiting.count === maxWaiting) throw noRoom(folder)
        return await waiting.add(block)
      }
      for (let number = 0; number < waiting.count; number++)
        await writeWhole(files, fd, await waiting.read(number, unused), (written + number) * blockBytes)
      await writeWhole(files, fd, block, blocks.count * blockBytes)
      written = blocks.count + 1
      await waiting.clear()
    },
    async drop(dropped) {
      const left = blocks.count - dropped
      if (!(await hasRoom(left * blockBytes))) throw noRoom(folder)
      const aside = `${path}.new`
      const next = await files.open(aside, 'w+')
      try {
        const block = Buffer.allocUnsafeSlow(blockBytes)
        for (let number = 0; number < left; number++)
          await writeWhole(files, next, await blocks.read(dropped + number, block), number * blockBytes)
        await files.rename(aside, path)
      } catch (error) {
        await files.close(next).catch(() => {})
        await files.remove(aside).catch(() => {})
        throw error
      }
      await giveUp()
      fd = next
      written = left
      await waiting.clear()
    },
    async clear() {
      await files.truncate(fd, 0)
      written = 0
      await waiting.clear()
    },
    async close(last) {
      // What is not in the file is read again by the next start.
      const isKept = waiting.count === 0 && (await hasRoom(last.length))
      try {
        if (isKept) await writeWhole(files, fd, last, written * blockBytes)
        await files.truncate(fd, written * blockBytes + (isKept ? last.length : 0))
      } catch {
        // On a full disk, for example. An incomplete file is rebuilt by the next start.
      }
      await giveUp()
    },
    giveUp,
  }
  try {
    const size = (await files.size(path)) ?? 0
    written = Math.floor(size / blockBytes)
    return { blocks, rest: await fill(Buffer.alloc(size % blockBytes), written * blockBytes) }
  } catch (error) {
    await giveUp()
    throw error
  }
}

/** Removes files of other versions, which are not read, and those that a crash left unfinished. */
async function removeOutdated(folder: string, files: Files): Promise<void> {
  for (const name of await files.list(folder))
    if (name.startsWith('mail-') && !derivedFiles.has(name)) await files.remove(join(folder, name))
}

const fileNames = ['mail-text.5', 'mail-heads.6'] as const
const derivedFiles: ReadonlySet<string> = new Set(fileNames)

/** The name of the file of a column. Its number is the version of the format. */
export type DerivedFile = (typeof fileNames)[number]
