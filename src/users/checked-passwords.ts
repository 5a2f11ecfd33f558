import { createHmac, randomBytes } from 'node:crypto'
import { monotonicNow } from '../core/machine.ts'
import type { UserLine } from './users-file.ts'
import type { Users } from './users.ts'

/**
 * Users whose name and password come with every request. A password that was right is remembered for five minutes, because
 * checking one takes as long as many requests.
 */
export interface CheckedPasswords {
  /**
   * As `Users.check`. Calls with the same name and password at the same time are one check.
   *
   * @param begin  Called before a password is checked, and what it returns once that was right; see `SignInLimit`.
   * @throws what `begin` throws; service_unavailable when too many other checks wait.
   */
  check(name: string, password: string, begin: () => () => void): Promise<UserLine | null>
}

export function createCheckedPasswords(users: Users, now: () => number = monotonicNow): CheckedPasswords {
  // Only digests are kept, with a key of this process: a hash without a key could be guessed as fast as it is computed.
  const secret = randomBytes(32)
  const digestOf = (name: string, password: string): string =>
    createHmac('sha256', secret)
      .update(JSON.stringify([name, password]))
      .digest('base64')
  const known = new Map<string, { readonly hash: string; readonly until: number }>()
  const running = new Map<string, Promise<UserLine | null>>()

  /** The user, unless the time is over or the password was changed. */
  function remembered(digest: string, name: string): UserLine | null {
    const found = known.get(digest)
    const user = found && found.until > now() ? users.find(name) : null
    if (user && user.hash === found?.hash) return user
    known.delete(digest)
    return null
  }

  async function checkNow(
    digest: string,
    { name, password, begin }: { name: string; password: string; begin: () => () => void },
  ): Promise<UserLine | null> {
    const succeeded = begin()
    const user = await users.check(name, password)
    if (!user) return null
    succeeded()
    const [oldest] = known.keys()
    if (known.size >= mostKnown && oldest !== undefined) known.delete(oldest)
    known.set(digest, { hash: user.hash, until: now() + rememberedMs })
    return user
  }

  return {
    async check(name, password, begin) {
      const digest = digestOf(name, password)
      const user = remembered(digest, name)
      if (user) return user
      let checking = running.get(digest)
      if (!checking) {
        checking = checkNow(digest, { name, password, begin }).finally(() => running.delete(digest))
        running.set(digest, checking)
      }
      return checking
    },
  }
}

const rememberedMs = 5 * 60_000
const mostKnown = 1000
