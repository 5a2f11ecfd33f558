import { crc32 } from 'node:zlib'
import { isObject } from '../stored.ts'
import { brace, endOfLine, isLineWhole, recordEnd } from './snapshot-lines.ts'

/** A record of an edited file that does not match its checksum: a person edited it, or it is damaged. */
export interface EditedRecord {
  /** The first line is 1. */
  readonly line: number
  readonly id: string
}

/**
 * The records of a file that do not match their own checksums, or have none.
 *
 * @param sections  The parsed records by collection, each as it is in the file.
 */
export function editedRecords(bytes: Buffer, sections: readonly (readonly unknown[])[]): EditedRecord[] {
  const edited: EditedRecord[] = []
  let lines = 0
  let line = 1
  for (let at = 0; at < bytes.byteLength; line++) {
    const end = endOfLine(bytes, at)
    if (bytes[at] === brace && at > 0) {
      lines++
      const until = recordEnd(bytes, end)
      if (isLineWhole(bytes, at, until) !== true)
        edited.push({ line, id: idIn(bytes.toString('utf8', at, until)) })
    }
    at = end + 1
  }
  const items = sections.flat()
  if (lines === items.length) return edited
  // An editor that formats JSON does not keep one record in a line.
  return items
    .filter((item) => !isWhole(item))
    .map((item) => {
      const id = idOf(item)
      return { line: lineOf(bytes, id), id }
    })
}

const removed = 'Removed records cannot be noticed: compare the file with a copy if you removed none.'

/** Sentences that list the edited records. */
export function editedText(edited: readonly EditedRecord[], limit: number = 20): string {
  if (edited.length === 0) return `Every record in it matches its checksum. ${removed}`
  const names = edited.slice(0, limit).map(({ line, id }) => `line ${line} (${id})`)
  const more = edited.length > limit ? ` and ${edited.length - limit} more` : ''
  return `Records taken as edited: ${edited.length}: ${names.join(', ')}${more}. One that you did not edit is damaged: restore the whole folder from one copy. ${removed}`
}

function idIn(text: string): string {
  try {
    return idOf(JSON.parse(text))
  } catch {
    return ''
  }
}

function idOf(item: unknown): string {
  const { record } = isObject(item) ? item : {}
  return isObject(record) && typeof record.id === 'string' ? record.id : ''
}

/** Whether a parsed line matches its checksum when Localpost writes it again. */
function isWhole(item: unknown): boolean {
  if (!isObject(item) || typeof item.crc !== 'string') return false
  const { crc, ...members } = item
  return crc32(JSON.stringify(members).slice(1)) === Number.parseInt(crc, 16)
}

function lineOf(bytes: Buffer, id: string): number {
  const at = Math.max(bytes.indexOf(JSON.stringify(id)), 0)
  let line = 1
  for (let end = endOfLine(bytes, 0); end < at; end = endOfLine(bytes, end + 1)) line++
  return line
}
