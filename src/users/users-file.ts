import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { codeOf, invalidOption, LocalpostError, messageOf } from '../core/errors.ts'
import { maxUsersBytes, parseUsers, type UserLine } from './users-text.ts'

/** The users of a file. @throws invalid_option */
export function readUsers(path: string): Map<string, UserLine> {
  return parseUsers(readUsersText(path), path)
}

/** The text of a file of users. @throws invalid_option if it is missing, unreadable, too large or not UTF-8. */
function readUsersText(path: string): string {
  const refuse = (what: string, cause?: unknown): never => {
    throw invalidOption(`--users: ${path} ${what}`, cause)
  }
  try {
    const bytes = readFileSync(path)
    if (bytes.length > maxUsersBytes) return refuse(`is larger than ${maxUsersBytes} bytes.`)
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    if (error instanceof LocalpostError) throw error
    if (codeOf(error) === 'ENOENT')
      return refuse('does not exist. Make it with `localpost user add <name>`.', error)
    return refuse(`cannot be read (${messageOf(error)}).`, error)
  }
}

/**
 * Changes the text of a file of users, by renaming a new file that only its owner can read. A missing file counts as empty.
 *
 * @throws invalid_option if another command is changing it, if it cannot be written, or if the new text is too large.
 */
export function changeUsersFile<T extends { text: string }>(path: string, change: (text: string) => T): T {
  const exists = existsSync(path)
  // If the path is a link, its target is replaced and not the link.
  const target = exists ? realpathSync(path) : path
  const draft = `${target}.new`
  let fd: number | null = null
  try {
    // `wx` fails if the file exists, so it is also the lock.
    fd = openSync(draft, 'wx', 0o600)
    const changed = change(exists ? readUsersText(path) : '')
    if (Buffer.byteLength(changed.text) > maxUsersBytes)
      throw invalidOption(`--users: ${path} would be larger than ${maxUsersBytes} bytes.`)
    writeFileSync(fd, changed.text)
    fsyncSync(fd)
    renameSync(draft, target)
    return changed
  } catch (error) {
    if (fd !== null) rmSync(draft, { force: true })
    if (error instanceof LocalpostError) throw error
    const why =
      codeOf(error) === 'EEXIST'
        ? `is being changed by another command. If none runs, remove ${draft}.`
        : `cannot be written (${messageOf(error)}).`
    throw invalidOption(`--users: ${path} ${why}`, error)
  } finally {
    if (fd !== null) closeSync(fd)
  }
}
