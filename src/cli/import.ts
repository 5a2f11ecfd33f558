import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { maxMessageBytes } from '../attachments/attachments.ts'
import { LocalpostError, quote } from '../core/errors.ts'
import type { Output } from './output.ts'
import { parseRemoteArguments, reasonOf, type Remote } from './remote.ts'
import { describeError } from './report.ts'

/**
 * Runs `localpost import`: hands messages to a Localpost that runs.
 *
 * @param raw  The arguments after `import`.
 * @returns The exit code: 0 all are there, 1 some could not be read or were refused.
 * @throws invalid_option for a wrong command line, request_failed where nothing answers.
 */
export async function runImport(raw: readonly string[], output: Output): Promise<0 | 1> {
  const given = parseRemoteArguments('import', raw, [], process.env)
  if (given.help) {
    output.log(usage)
    return 0
  }
  if (given.words.length === 0)
    throw new LocalpostError('invalid_option', 'import takes files: localpost import mail.eml folder …')
  const remote = await given.connect()
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
  const left = failed === 0 ? '' : `, ${failed} not`
  output.log(`Imported ${imported} ${imported === 1 ? 'message' : 'messages'} to ${remote.url}${left}.`)
  return failed === 0 ? 0 : 1
}

const usage = `localpost import <file or folder>... [--url <url>] [--api-key-file <file>]

Hands messages (.eml) to a running Localpost, of a folder all its .eml files. Each is stored as it is, as if it had been
submitted now; nothing is delivered. What cannot be read or is refused is told, and the others go on.
--url: where it runs; default: http://127.0.0.1:8025. --api-key, --api-key-file: where it asks for one.
Exit codes: 0 all imported, 1 some not, 2 wrong usage.`

/** The files that a word of the command line means, in order; what cannot be looked at, as a problem. */
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

/** @returns What went wrong; null where nothing did. @throws request_failed: the others would fare no better. */
async function importFile(file: string, remote: Remote): Promise<string | null> {
  let body: Buffer<ArrayBuffer>
  try {
    const { size } = await stat(file)
    if (size > maxMessageBytes)
      return `${quote(file)} has ${size} bytes; at most ${maxMessageBytes} are taken (message_too_large).`
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
