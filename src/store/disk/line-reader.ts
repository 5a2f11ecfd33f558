import { codeOf, type LocalpostError } from '../../core/errors.ts'
import { type Files, nullAtEnd, readWhole } from '../../core/files.ts'
import { storeFault } from '../io-errors.ts'
import type { Packed } from '../packed.ts'
import type { LineReader, RestingRecord } from '../resting-reader.ts'
import { isRecord } from '../../core/members.ts'
import { parsePlaces } from './entries.ts'
import { missingFile } from './snapshot-refusals.ts'
import { snapshotLines } from './snapshot-lines.ts'
import { damagedAt, parseIntactLine } from './snapshot-text.ts'

export function createLineReader(files: Files): LineReader {
  return {
    async read(pack, rows) {
      const records: (RestingRecord | null)[] = rows.map(() => null)
      let fd: number
      try {
        fd = files.openNow(pack.path)
      } catch (error) {
        if (codeOf(error) === 'ENOENT') return records
        throw storeFault(error, `Reading ${pack.path}`)
      }
      try {
        for (const group of groupsOf(pack, rows)) {
          const { start, end, positions } = group
          const bytes = await readWhole(files, fd, start, end - start).catch(nullAtEnd)
          if (bytes) for (const at of positions) records[at] = toRecord(pack, rows[at] ?? 0, bytes, start)
        }
      } catch (error) {
        throw storeFault(error, `Reading ${pack.path}`)
      } finally {
        letGo(files, fd)
      }
      return records
    },
    async damaged(pack, row): Promise<LocalpostError> {
      const bytes = await files.readAll(pack.path).catch((error: unknown) => {
        throw storeFault(error, `Reading ${pack.path}`)
      })
      if (bytes === null) return missingFile(pack.path)
      let line = 1
      for (const { number, at } of snapshotLines(bytes)) if (at <= pack.at(row)) line = number
      return damagedAt(pack.path, line)
    },
  }
}

/** A part of the file that is read at once, and the positions in `rows` of the lines in it. */
interface Group {
  readonly start: number
  end: number
  readonly positions: number[]
}

/** Lines that are close to each other are read together. */
function groupsOf(pack: Packed, rows: readonly number[]): Group[] {
  const groups: Group[] = []
  const order = [...rows.keys()].sort((a, b) => pack.at(rows[a] ?? 0) - pack.at(rows[b] ?? 0))
  for (const position of order) {
    const row = rows[position] ?? 0
    const start = pack.at(row)
    const end = start + pack.length(row)
    const last = groups.at(-1)
    if (last && start - last.end <= maxGap && end - last.start <= maxAtOnce) {
      last.end = Math.max(last.end, end)
      last.positions.push(position)
    } else groups.push({ start, end, positions: [position] })
  }
  return groups
}

// Reading this much takes a few microseconds. Longer parts are read by another thread.
const maxGap = 8 * 1024
const maxAtOnce = 256 * 1024

function toRecord(pack: Packed, row: number, bytes: Buffer, start: number): RestingRecord | null {
  const at = pack.at(row) - start
  const end = at + pack.length(row)
  const line = parseIntactLine(bytes, at, end)
  if (!line) return null
  const blobs = parsePlaces(line.blobs)
  const { id, version } = line.id === undefined ? headOf(line.text) : line
  // The file may have been replaced, and this place has another record now.
  if (id !== pack.id(row) || typeof version !== 'number' || blobs === undefined) return null
  return { version, text: line.text, blobs }
}

function letGo(files: Files, fd: number): void {
  try {
    files.closeNow(fd)
  } catch {
    // What was read is complete.
  }
}

/** The id and version of a record whose line does not begin with them. */
function headOf(text: string): { id?: unknown; version?: unknown } {
  const record: unknown = JSON.parse(text)
  return isRecord(record) ? record : {}
}
