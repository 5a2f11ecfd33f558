import type { TranscriptLine } from '../inbox/types.ts'
import type { SmtpSession, SmtpSessionSummary } from '../inbox/smtp-session-types.ts'
import type { ClientFault } from './client-faults.ts'
import { problemsOf } from './session-problems.ts'
import { toTranscript, type SessionNotes } from './session-notes.ts'

/** The parts of a connection that the log reads. */
export interface ObservedSession {
  readonly notes: SessionNotes
  /** The current facts about the client. */
  state(): ClientFacts
}

/** The facts about a client. */
export interface ClientFacts extends Pick<
  SmtpSessionSummary,
  'remote_address' | 'client_name' | 'user' | 'secure' | 'message_count'
> {
  fault: ClientFault | null
}

export interface Begun {
  readonly id: string
  readonly started: number
}

/** A session as it was when it ended; if `ended` is null, as it is now. */
export interface LoggedSession extends Begun, ClientFacts {
  readonly ended: number | null
  readonly notes: SessionNotes
}

// Copies the facts, because keeping the session would keep its socket in memory.
export function toLogged(
  session: ObservedSession,
  { id, started }: Begun,
  ended: number | null,
): LoggedSession {
  return { id, started, ended, ...session.state(), notes: session.notes }
}

export function toSessionSummary(session: LoggedSession): SmtpSessionSummary {
  const { transcript: _, ...summary } = toSession(session)
  return summary
}

export function toSession(session: LoggedSession): SmtpSession {
  const { notes, fault: _, ...facts } = session
  const transcript = toTranscript(notes.all(), '<message>')
  const problems = problemsOf({ ...session, isOpen: session.ended === null })
  return { ...facts, ...transcribedEnvelope(transcript), problems, transcript }
}

/** Who the mails of a session are from and for, as far as its transcript is kept. */
export function transcribedEnvelope(
  transcript: readonly TranscriptLine[],
): Pick<SmtpSessionSummary, 'mail_from' | 'rcpt_to' | 'email_ids'> {
  let mail_from: string | null = null
  let rcpt_to: string[] = []
  const email_ids: string[] = []
  for (const { from, text } of transcript) {
    const [, verb, address = ''] = (from === 'client' && addressed.exec(text)) || []
    if (verb?.toUpperCase() === 'MAIL FROM') [mail_from, rcpt_to] = [address, []]
    else if (verb) rcpt_to.push(address)
    const id = from === 'server' ? captured.exec(text)?.[1] : undefined
    if (id !== undefined) email_ids.push(id)
  }
  return { mail_from, rcpt_to, email_ids }
}

const addressed = /^(MAIL FROM|RCPT TO): ?<?([^>\s]*)/i
/** The reply that `emails/receive.ts` makes, after its codes. */
const captured = /^250 (?:\S+ )?OK: captured as (em_\w+)$/
