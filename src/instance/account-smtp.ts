import { hash } from 'node:crypto'
import { type AccountRecord, noAccount } from '../accounts/account.ts'
import { outboxUser, type AuthProblem, type AuthRules, type SmtpUser } from '../capture/auth.ts'
import { isErrorOf, LocalpostError } from '../core/errors.ts'
import { setImmediate } from '../core/machine.ts'
import type { KeyOwners } from './key-owners.ts'
import type { InnerAccounts } from '../accounts/accounts.ts'
import type { AccountSide } from '../capture/account-side.ts'
import type { ObservedSession } from '../capture/logged-session.ts'
import type { OpenAccounts } from './open-accounts.ts'

/** Finds the account of SMTP credentials. */
export function createAccountJudge(
  from: SessionAccounts & { readonly owners: KeyOwners },
): NonNullable<AuthRules['judgeAccount']> {
  const { accounts, owners, open } = from

  async function admit(
    name: string,
    id: string,
    isRight: (record: AccountRecord) => boolean,
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
    const isAdmitted = (): boolean => {
      const record = accounts.byId(id)
      return record !== null && isRight(record)
    }
    return { name, isOutbox: false, side: sideOf(id, isAdmitted, from), isStillAdmitted: isAdmitted }
  }

  function outboxOf(secret: string): SmtpUser | null {
    for (const [id, { account }] of open.all())
      if (account.secret === secret)
        return { name: outboxUser, isOutbox: true, side: sideOf(id, () => true, from) }
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

/** The parts of an open account that its SMTP sessions need. */
interface OpenedSide {
  readonly side: AccountSide
  readonly account: { readonly secret: string }
}

/** The accounts other than `default`. */
interface SessionAccounts {
  readonly accounts: InnerAccounts
  readonly open: OpenAccounts<OpenedSide>
}

/**
 * What an SMTP session of an account can use, even after the account was opened again.
 *
 * @param isAdmitted  Whether the credentials of the session are still valid.
 */
function sideOf(id: string, isAdmitted: () => boolean, { accounts, open }: SessionAccounts): AccountSide {
  /** An account stays open while it has sessions. The function of each session ends that. */
  const kept = new Map<ObservedSession, () => void>()

  function used(): AccountRecord {
    const record = accounts.byId(id)
    if (!record || !isAdmitted()) throw noAccount(id)
    accounts.used(record)
    return record
  }

  function current(): AccountSide {
    used()
    const ready = open.peek(id)
    if (ready) return ready.side
    // The account is closed for a moment after a change of its limits.
    open.hold(id).then(
      ({ release }) => release(),
      () => {},
    )
    throw new LocalpostError('service_unavailable', 'The account is being opened; try again in a moment.')
  }

  function release(session: ObservedSession): void {
    kept.get(session)?.()
    kept.delete(session)
  }

  return {
    accountName: accounts.byId(id)?.name,
    receive(envelope, notes) {
      const { write, finish, discard } = current().receive(envelope, notes)
      const record = used()
      return {
        write(piece) {
          // A long upload counts as use.
          accounts.used(record)
          return write(piece)
        },
        finish,
        discard,
      }
    },
    verdictOf: (recipient, transaction) => current().verdictOf(recipient, transaction),
    faultAt: (stage) => (isAdmitted() ? (open.peek(id)?.side.faultAt(stage) ?? null) : null),
    sessions: {
      begin(session) {
        kept.set(session, open.keep(id))
        open.peek(id)?.side.sessions?.begin(session)
      },
      end(session) {
        open.peek(id)?.side.sessions?.end(session)
        release(session)
      },
      leave(session) {
        open.peek(id)?.side.sessions?.leave(session)
        release(session)
      },
    },
  }
}
