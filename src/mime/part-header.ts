import { maxHeaderBytes, readHead } from './headers.ts'

/** The header of a part. */
export interface PartHeader {
  /** The value of the first field of this name (in lower case), unfolded; `""` without one. */
  field(name: string): string
  /** In octets of the message. */
  bodyStart: number
  /** Whether it is longer than what is read of it. */
  isCut: boolean
}

/** More of a part's header is not read. */
const maxPartHeaderBytes = 64 * 1024

/**
 * Reads the header of a part, or of the message itself. That of a part ends at the first line that is no field, if not
 * at an empty one: such a line is the body of a part whose empty line is missing.
 *
 * @param message  Lines end with CRLF or LF.
 */
export function readPartHeader(
  message: Buffer,
  [start, end]: readonly [start: number, end: number],
  isRoot: boolean,
): PartHeader {
  const limit = Math.min(end, start + (isRoot ? maxHeaderBytes : maxPartHeaderBytes))
  const head = readHead(message.subarray(start, limit), !isRoot)
  const names = head.fields.map(([name]) => name.toLowerCase())
  // Text that looks like a field at its beginning, as "Note: x" does.
  const isText = !isRoot && !head.isEnded && !names.some((name) => name.startsWith('content-'))
  const isCut = !isText && start + head.bodyStart === limit && limit < end && !head.isEnded
  return {
    field: (name) => (isText ? '' : (head.fields[names.indexOf(name)]?.[1] ?? '')),
    bodyStart: isText ? start : isCut ? behindEmptyLine(message, limit, end) : start + head.bodyStart,
    isCut,
  }
}

function behindEmptyLine(message: Buffer, from: number, end: number): number {
  const within = message.subarray(0, end)
  const places = [
    ['\n\r\n', 3],
    ['\n\n', 2],
  ] as const
  const found = places.map(([mark, length]) => ({ at: within.indexOf(mark, from), length }))
  const [first] = found.filter(({ at }) => at !== -1).sort((a, b) => a.at - b.at)
  return first ? first.at + first.length : end
}
