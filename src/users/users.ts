import { statSync } from 'node:fs'
import { messageOf } from '../core/errors.ts'
import { monotonicNow } from '../core/machine.ts'
import { createPasswords } from './password.ts'
import type { User } from './user.ts'
import { readUsers } from './users-file.ts'
import type { UserLine } from './users-text.ts'

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
 * the users before the change stay valid, so that a mistake locks no user out.
 *
 * @param onProblem  Called once for each such change.
 * @throws invalid_option if the file cannot be read at the start.
 */
export function openUsers(path: string, onProblem: (error: Error) => void): Users {
  const passwords = createPasswords()
  let version = fileVersion(path)
  let users = readUsers(path)
  let lookedAt = monotonicNow()

  function current(): ReadonlyMap<string, UserLine> {
    if (monotonicNow() - lookedAt < lookEveryMs) return users
    lookedAt = monotonicNow()
    const now = fileVersion(path)
    if (now === version) return users
    version = now
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

/** A user as callers see it: without the hash. */
export function toUser({ name, role, accounts }: UserLine): User {
  return { name, role, accounts }
}

const lookEveryMs = 500

/** The same as long as the file is the same, or cannot be looked at for the same reason. */
function fileVersion(path: string): string {
  try {
    const { ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true })
    return `${ino} ${size} ${mtimeNs} ${ctimeNs}`
  } catch (error) {
    return messageOf(error)
  }
}
