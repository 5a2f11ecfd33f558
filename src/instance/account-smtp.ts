import { hash } from 'node:crypto'
import type { AccountRecord } from '../accounts/account.ts'
import { outboxUser, type AuthProblem, type AuthRules, type SmtpUser } from '../capture/auth.ts'
import { isErrorOf } from '../core/errors.ts'
import { setImmediate } from '../core/machine.ts'
import type { KeyOwners } from './key-owners.ts'
import { type SessionAccounts, sideOf } from './session-side.ts'

/**
 * Finds the account of SMTP credentials.
 *
 * @returns A function that answers null for credentials of no account: `default` decides about them.
 */
export function createAccountJudge(
  parts: SessionAccounts & { readonly owners: KeyOwners },
): NonNullable<AuthRules['judgeAccount']> {
  const { accounts, owners, open } = parts

  async function admit(
    name: string,
    id: string,
    isValid: (record: AccountRecord) => boolean,
  ): Promise<SmtpUser | AuthProblem> {
    let release: () => void
    try {
      ;({ release } = await open.hold(id))
    } catch (error) {
      // It was removed meanwhile.
      if (isErrorOf(error, 'not_found')) return 'no-key'
      throw error
    }
    // Released later, because the session has to keep the account open first; it does so unless the client has left.
    setImmediate(release)
    const isStillAdmitted = (): boolean => {
      const record = accounts.byId(id)
      return record !== null && isValid(record)
    }
    return { name, isOutbox: false, side: sideOf(id, isStillAdmitted, parts), isStillAdmitted }
  }

  function outboxOf(secret: string): SmtpUser | null {
    for (const [id, { account }] of open.all())
      if (account.secret === secret)
        return { name: outboxUser, isOutbox: true, side: sideOf(id, () => true, parts) }
    return null
  }

  return (name, password) => {
    if (owners.isFormer(password)) return Promise.resolve('no-key')
    if (accounts.isEmpty()) return null
    if (name === outboxUser) {
      const outbox = outboxOf(password)
      return outbox && Promise.resolve(outbox)
    }
    const owner = owners.ofKey(password)
    if (owner) return judgeKey(name, password, owner)
    if (!accounts.isName(name)) return null
    const record = accounts.find(name)
    if (!record || !accounts.isPassword(record, password)) return Promise.resolve('no-key')
    return admit(name, record.id, ({ smtp_digest }) => smtp_digest === record.smtp_digest)
  }

  async function judgeKey(
    name: string,
    password: string,
    { id, scope }: NonNullable<ReturnType<KeyOwners['ofKey']>>,
  ): Promise<SmtpUser | AuthProblem> {
    if (!accounts.byId(id)) return 'no-key'
    if (scope === 'read') return 'scope'
    const digest = hash('sha256', password)
    return admit(name, id, () => owners.ofDigest(digest)?.id === id)
  }
}
