import { createWriteStream } from 'node:fs'
import { mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { invalidOption, isErrorOf, LocalpostError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import { errorsFileName, exportFileName } from '../inbox/export.ts'
import type { Output } from './output.ts'
import type { Arguments } from './arguments.ts'
import { listPage, matchingMails } from './mail-list.ts'
import { brokenOff, connect, shortReasonOf, type Remote } from './remote.ts'

/**
 * Runs `localpost export`: writes messages of a running Localpost to a ZIP archive or a folder.
 *
 * @returns The exit code: 0 if everything was written, 1 if no mail matches or some messages are damaged.
 * @throws invalid_option for an invalid command line; request_failed if the server does not answer or a file cannot be
 *   written; the errors that the server answers.
 */
export async function runExport(given: Arguments, output: Output): Promise<0 | 1> {
  const { to } = given.flags
  if (to === undefined)
    throw invalidOption('export needs --to: --to mails.zip writes an archive, --to mails a folder.')
  const remote = await connect(given, process.env, output)
  const query = given.words.join(' ')
  const { count } = await listPage(remote, { query, cursor: null, limit: 1 })
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
    if (!(await listsMissing(to))) return 0
    output.error(
      `Some messages are missing: ${unreadableReason} ${errorsFileName} in the archive lists them.`,
    )
    return 1
  }
  const { written, errors } = await writeFolder(remote, query, to)
  output.log(`Wrote ${written} ${written === 1 ? 'message' : 'messages'} to ${to}.`)
  return reportMissing(errors, output)
}

/** Prints which messages are missing. @returns The exit code. */
function reportMissing(errors: readonly string[], output: Output): 0 | 1 {
  if (errors.length === 0) return 0
  for (const line of errors.slice(0, maxLines)) output.error(line)
  if (errors.length > maxLines) output.error(`… and ${errors.length - maxLines} more.`)
  const what = errors.length === 1 ? '1 message is missing' : `${errors.length} messages are missing`
  output.error(`${what}: ${unreadableReason}`)
  return 1
}

const unreadableReason = 'their bytes cannot be read. `localpost doctor` checks the whole data folder.'

const maxLines = 100

async function writeFolder(
  remote: Remote,
  query: string,
  folder: string,
): Promise<{ written: number; errors: string[] }> {
  // The names of the files contain subjects.
  await mkdir(folder, { recursive: true, mode: 0o700 })
  let written = 0
  const errors: string[] = []
  for await (const mail of matchingMails(remote, query)) {
    try {
      await writeBody(await remote.ask(`/dev/inbox/${mail.id}/raw`), join(folder, exportFileName(mail)))
      written++
    } catch (error) {
      if (isErrorOf(error, 'store_corrupt', 'store_failed'))
        errors.push(`${exportFileName(mail)}: ${error.message}`)
      // Not written yet, or removed since the list was made.
      else if (!isErrorOf(error, 'message_pending', 'not_found')) throw error
    }
  }
  return { written, errors }
}

/** Writes a temporary file and renames it when it is complete. */
async function writeBody(response: Response, path: string): Promise<void> {
  const aside = `${path}.${process.pid}.part`
  try {
    // Only the owner may read the file, as in the data folder. `wx` never writes through a link.
    await rm(aside, { force: true })
    await pipeline(bytesOf(response), createWriteStream(aside, { flags: 'wx', mode: 0o600 }))
    await rename(aside, path)
  } catch (error) {
    await rm(aside, { force: true })
    if (error instanceof LocalpostError) throw error
    const message = `${quote(path)} could not be written (${shortReasonOf(error)}).`
    throw new LocalpostError('request_failed', message, { cause: error })
  }
}

async function* bytesOf({ body }: Response): AsyncGenerator<Uint8Array> {
  try {
    yield* body ?? []
  } catch (error) {
    brokenOff(error)
  }
}

/** Whether an archive that Localpost made lists missing messages: the name of its last file stands before the end record. */
async function listsMissing(path: string): Promise<boolean> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const name = Buffer.alloc(errorsFileName.length)
    await file.read(name, 0, name.length, Math.max(0, size - endRecordBytes - name.length))
    return name.toString() === errorsFileName
  } finally {
    await file.close()
  }
}

/** Without a comment. @see APPNOTE.TXT of PKWARE, section 4.3.16 */
const endRecordBytes = 22
