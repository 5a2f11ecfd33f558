import type { SMTPServerSession } from 'smtp-server'
import type { SmtpUser } from './auth.ts'

/** The identity that a session authenticated as; null without AUTH. */
export function userOf(session: SMTPServerSession): SmtpUser | null {
  return (session.user as SmtpUser | undefined) || null
}

/** Whether the credentials of a session would still be accepted; also without any. */
export function isAdmitted(session: SMTPServerSession): boolean {
  return userOf(session)?.isAdmitted?.() ?? true
}
