import { type AccountRecord, noAccount } from '../accounts/account.ts'
import type { InnerAccounts } from '../accounts/accounts.ts'
import type { AccountSide } from '../capture/account-side.ts'
import type { ObservedSession } from '../capture/logged-session.ts'
import { LocalpostError } from '../core/errors.ts'
import type { OpenAccounts } from './open-accounts.ts'

/** The parts of an open account that its SMTP sessions need. */
interface OpenedSide {
  readonly side: AccountSide
  readonly account: { readonly secret: string }
}

/** The accounts other than `default`. */
export interface SessionAccounts {
  readonly accounts: InnerAccounts
  readonly open: OpenAccounts<OpenedSide>
}

/**
 * What an SMTP session of an account can use, even after the account was opened again.
 *
 * @param isStillAdmitted  Whether the credentials of the session are still valid.
 */
export function sideOf(id: string, isStillAdmitted: () => boolean, parts: SessionAccounts): AccountSide {
  const { accounts, open } = parts
  /** An account stays open while it has sessions. The function of each session ends that. */
  const kept = new Map<ObservedSession, () => void>()

  function used(): AccountRecord {
    const record = accounts.byId(id)
    if (!record || !isStillAdmitted()) throw noAccount(id)
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
    faultAt: (stage) => (isStillAdmitted() ? (open.peek(id)?.side.faultAt(stage) ?? null) : null),
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
