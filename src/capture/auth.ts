import { createHash, timingSafeEqual } from 'node:crypto'
import type { SMTPServerSession } from 'smtp-server'
import type { FailedLogins } from '../keys/failed-logins.ts'
import type { Scope } from '../keys/types.ts'
import type { AccountSide } from './account-side.ts'

/** The identity that a session authenticated as. */
export interface SmtpUser {
  name: string
  /** The session is the outbox's own: its transactions are deliveries. */
  isOutbox: boolean
  /** The account of the credentials. Default: `default`. */
  side?: AccountSide
  /** Whether the credentials would still be accepted; if not, the session ends. Default: they always are. */
  isStillAdmitted?(): boolean
}

/** Reads the identity from a session of smtp-server; null without AUTH. */
export function smtpUserOf(session: SMTPServerSession): SmtpUser | null {
  return (session.user as SmtpUser | undefined) || null
}

/** Whether the credentials of a session would still be accepted; also without any. */
export function isAdmitted(session: SMTPServerSession): boolean {
  return smtpUserOf(session)?.isStillAdmitted?.() ?? true
}

/** The user name of the outbox's own sessions. */
export const outboxUser = 'localpost-outbox'

/** The rules for accepting credentials. */
export interface AuthRules {
  auth: 'optional' | 'required'
  /** The scope of an API key; null if it is not a key. */
  scopeOf(key: string): Scope | null
  /** The password of {@link outboxUser}, created at each start. */
  deliverySecret: string
  /** Judges credentials of accounts other than `default`. @returns null if they are not of one. Default: none are. */
  judgeAccount?(name: string, password: string): Promise<SmtpUser | AuthProblem> | null
  /** Counts wrong credentials, together with those of HTTP. */
  failedLogins: FailedLogins
}

/** Why credentials are refused, for the log. */
export type AuthProblem = 'outbox' | 'no-key' | 'scope'

/**
 * Checks the credentials of AUTH PLAIN or LOGIN. If `auth` is `optional`, all are accepted but an API key that may not
 * send; if it is `required`, the password must be an API key that may. The outbox's user name needs the secret, so that
 * an app cannot impersonate the outbox.
 *
 * @returns The user, or why the credentials are refused.
 */
export function judgeCredentials(name: string, password: string, rules: AuthRules): SmtpUser | AuthProblem {
  if (name === outboxUser) {
    return isSameSecret(password, rules.deliverySecret) ? { name, isOutbox: true } : 'outbox'
  }
  const scope = rules.scopeOf(password)
  if (scope === 'read') return 'scope'
  if (rules.auth === 'optional') return { name, isOutbox: false }
  if (scope === null) return 'no-key'
  return { name, isOutbox: false, isStillAdmitted: () => rules.scopeOf(password) !== null }
}

/** Compares in constant time, without revealing the length of the secret. */
function isSameSecret(given: string, secret: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return secret !== '' && timingSafeEqual(digest(given), digest(secret))
}
