import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { maxMessageBytes } from '../attachments/attachments.ts'
import { LocalpostError, quote } from '../core/errors.ts'
import type { Output } from './output.ts'
import type { Arguments } from './arguments.ts'
import { connect, reasonOf, type Remote } from './remote.ts'
import { describeError } from './report.ts'
import { listStored, type StoredBytes } from './stored-bytes.ts'

/**
 * Runs `localpost import`: adds messages to a running Localpost. Each is stored whole or not at all. With `--resume`, files
 * whose bytes the inbox already holds are left out, so that an interrupted import can be finished.
 *
 * @returns The exit code: 0 if all were added, 1 if some could not be read or were refused, or after an interruption.
 * @throws invalid_option for a wrong command line, request_failed if nothing answers.
 */
export async function runImport(given: Arguments, output: Output): Promise<0 | 1> {
  if (given.words.length === 0)
    throw new LocalpostError(
      'invalid_option',
      'import needs files or folders: localpost import mail.eml folder …',
    )
  const remote = await connect(given, process.env)
  const stored = given.own['resume'] === 'true' ? await listStored(remote) : null
  const counts = { imported: 0, 'already there': 0, failed: 0 }
  let interrupted = false
  const interrupt = (): void => {
    interrupted = true
    output.log('Stopping after this message.')
  }
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
  try {
    // One after the other: the order of the files is the order of arrival.
    for (const word of given.words) {
      for (const file of await filesOf(word)) {
        if (interrupted) break
        const result = await importFile(file, { remote, stored })
        counts[typeof result === 'string' ? result : 'failed']++
        if (typeof result !== 'string') output.error(result.problem)
      }
    }
  } catch (error) {
    if (counts.imported > 0) output.error(resumeHint(counts.imported))
    throw error
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
  }
  const { imported, failed } = counts
  if (interrupted) {
    output.error(resumeHint(imported))
    return 1
  }
  const rest = (['already there', 'failed'] as const)
    .filter((name) => counts[name] > 0)
    .map((name) => `; ${counts[name]} ${name}`)
    .join('')
  output.log(`Imported ${imported} ${imported === 1 ? 'message' : 'messages'} to ${remote.url}${rest}.`)
  return failed === 0 ? 0 : 1
}

const resumeHint = (imported: number): string =>
  `Interrupted after ${imported} ${imported === 1 ? 'message' : 'messages'}. Run the same command with --resume to import the others.`

type Problem = { readonly problem: string }

/** The files of an argument, in order; a problem for each that cannot be read. */
async function filesOf(word: string): Promise<(string | Problem)[]> {
  try {
    if (!(await stat(word)).isDirectory()) return [word]
    const names = (await readdir(word)).filter((name) => /\.eml$/i.test(name)).sort()
    if (names.length === 0) return [{ problem: `${quote(word)} has no .eml files.` }]
    return names.map((name) => join(word, name))
  } catch (error) {
    return [{ problem: unreadable(word, error) }]
  }
}

/** @throws request_failed, because the remaining files would fail too. */
async function importFile(
  file: string | Problem,
  { remote, stored }: { remote: Remote; stored: StoredBytes | null },
): Promise<'imported' | 'already there' | Problem> {
  if (typeof file !== 'string') return file
  let body: Buffer<ArrayBuffer>
  try {
    const { size } = await stat(file)
    if (size > maxMessageBytes)
      return {
        problem: `${quote(file)} has ${size} bytes; the limit is ${maxMessageBytes} (message_too_large).`,
      }
    body = await readFile(file)
  } catch (error) {
    return { problem: unreadable(file, error) }
  }
  if (await stored?.take(body)) return 'already there'
  try {
    const response = await remote.ask('/dev/inbox/import', { method: 'POST', body, type: 'message/rfc822' })
    await response.arrayBuffer()
    return 'imported'
  } catch (error) {
    const isRefusal = error instanceof LocalpostError && [413, 422].includes(error.status)
    if (!isRefusal) throw error
    return { problem: `${quote(file)} was refused: ${describeError(error)}` }
  }
}

function unreadable(file: string, error: unknown): string {
  return `${quote(file)} cannot be read (${reasonOf(error)}).`
}
