import { join } from 'node:path'
import { isShared, writeWhole, type Files } from '../core/files.ts'

/** Bytes in blocks of one size. The owner holds the last one, which still grows. */
export interface TextBlocks {
  readonly count: number
  /** Reads a full block, or its beginning into a shorter buffer; the result is valid until `into` is used again. */
  read(number: number, into: Buffer): Promise<Buffer>
  /** @throws If it cannot be kept, for example because the disk is almost full. Nothing was added. */
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

/** Below this much free space nothing is added to a file that can be rebuilt: the rest is for mail and for removing mail. */
const keptFree = 16 * 1024 * 1024

/** Blocks in memory, for an instance without a folder. */
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
  // A file of another version is not read, nor one that a crash left unfinished.
  for (const name of await files.list(folder))
    if (name.startsWith('mail-') && !known.has(name)) await files.remove(join(folder, name))
  // A file that another folder shares is rebuilt: its process may use it too.
  const isOwn = (await files.size(path)) !== null && !isShared(files, path)
  let fd = await files.open(path, isOwn ? 'r+' : 'w+')
  const giveUp = (): Promise<void> => files.close(fd).catch(() => {})
  let count = 0
  /** @throws If mail would lack the space of this many bytes. */
  const assertRoom = async (bytes: number): Promise<void> => {
    if ((await files.freeBytes(folder)) < bytes + keptFree)
      throw new Error(`The disk of ${folder} has less than ${keptFree / 1024 ** 2} MB of room for mail.`)
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
      return count
    },
    read: (number, into) => fill(into, number * blockBytes),
    async add(block) {
      await assertRoom(block.length)
      await writeWhole(files, fd, block, count * blockBytes)
      count++
    },
    async drop(dropped) {
      await assertRoom((count - dropped) * blockBytes)
      const aside = `${path}.new`
      const next = await files.open(aside, 'w+')
      try {
        const block = Buffer.allocUnsafeSlow(blockBytes)
        for (let number = dropped; number < count; number++)
          await writeWhole(files, next, await blocks.read(number, block), (number - dropped) * blockBytes)
        await files.rename(aside, path)
      } catch (error) {
        await files.close(next).catch(() => {})
        await files.remove(aside).catch(() => {})
        throw error
      }
      await giveUp()
      fd = next
      count -= dropped
    },
    async clear() {
      await files.truncate(fd, 0)
      count = 0
    },
    async close(last) {
      try {
        await assertRoom(last.length)
        await writeWhole(files, fd, last, count * blockBytes)
        await files.truncate(fd, count * blockBytes + last.length)
      } catch {
        // On a full disk, for example. An incomplete file is rebuilt by the next start.
      }
      await giveUp()
    },
    giveUp,
  }
  try {
    const size = (await files.size(path)) ?? 0
    count = Math.floor(size / blockBytes)
    return { blocks, rest: await fill(Buffer.alloc(size % blockBytes), count * blockBytes) }
  } catch (error) {
    await giveUp()
    throw error
  }
}

/** The name of the file of a column. Its number is the version of the format. */
export type DerivedFile = 'mail-text.5' | 'mail-heads.6'

const known: ReadonlySet<string> = new Set<DerivedFile>(['mail-text.5', 'mail-heads.6'])
