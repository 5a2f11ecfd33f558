import { createHash } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { maxMessageBytes } from '../mime/message-size.ts'
import { invalidOption, isErrorOf, LocalpostError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import { onInterrupt } from './stop.ts'
import type { Output } from './output.ts'
import type { Arguments } from './arguments.ts'
import { matchingMails } from './mail-list.ts'
import { connect, shortReasonOf, type Remote } from './remote.ts'
import { describeError } from './error-text.ts'

/**
 * Runs `localpost import`: adds messages to a running Localpost. Each is stored whole or not at all. With `--resume`, files
 * whose bytes the inbox already holds are left out, so that an interrupted import can be finished.
 *
 * @returns The exit code: 0 if all were added, 1 if some could not be read or were refused, or after an interruption.
 * @throws invalid_option for a wrong command line, request_failed if nothing answers.
 */
export async function runImport(given: Arguments, output: Output): Promise<0 | 1> {
  if (given.words.length === 0)
    throw invalidOption('import needs files or folders: localpost import mail.eml folder …')
  const remote = await connect(given, process.env, output)
  const isStored = given.flags['resume'] === 'true' ? await listStored(remote) : async () => false
  const counts = { imported: 0, 'already there': 0, failed: 0 }
  let interrupted = false
  const forgetInterrupt = onInterrupt(() => {
    interrupted = true
    output.log('Stopping after this message.')
  })
  try {
    // One after the other: the order of the files is the order of arrival.
    for await (const file of filesOf(given.words)) {
      if (interrupted) break
      const result = await importFile(file, remote, isStored)
      counts[typeof result === 'string' ? result : 'failed']++
      if (typeof result !== 'string') output.error(result.problem)
    }
  } catch (error) {
    if (counts.imported > 0) output.error(resumeHint(counts.imported))
    throw error
  } finally {
    forgetInterrupt()
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

/** The files of the arguments, in order; a problem for each argument that cannot be read. */
async function* filesOf(words: readonly string[]): AsyncGenerator<string | Problem> {
  for (const word of words) yield* await filesIn(word)
}

async function filesIn(word: string): Promise<(string | Problem)[]> {
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
  remote: Remote,
  isStored: (bytes: Uint8Array) => Promise<boolean>,
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
  if (await isStored(body)) return 'already there'
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
  return `${quote(file)} cannot be read (${shortReasonOf(error)}).`
}

/**
 * Lists the messages of an inbox. Only those that have the size of a sought one are read, each once.
 *
 * @returns Whether the inbox holds a message with these bytes. Each of its messages counts once: of two equal files, one is
 *   found if the inbox has one message.
 */
async function listStored(remote: Remote): Promise<(bytes: Uint8Array) => Promise<boolean>> {
  const bySize = new Map<number, string[]>()
  for await (const { id, size_bytes } of matchingMails(remote, '')) {
    const ids = bySize.get(size_bytes) ?? []
    ids.push(id)
    bySize.set(size_bytes, ids)
  }
  const counts = new Map<string, number>()
  return async (bytes) => {
    const ids = bySize.get(bytes.byteLength)
    if (!ids) return false
    for (let id = ids.pop(); id !== undefined; id = ids.pop()) {
      const digest = await digestOf(remote, id)
      if (digest !== null) counts.set(digest, (counts.get(digest) ?? 0) + 1)
    }
    const digest = createHash('sha256').update(bytes).digest('hex')
    const count = counts.get(digest) ?? 0
    counts.set(digest, count - 1)
    return count > 0
  }
}

/** The digest of a stored message; null if it cannot be read, or was removed meanwhile. */
async function digestOf(remote: Remote, id: string): Promise<string | null> {
  try {
    const { body } = await remote.ask(`/dev/inbox/${id}/raw`)
    const hash = createHash('sha256')
    for await (const piece of body ?? []) hash.update(piece)
    return hash.digest('hex')
  } catch (error) {
    if (isErrorOf(error, 'not_found', 'message_pending', 'store_corrupt', 'store_failed')) return null
    throw error
  }
}
