import { open } from 'node:fs/promises'
import { errorsName } from '../inbox/export.ts'

/**
 * The lines of `errors.txt`, which is the last file of an archive that Localpost made. Empty if there is none.
 *
 * @param path  A ZIP archive without a comment at its end.
 */
export async function archiveErrors(path: string): Promise<string[]> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const read = async (at: number, length: number): Promise<Buffer> => {
      const bytes = Buffer.alloc(Math.max(0, Math.min(length, size - at)))
      await file.read(bytes, 0, bytes.length, at)
      return bytes
    }
    const end = await read(Math.max(0, size - endLength), endLength)
    if (end.length < endLength || end.readUInt32LE(0) !== endMark) return []
    const directory = await read(end.readUInt32LE(16), end.readUInt32LE(12))
    const last = directory.lastIndexOf(entryMark)
    if (last < 0 || last + entryLength > directory.length) return []
    const nameEnd = last + entryLength + directory.readUInt16LE(last + 28)
    if (directory.toString('utf8', last + entryLength, nameEnd) !== errorsName) return []
    const at = directory.readUInt32LE(last + 42)
    const head = await read(at, localLength)
    const from = at + localLength + head.readUInt16LE(26) + head.readUInt16LE(28)
    const text = (await read(from, directory.readUInt32LE(last + 20))).toString()
    return text.split('\n').filter((line) => line !== '')
  } finally {
    await file.close()
  }
}

// APPNOTE.TXT of PKWARE, sections 4.3.7, 4.3.12 and 4.3.16.
const endMark = 0x06054b50
const endLength = 22
const entryMark = Buffer.from([0x50, 0x4b, 0x01, 0x02])
const entryLength = 46
const localLength = 30
