import type { SMTPServerSession } from 'smtp-server'
import type { SmtpUser } from './auth.ts'
import type { TransactionNotes } from './transcript.ts'
import type { AccountSide, Envelope, SessionFacts } from './port.ts'

/** The identity that a session authenticated as; null without AUTH. */
export function userOf(session: SMTPServerSession): SmtpUser | null {
  return (session.user as SmtpUser | undefined) || null
}

/** Whether the credentials of a session would still be accepted; also without any. */
export function isAdmitted(session: SMTPServerSession): boolean {
  return userOf(session)?.isAdmitted?.() ?? true
}

/** The account that a session reaches. */
export function sideOf(session: SMTPServerSession, main: AccountSide): AccountSide {
  return userOf(session)?.side ?? main
}

/** The facts of a session that are passed on with a submission. */
export function factsOf(session: SMTPServerSession, notes: TransactionNotes | null): SessionFacts {
  return {
    remote_address: hostAndPort(session.remoteAddress, session.remotePort),
    client_name: session.hostNameAppearsAs || '',
    user: userOf(session)?.name ?? null,
    secure: session.secure,
    notes,
  }
}

/** The address of a client, as it is shown. */
export function hostAndPort(host: string, port: number): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** The envelope of the transaction that a session is in. */
export function envelopeOf(session: SMTPServerSession): Envelope {
  const { mailFrom, rcptTo } = session.envelope
  return { mail_from: mailFrom ? mailFrom.address : '', rcpt_to: rcptTo.map(({ address }) => address) }
}

/** The ENVID of MAIL FROM (RFC 3461). The outbox puts the id of the email there. */
export function envelopeIdOf(session: SMTPServerSession): string | null {
  return session.envelope.dsn?.envid ?? null
}
