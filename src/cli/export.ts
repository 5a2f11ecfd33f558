import type { ListedMail } from '../inbox/types.ts'
import { createWriteStream } from 'node:fs'
import { mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { z } from 'zod'
import { invalidOption, isErrorOf, LocalpostError, quote } from '../core/errors.ts'
import { isId } from '../core/ids.ts'
import { errorsName, exportName } from '../inbox/export.ts'
import type { Output } from './output.ts'
import type { Arguments } from './arguments.ts'
import { connect, readAnswer, reasonOf, type Remote } from './remote.ts'

/**
 * Runs `localpost export`: writes messages of a running Localpost to a ZIP archive or a folder.
 *
 * @returns The exit code: 0 if everything was written, 1 if no mail matches or some messages are damaged.
 * @throws invalid_option for an invalid command line; request_failed if the server does not answer or a file cannot be
 *   written; the errors that the server answers.
 */
export async function runExport(given: Arguments, output: Output): Promise<0 | 1> {
  const { to } = given.own
  if (to === undefined)
    throw invalidOption('export needs --to: --to mails.zip writes an archive, --to mails a folder.')
  const remote = await connect(given, process.env, output)
  const query = given.words.join(' ')
  const { count } = await listPage(remote, query, null, 1)
  if (count === 0) {
    output.error(
      query === '' ? 'There is no mail to export.' : `No mail matches ${quote(query)}; nothing was written.`,
    )
    return 1
  }
  if (/\.zip$/i.test(to)) {
    const archive = await remote.ask(`/dev/inbox/export?${new URLSearchParams({ query }).toString()}`)
    await writeBody(archive, to)
    output.log(`Wrote ${to}, ${(await stat(to)).size} bytes.`)
    return reportMissing(await archiveErrors(to), output)
  }
  const { written, errors } = await writeFolder(remote, query, to)
  output.log(`Wrote ${written} ${written === 1 ? 'message' : 'messages'} to ${to}.`)
  return reportMissing(errors, output)
}

/** Prints which messages are missing. @returns The exit code. */
function reportMissing(errors: readonly string[], output: Output): 0 | 1 {
  if (errors.length === 0) return 0
  for (const line of errors.slice(0, mostLines)) output.error(line)
  if (errors.length > mostLines) output.error(`… and ${errors.length - mostLines} more.`)
  const what = errors.length === 1 ? '1 message is missing' : `${errors.length} messages are missing`
  output.error(`${what}: their bytes cannot be read. \`localpost doctor\` checks the whole data folder.`)
  return 1
}

const mostLines = 100

async function writeFolder(
  remote: Remote,
  query: string,
  folder: string,
): Promise<{ written: number; errors: string[] }> {
  // The names of the files contain subjects.
  await mkdir(folder, { recursive: true, mode: 0o700 })
  let written = 0
  const errors: string[] = []
  for await (const mail of listMails(remote, query)) {
    try {
      await writeBody(await remote.ask(`/dev/inbox/${mail.id}/raw`), join(folder, exportName(mail)))
      written++
    } catch (error) {
      if (isErrorOf(error, 'store_corrupt', 'store_failed'))
        errors.push(`${exportName(mail)}: ${error.message}`)
      // Not written yet, or removed since the list was made.
      else if (!isErrorOf(error, 'message_pending', 'not_found')) throw error
    }
  }
  return { written, errors }
}

/** What an export needs of a mail. */
type ExportedMail = Pick<ListedMail, 'id' | 'subject' | 'size_bytes'>

/** All mails of a running Localpost that match a query, newest first. */
export async function* listMails(remote: Remote, query: string): AsyncGenerator<ExportedMail> {
  for (let cursor: string | null = null; ;) {
    const page: z.output<typeof listSchema> = await listPage(remote, query, cursor, 500)
    yield* page.emails
    cursor = page.cursor
    if (cursor === null) return
  }
}

const listSchema = z.object({
  count: z.number(),
  cursor: z.string().nullable(),
  emails: z.array(
    z.object({
      // Ids become file names, so a value that is not an id could lead out of the folder.
      id: z.string().refine((id) => isId('em', id)),
      subject: z.string(),
      size_bytes: z.number(),
    }),
  ),
})

async function listPage(
  remote: Remote,
  query: string,
  cursor: string | null,
  limit: number,
): Promise<z.output<typeof listSchema>> {
  const wanted = new URLSearchParams({ query, limit: String(limit), ...(cursor !== null && { cursor }) })
  const lacks = 'is not a Localpost: it did not answer with a list of mail.'
  return await readAnswer(remote, listSchema, lacks, `/dev/inbox?${wanted.toString()}`)
}

/** Writes a temporary file and renames it when it is complete. */
async function writeBody(response: Response, path: string): Promise<void> {
  const aside = `${path}.${process.pid}.part`
  try {
    const body = response.body ? Readable.from(response.body) : Readable.from([])
    // Only the owner may read the file, as in the data folder. `wx` never writes through a link.
    await rm(aside, { force: true })
    await pipeline(body, createWriteStream(aside, { flags: 'wx', mode: 0o600 }))
    await rename(aside, path)
  } catch (error) {
    await rm(aside, { force: true })
    const message = `${quote(path)} could not be written (${reasonOf(error)}).`
    throw new LocalpostError('request_failed', message, { cause: error })
  }
}

/**
 * The lines of `errors.txt`, which is the last file of an archive that Localpost made. Empty if there is none.
 *
 * @param path  A ZIP archive without a comment at its end.
 */
async function archiveErrors(path: string): Promise<string[]> {
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
