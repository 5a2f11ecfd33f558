import type { SMTPServerSession } from 'smtp-server'
import type { SmtpUser } from './auth.ts'
import type { TransactionNotes } from './transcript.ts'
import type { Envelope, SessionFacts } from './port.ts'

/** Who a session authenticated as; null without AUTH. */
export function userOf(session: SMTPServerSession): SmtpUser | null {
  return (session.user as SmtpUser | undefined) || null
}

/** The facts of a session that are passed on with a submission. */
export function factsOf(session: SMTPServerSession, notes: TransactionNotes | null): SessionFacts {
  const { remoteAddress, remotePort } = session
  return {
    remote_address: `${remoteAddress.includes(':') ? `[${remoteAddress}]` : remoteAddress}:${remotePort}`,
    client_name: session.hostNameAppearsAs || '',
    user: userOf(session)?.name ?? null,
    secure: session.secure,
    notes,
  }
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
