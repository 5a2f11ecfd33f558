import { Readable } from 'node:stream'
import type { CsvError, Info } from 'csv-parse'
import { validationError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import { nextTurn } from '../core/machine.ts'
import { createPacer, forEachSlice } from '../core/slices.ts'
import { checkInput } from '../core/validate.ts'
import type { ContactInput } from './types.ts'
import { contactInputSchema } from './schema.ts'

/** One row of an import: a contact, or why it is not one. */
export type ContactRow = { line: number; contact: ContactInput } | { line: number; message: string }

/**
 * The rows of an import.
 *
 * @param source  An array of contacts, or CSV text with a header line. In CSV, column names are matched leniently
 *   (`Email Address`, `first_name`, `Subscribed`), other columns are ignored, and an empty cell is as if not given.
 * @throws validation_error when it is neither, or the CSV has no column for the address; before the first row.
 */
export async function* readContactRows(source: unknown): AsyncGenerator<ContactRow> {
  if (typeof source === 'string') {
    await assertLines(source)
    yield* readCsv(source)
    return
  }
  if (!Array.isArray(source))
    throw validationError([{ field: 'body', message: 'must be an array of contacts, or CSV text' }])
  if (source.length > maxRows) throw tooManyRows(source.length, 'contacts')
  // Describing an error is slow, and there may be a million wrong contacts.
  const pacer = createPacer()
  for (const [index, value] of source.entries()) {
    if (pacer.due()) await pacer.turn()
    yield toRow(index + 1, value)
  }
}

/** More rows take minutes, and are better imported in pieces. */
const maxRows = 1_000_000

/** Much more than a contact needs. The parser keeps a line as a whole, and is slow with very many columns. */
const maxLineChars = 64 * 1024
/** The header, the rows, and the empty line behind the last line end. */
const maxLines = maxRows + 2

/** This is checked before anything is stored, because an import stores rows while it reads. */
async function assertLines(text: string): Promise<void> {
  let lines = 0
  await forEachSlice(text.matchAll(lineForm), ([line, end = '']) => {
    const length = line.length - end.length
    if (++lines <= maxLines && length > maxLineChars) throw longLine(lines, length)
  })
  if (lines > maxLines) throw tooManyRows(lines, 'lines')
}

/** A line with its end. The last line has none, and is empty in most files. */
const lineForm = /(?<![^\r\n])[^\r\n]*(\r\n?|\n|$)/g

function longLine(line: number, length: number): Error {
  const message = `line ${line} has ${length} characters; a line may have up to ${maxLineChars}`
  return validationError([{ field: 'body', message: `${message}. Check the separators and line ends` }])
}

function tooManyRows(count: number, what: string): Error {
  const message = `has ${count} ${what}; an import takes up to ${maxRows}. Import it in pieces`
  return validationError([{ field: 'body', message }])
}

function toRow(line: number, value: unknown): ContactRow {
  const result = checkInput(contactInputSchema, value)
  if ('value' in result) return { line, contact: result.value }
  return { line, message: result.errors.map(({ field, message }) => `${field}: ${message}`).join('; ') }
}

async function* readCsv(text: string): AsyncGenerator<ContactRow> {
  const faults: ContactRow[] = []
  const { parse } = await import('csv-parse')
  const parser = parse({
    bom: true,
    info: true,
    raw: true,
    relax_column_count: true,
    // Otherwise a stray quote would make one value of all lines up to the next quote.
    relax_quotes: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
    on_skip: (error, raw = '') =>
      void faults.push({ line: firstLine(Number(error?.lines), raw), message: csvFault(error) }),
  })
  let columns: ContactColumn[] | undefined
  const rows: AsyncIterable<CsvRow> = Readable.from(pieces(text)).pipe(parser)
  for await (const { record, info, raw } of rows) {
    yield* faults.splice(0)
    if (!columns) columns = readColumns(record)
    else yield toRow(firstLine(info.lines, raw), toContact(columns, record))
  }
  if (!columns) throw missingHeader('the CSV text has no header line')
  yield* faults
}

function csvFault(error: CsvError | undefined): string {
  if (error?.code !== 'CSV_QUOTE_NOT_CLOSED') return error?.message ?? 'cannot be read'
  return 'a quote is opened here and never closed, so nothing behind it was read; write "" for a quote that is text'
}

interface CsvRow {
  record: string[]
  info: Info
  raw: string
}

// Makes all line ends the same, because the parser counts a quoted CRLF twice. The text is split into small pieces, and
// yields to the event loop after each, so that other work can run even while a quoted cell of many lines is read. No
// piece ends between CR and LF or within a surrogate pair.
async function* pieces(text: string): AsyncGenerator<Buffer> {
  for (let start = 0; start < text.length;) {
    let end = start + pieceLength
    while (/^(?:\r\n|[\ud800-\udbff])/.test(text.slice(end - 1, end + 1))) end++
    yield Buffer.from(text.slice(start, end).replace(/\r\n?/g, '\n'))
    start = end
    await nextTurn()
  }
}

const pieceLength = 64 * 1024

type ContactColumn = keyof ContactInput | undefined

const columnNames: Readonly<Record<string, keyof ContactInput>> = {
  email: 'email',
  emailaddress: 'email',
  mail: 'email',
  firstname: 'first_name',
  givenname: 'first_name',
  lastname: 'last_name',
  surname: 'last_name',
  familyname: 'last_name',
  issubscribed: 'is_subscribed',
  subscribed: 'is_subscribed',
}

function readColumns(header: readonly string[]): ContactColumn[] {
  const columns = header.map((name) => {
    const plain = name.toLowerCase().replace(/[^a-z]/g, '')
    return Object.hasOwn(columnNames, plain) ? columnNames[plain] : undefined
  })
  if (columns.includes('email'))
    return columns.map((column, i) => (columns.indexOf(column) === i ? column : undefined))
  throw missingHeader(`no column is named "email"; the first line is ${quote(header.join(','))}`)
}

function missingHeader(message: string): Error {
  return validationError([
    { field: 'body', message: `${message}. Begin with a line such as "email,first_name,last_name"` },
  ])
}

function toContact(columns: readonly ContactColumn[], cells: readonly string[]): Record<string, unknown> {
  const contact: Record<string, unknown> = { email: '' }
  for (const [i, column] of columns.entries()) {
    const cell = cells[i]?.trim()
    if (column && cell) contact[column] = column === 'is_subscribed' ? toBoolean(cell) : cell
  }
  return contact
}

// Other values stay as they are, and the schema refuses them.
function toBoolean(cell: string): boolean | string {
  if (/^(?:true|1|yes|y)$/i.test(cell)) return true
  return /^(?:false|0|no|n)$/i.test(cell) ? false : cell
}

// The parser reports where a record ends, and includes the line ends around it in its text.
function firstLine(endLine: number, raw: string): number {
  return endLine - (raw.trim().split('\n').length - 1)
}
