import { isUtf8 } from 'node:buffer'
import { open } from 'node:fs/promises'
import { codeOf, invalidOption, LocalpostError, messageOf } from '../core/errors.ts'
import { readBeginning } from '../core/read-beginning.ts'

/**
 * Reads a file of keys or a password. It may be a pipe (`--api-key-file <(pass show localpost)`).
 *
 * @param path  Absolute, or relative to the working directory.
 * @param source  Where the file was named, for messages: `--api-key-file`.
 * @param warnings  Gets a sentence if other users may read or change the file. Default: no warning, for a public file.
 * @returns Its lines that are not empty, trimmed; at least one.
 * @throws invalid_option if the file is missing, unreadable, a folder, empty, larger than 64 KiB or no text. No message
 *   quotes its content.
 */
export async function readSecretFile(path: string, source: string, warnings?: string[]): Promise<string[]> {
  const refuse = (what: string, cause?: unknown): never => {
    throw invalidOption(`${source}: ${path} ${what}`, cause)
  }
  const file = await open(path, 'r').catch((error: unknown) => refuse(unreadableReason(error, path), error))
  try {
    const found = await file.stat()
    if (found.isDirectory()) return refuse('is a folder; name a file in it.')
    const bytes = await readBeginning(file.createReadStream({ autoClose: false }), maxSecretFileBytes + 1)
    if (bytes.length > maxSecretFileBytes)
      return refuse(`is larger than ${maxSecretFileBytes} bytes, so it is no file of secrets.`)
    if (!isUtf8(bytes)) return refuse('is not a text in UTF-8.')
    // `trim` removes a byte order mark too.
    const lines = bytes
      .toString()
      .split(/[\r\n]/)
      .map((line) => line.trim())
      .filter((line) => line !== '')
    if (lines.length === 0) return refuse('is empty. Write the secret into it.')
    const isShared = process.platform !== 'win32' && found.isFile() && (found.mode & 0o066) !== 0
    const mode = (found.mode & 0o777).toString(8)
    if (isShared)
      warnings?.push(
        `${source}: other users can read or change ${path} (mode ${mode}). Run \`chmod 600 ${path}\`.`,
      )
    return lines
  } catch (error) {
    if (error instanceof LocalpostError) throw error
    return refuse(unreadableReason(error, path), error)
  } finally {
    await file.close()
  }
}

const maxSecretFileBytes = 64 * 1024

function unreadableReason(error: unknown, path: string): string {
  switch (codeOf(error)) {
    case 'ENOENT':
    case 'ENOTDIR':
      return 'does not exist.'
    case 'EACCES':
    case 'EPERM':
      return `may not be read by the user that Localpost runs as.${remedyFor(path)}`
    default:
      return `cannot be read (${messageOf(error)}).`
  }
}

/** Gives the number of the user, because the name of a user in a container is often unknown on the machine with the file. */
function remedyFor(path: string): string {
  const uid = process.getuid?.()
  return uid === undefined
    ? ''
    : ` Run \`chown ${uid} ${path}\`, or give that user (uid ${uid}) the right to read it.`
}
