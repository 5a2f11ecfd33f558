import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { maxMessageBytes } from '../attachments/attachments.ts'
import { LocalpostError, quote } from '../core/errors.ts'
import type { Output } from './output.ts'
import type { Arguments } from './arguments.ts'
import { connect, reasonOf, type Remote } from './remote.ts'
import { describeError } from './report.ts'

/**
 * Runs `localpost import`: adds messages to a running Localpost.
 *
 * @returns The exit code: 0 if all were added, 1 if some could not be read or were refused.
 * @throws invalid_option for a wrong command line, request_failed if nothing answers.
 */
export async function runImport(given: Arguments, output: Output): Promise<0 | 1> {
  if (given.words.length === 0)
    throw new LocalpostError(
      'invalid_option',
      'import needs files or folders: localpost import mail.eml folder …',
    )
  const remote = await connect(given, process.env)
  let imported = 0
  let failed = 0
  // One after the other: the order of the files is the order of arrival.
  for (const word of given.words) {
    for (const file of await filesOf(word)) {
      const problem = typeof file === 'string' ? await importFile(file, remote) : file.problem
      if (problem === null) imported++
      else failed++
      if (problem !== null) output.error(problem)
    }
  }
  const rest = failed === 0 ? '' : `; ${failed} failed`
  output.log(`Imported ${imported} ${imported === 1 ? 'message' : 'messages'} to ${remote.url}${rest}.`)
  return failed === 0 ? 0 : 1
}

/** The files of an argument, in order; a problem for each that cannot be read. */
async function filesOf(word: string): Promise<(string | { problem: string })[]> {
  try {
    if (!(await stat(word)).isDirectory()) return [word]
    const names = (await readdir(word)).filter((name) => /\.eml$/i.test(name)).sort()
    if (names.length === 0) return [{ problem: `${quote(word)} has no .eml files.` }]
    return names.map((name) => join(word, name))
  } catch (error) {
    return [{ problem: unreadable(word, error) }]
  }
}

/** @returns The error; null if there was none. @throws request_failed, because the remaining files would fail too. */
async function importFile(file: string, remote: Remote): Promise<string | null> {
  let body: Buffer<ArrayBuffer>
  try {
    const { size } = await stat(file)
    if (size > maxMessageBytes)
      return `${quote(file)} has ${size} bytes; the limit is ${maxMessageBytes} (message_too_large).`
    body = await readFile(file)
  } catch (error) {
    return unreadable(file, error)
  }
  try {
    const response = await remote.ask('/dev/inbox/import', { method: 'POST', body, type: 'message/rfc822' })
    await response.arrayBuffer()
    return null
  } catch (error) {
    const isRefusal = error instanceof LocalpostError && [413, 422].includes(error.status)
    if (!isRefusal) throw error
    return `${quote(file)} was refused: ${describeError(error)}`
  }
}

function unreadable(file: string, error: unknown): string {
  return `${quote(file)} cannot be read (${reasonOf(error)}).`
}
