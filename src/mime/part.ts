import { mediaTypeOf } from './media-types.ts'
import { displayFilename } from './display-filename.ts'
import { textOf } from './headers/octets.ts'
import { maxFields, maxHeaderBytes } from './headers/fields.ts'
import { splitHead, type Head } from './headers/headers.ts'
import { endOfLines } from './headers/line-ends.ts'
import { readParameters } from './headers/parameters.ts'
import type { TransferEncoding } from './transfer.ts'

/** One leaf of a message's MIME tree: a body or an attachment. */
export interface MimePart {
  /** Position among the leaves, from 0, in the order of the message. */
  index: number
  /** A well-formed media type without parameters. */
  content_type: string
  /** The declared charset; null if it is missing or has an invalid form. */
  charset: string | null
  /** The last path segment of the declared name, for display; null if there is no usable name. */
  filename: string | null
  /** Without angle brackets; null without one. */
  content_id: string | null
  disposition: 'attachment' | 'inline'
}

/** A part with the position of its encoded bytes in the message. */
export interface PlacedPart extends MimePart {
  encoding: TransferEncoding
  /** Where its header begins: after the line of a boundary, or 0 for the message itself. */
  headerStart: number
  start: number
  end: number
  /** How the lines of plain text are joined (RFC 3676); null if they stay unchanged. */
  flowed: 'keep-spaces' | 'delete-spaces' | null
}

/** The parsed header of a part, or of the message itself. */
export interface PartHeader {
  /** The position of the body, in octets of the message. */
  bodyStart: number
  /** A well-formed media type. */
  type: string
  parameters: ReadonlyMap<string, string>
  content_id: string | null
  /** Null if the header does not declare it. */
  disposition: MimePart['disposition'] | null
  /** The parameter of Content-Disposition, as written. */
  declaredFilename: string | null
  encoding: TransferEncoding
  /** Descriptions of the header's problems, for people. */
  problems: string[]
}

/** The maximum size of one part's header that is read; the headers of all parts together have a limit in `structure.ts`. */
const maxPartHeaderBytes = 64 * 1024

/**
 * Reads the header of a part, or of the message itself. It ends at an empty line. Where that is missing, it ends at the first
 * line that is not a field, which begins the body; but such a line is skipped if a further field follows.
 *
 * @param message  Lines end with CRLF or LF.
 * @param defaultType  The type of a part that names none.
 */
export function readPartHeader(
  message: Buffer,
  place: readonly [start: number, end: number],
  { isRoot, defaultType }: { isRoot: boolean; defaultType: string },
): PartHeader {
  const head = readFields(message, place, isRoot)
  const { field, bodyStart } = head
  const { type, parameters } = readType(field('content-type'), defaultType)
  const declared = readParameters(field('content-disposition'))
  // The encoding of a multipart has no meaning (RFC 2045 section 6.4).
  const { encoding, problem } = readEncoding(
    type.startsWith('multipart/') ? '' : field('content-transfer-encoding'),
  )
  const problems = [...head.problems, ...(problem === null ? [] : [problem])]
  return {
    bodyStart,
    type,
    parameters,
    content_id: contentIdOf(textOf(field('content-id'))),
    disposition: dispositionOf(declared.value),
    declaredFilename: declared.parameters.get('filename') ?? null,
    encoding,
    problems,
  }
}

/** `field` gives the first field of a name in lower case, as `Head` has its value; `""` without one. */
type PartFields = Pick<PartHeader, 'bodyStart' | 'problems'> & { field(name: string): string }

/** Text is not read as fields. */
function readFields(message: Buffer, [start, end]: readonly [number, number], isRoot: boolean): PartFields {
  const maxBytes = isRoot ? maxHeaderBytes : maxPartHeaderBytes
  const limit = Math.min(end, start + maxBytes)
  const readEnd = limit < end ? endOfLines(message, start, limit) : limit
  const head = splitHead(message.subarray(start, readEnd), isRoot ? 'message' : 'part')
  const names = head.fields.map(([name]) => name.toLowerCase())
  // Text whose beginning looks like a field, such as "Note: x".
  const isText = !isRoot && !head.isEnded && !names.some((name) => name.startsWith('content-'))
  if (isText) return { field: () => '', bodyStart: start, problems: [] }
  const isCut = start + head.bodyStart === readEnd && limit < end && !head.isEnded
  return {
    field: (name: string) => head.fields[names.indexOf(name)]?.[1] ?? '',
    bodyStart: isCut ? afterEmptyLine(message, readEnd, end) : start + head.bodyStart,
    problems: problemsOf(head, isRoot, isCut ? maxBytes : null),
  }
}

/** @param cutAt  After how many bytes the rest of the header was not read; null if all of it was. */
function problemsOf({ fields, skipped }: Head, isRoot: boolean, cutAt: number | null): string[] {
  const subject = isRoot ? 'The header of the message' : 'The header of a part'
  const problems: string[] = []
  if (cutAt !== null)
    problems.push(`${subject} has more than ${cutAt} bytes; the fields after that are not read.`)
  if (fields.length >= maxFields)
    problems.push(`${subject} has ${maxFields} fields or more; those after that are not read.`)
  // The first line of a message in a mailbox (RFC 4155).
  if (skipped !== null && !(isRoot && /^>?From /.test(skipped))) {
    const line = JSON.stringify(textOf(skipped.slice(0, 60)))
    problems.push(`${subject} has a line that is not a header field, and was skipped: ${line}.`)
  }
  return problems
}

function afterEmptyLine(message: Buffer, from: number, end: number): number {
  // The line before may end where the search begins.
  const within = message.subarray(0, end)
  const places = [
    ['\n\r\n', 3],
    ['\n\n', 2],
  ] as const
  const found = places.map(([mark, length]) => ({ at: within.indexOf(mark, from - 1), length }))
  const [first] = found.filter(({ at }) => at !== -1).sort((a, b) => a.at - b.at)
  return first ? first.at + first.length : end
}

/** An invalid type means plain text (RFC 2045 section 5.2). */
function readType(field: string, defaultType: string): Pick<PartHeader, 'type' | 'parameters'> {
  const { value, parameters } = readParameters(field)
  const slash = value.indexOf('/')
  const type =
    slash === -1 ? value : `${value.slice(0, slash).trimEnd()}/${value.slice(slash + 1).trimStart()}`
  if (type === '') return { type: defaultType, parameters }
  return { type: /^[^/\s]+\/[^/\s]+$/.test(type) ? mediaTypeOf(type) : 'text/plain', parameters }
}

/** An unknown disposition is handled as an attachment (RFC 2183 section 2.8). */
function dispositionOf(written: string): PartHeader['disposition'] {
  if (written === '') return null
  return written.toLowerCase() === 'inline' ? 'inline' : 'attachment'
}

/** @returns Without angle brackets; null if there is none. */
export function contentIdOf(field: string): string | null {
  return /<([^<>]{1,500})>/.exec(field)?.[1] ?? /^\s*([^\s<>]{1,500})\s*$/.exec(field)?.[1] ?? null
}

/**
 * By RFC 2045 section 6.4, a part in an unknown encoding is application/octet-stream. Its type is kept here, because an
 * inbox for developers shows what an app sent, and what is wrong with it.
 */
function readEncoding(field: string): { encoding: TransferEncoding; problem: string | null } {
  const { value } = readParameters(field)
  const encoding = encodings.get(value.toLowerCase().replace(/^"|"$/g, ''))
  if (encoding !== undefined) return { encoding, problem: null }
  const name = JSON.stringify(value.slice(0, 60))
  const problem = `The transfer encoding ${name} is unknown; its bytes are shown as they are.`
  return { encoding: 'none', problem }
}

const encodings: ReadonlyMap<string, TransferEncoding> = new Map([
  ['', 'none'],
  ['7bit', 'none'],
  ['8bit', 'none'],
  ['binary', 'none'],
  ['base64', 'base64'],
  ['quoted-printable', 'quoted-printable'],
  ['uuencode', 'uuencode'],
  ['x-uuencode', 'uuencode'],
  ['uue', 'uuencode'],
  ['x-uue', 'uuencode'],
])

/** A part without parts of its own, as its header says. */
export function toPart(
  header: PartHeader,
  at: { index: number; place: readonly [start: number, end: number]; isInRelated: boolean },
): PlacedPart {
  const [headerStart, end] = at.place
  const { type, parameters, content_id, disposition } = header
  // A multipart that cannot be split is shown as text.
  const content_type = type.startsWith('multipart/') ? 'text/plain' : type
  const charset = parameters.get('charset')?.trim().toLowerCase() ?? ''
  return {
    index: at.index,
    content_type,
    charset: /^[\w.:-]{1,40}$/.test(charset) ? charset : null,
    filename: displayFilename(header.declaredFilename ?? parameters.get('name')),
    content_id,
    disposition: disposition ?? (at.isInRelated && content_id !== null ? 'inline' : 'attachment'),
    encoding: header.encoding,
    headerStart,
    start: header.bodyStart,
    end,
    flowed: content_type === 'text/plain' ? flowedOf(parameters) : null,
  }
}

function flowedOf(parameters: ReadonlyMap<string, string>): PlacedPart['flowed'] {
  if (parameters.get('format')?.toLowerCase() !== 'flowed') return null
  return parameters.get('delsp')?.toLowerCase() === 'yes' ? 'delete-spaces' : 'keep-spaces'
}
