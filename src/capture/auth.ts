import { createHash, timingSafeEqual } from 'node:crypto'

/** Who a session authenticated as. */
export interface SmtpUser {
  name: string
  /** The session is the outbox's own: its transactions are deliveries. */
  is_outbox: boolean
}

/** The user name of the outbox's own sessions. */
export const outboxUser = 'localpost-outbox'

/** What decides over credentials. */
export interface AuthRules {
  auth: 'optional' | 'required'
  isApiKey(key: string): boolean
  /** The password of {@link outboxUser}, made at the start. */
  deliverySecret: string
}

/**
 * Decides over the credentials of AUTH PLAIN or LOGIN: any pass unless `auth` is `required`, where the password must
 * be an API key. The outbox's name passes with the secret only, or an app could pose as it.
 *
 * @returns null where they do not pass.
 */
export function judgeCredentials(name: string, password: string, rules: AuthRules): SmtpUser | null {
  if (name === outboxUser) {
    return isSameSecret(password, rules.deliverySecret) ? { name, is_outbox: true } : null
  }
  if (rules.auth === 'required' && !rules.isApiKey(password)) return null
  return { name, is_outbox: false }
}

/** In constant time, also over the length. */
function isSameSecret(given: string, secret: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return secret !== '' && timingSafeEqual(digest(given), digest(secret))
}
