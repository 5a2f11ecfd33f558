import { createHash, timingSafeEqual } from 'node:crypto'

/** Who a session authenticated as. */
export interface SmtpUser {
  name: string
  /** The session is the outbox's own: its transactions are deliveries. */
  is_outbox: boolean
}

/** The user name of the outbox's own sessions. */
export const outboxUser = 'localpost-outbox'

/** The rules for accepting credentials. */
export interface AuthRules {
  auth: 'optional' | 'required'
  isApiKey(key: string): boolean
  /** The password of {@link outboxUser}, created at each start. */
  deliverySecret: string
}

/**
 * Checks the credentials of AUTH PLAIN or LOGIN. If `auth` is `optional`, all are accepted; if it is `required`, the
 * password must be an API key. The outbox's user name needs the secret, so that an app cannot impersonate the outbox.
 *
 * @returns The user; null if the credentials are refused.
 */
export function judgeCredentials(name: string, password: string, rules: AuthRules): SmtpUser | null {
  if (name === outboxUser) {
    return isSameSecret(password, rules.deliverySecret) ? { name, is_outbox: true } : null
  }
  if (rules.auth === 'required' && !rules.isApiKey(password)) return null
  return { name, is_outbox: false }
}

/** Compares in constant time, without revealing the length of the secret. */
function isSameSecret(given: string, secret: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return secret !== '' && timingSafeEqual(digest(given), digest(secret))
}
