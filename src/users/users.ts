import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { codeOf, LocalpostError } from '../core/errors.ts'
import { monotonicNow } from '../core/machine.ts'
import { createPasswords } from './password.ts'
import type { User } from './user.ts'
import { maxUsersBytes, parseUsers, type UserLine } from './users-file.ts'

/** The users who may sign in with a password. */
export interface Users {
  /**
   * The user with this name and password; null if one of them is wrong. Takes the same time for a name that does not exist.
   *
   * @throws service_unavailable when too many other calls wait.
   */
  check(name: string, password: string): Promise<UserLine | null>
  /** The user with this name, with the hash; null if there is none. */
  find(name: string): UserLine | null
}

/**
 * Opens a file of users. A change is noticed within half a second, and the file is read again. If it cannot be read then,
 * the users before the change stay valid, so that a mistake locks nobody out.
 *
 * @param onProblem  Called once for each such change.
 * @throws invalid_option if the file cannot be read at the start.
 */
export function openUsers(path: string, onProblem: (error: Error) => void): Users {
  const passwords = createPasswords()
  let stamp = stampOf(path)
  let users = readUsers(path)
  let lookedAt = monotonicNow()

  function current(): ReadonlyMap<string, UserLine> {
    if (monotonicNow() - lookedAt < lookEveryMs) return users
    lookedAt = monotonicNow()
    const now = stampOf(path)
    if (now === stamp) return users
    stamp = now
    try {
      users = readUsers(path)
    } catch (error) {
      onProblem(error instanceof Error ? error : new Error(String(error)))
    }
    return users
  }

  return {
    find: (name) => current().get(name) ?? null,
    async check(name, password) {
      const user = current().get(name) ?? null
      const isRight = await passwords.matches(password, user && user.hash)
      // The file may have changed while the hash was computed.
      return isRight && user && current().get(name)?.hash === user.hash ? user : null
    },
  }
}

/** The users of a file. @throws invalid_option */
export function readUsers(path: string): Map<string, UserLine> {
  return parseUsers(readUsersText(path), path)
}

/** The text of a file of users. @throws invalid_option if it is missing, unreadable, too large or not UTF-8. */
function readUsersText(path: string): string {
  const refuse = (what: string, cause?: unknown): never => {
    throw new LocalpostError('invalid_option', `--users: ${path} ${what}`, { cause })
  }
  try {
    const bytes = readFileSync(path)
    if (bytes.length > maxUsersBytes) return refuse(`is larger than ${maxUsersBytes} bytes.`)
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    if (error instanceof LocalpostError) throw error
    if (codeOf(error) === 'ENOENT')
      return refuse('does not exist. Make it with `localpost user add <name>`.', error)
    return refuse(`cannot be read (${error instanceof Error ? error.message : String(error)}).`, error)
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
      throw new LocalpostError(
        'invalid_option',
        `--users: ${path} would be larger than ${maxUsersBytes} bytes.`,
      )
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
        : `cannot be written (${error instanceof Error ? error.message : String(error)}).`
    throw new LocalpostError('invalid_option', `--users: ${path} ${why}`, { cause: error })
  } finally {
    if (fd !== null) closeSync(fd)
  }
}

/** A user as callers see it: without the hash. */
export function toUser({ name, role, accounts }: UserLine): User {
  return { name, role, accounts }
}

const lookEveryMs = 500

function stampOf(path: string): string {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stat ? `${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}` : ''
}
