import { createHmac, randomBytes } from 'node:crypto'
import { monotonicNow } from '../core/machine.ts'
import { createRecentValues } from '../core/recent-values.ts'
import { createSharedWork } from '../core/shared-work.ts'
import type { UserLine } from './users-text.ts'
import type { Users } from './users.ts'

/** Users whose name and password come with every request: a right one is remembered for five minutes, as checking is slow. */
export interface CheckedPasswords {
  /**
   * As `Users.check`. Calls with the same name and password at the same time are one check.
   *
   * @param begin  Called before a password is checked. The function that it returns is called if the password was right; see
   *   `SignInLimit`.
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
  const known = createRecentValues<{ readonly hash: string; readonly until: number }>(maxKnown, () => 1)
  const running = createSharedWork()

  /** The user, unless the time is over or the password was changed. */
  function remembered(digest: string, name: string): UserLine | null {
    const found = known.get(digest)
    const user = found && found.until > now() ? users.find(name) : null
    return user && user.hash === found?.hash ? user : null
  }

  return {
    async check(name, password, begin) {
      const digest = digestOf(name, password)
      const user = remembered(digest, name)
      if (user) return user
      return running.run(digest, async () => {
        const succeeded = begin()
        const checked = await users.check(name, password)
        if (!checked) return null
        succeeded()
        known.put(digest, { hash: checked.hash, until: now() + rememberedMs })
        return checked
      })
    },
  }
}

const rememberedMs = 5 * 60_000
const maxKnown = 1000
