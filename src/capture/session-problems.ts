import type { SmtpProblem, SmtpProblemKind } from '../inbox/smtp-session-types.ts'
import type { ClientFault } from './client-faults.ts'
import problemWords from './problem-words.json' with { type: 'json' }
import type { RefusedCommand, SessionNotes } from './session-notes.ts'

/** The facts of a session from which its problems are derived. */
interface ProblemFacts {
  notes: Pick<SessionNotes, 'refusals' | 'cutBy' | 'command'>
  fault: ClientFault | null
  message_count: number
  isOpen: boolean
}

/** The problems of a session: one for each kind, in order of appearance. */
export function problemsOf({ notes, fault, message_count, isOpen }: ProblemFacts): SmtpProblem[] {
  // It explains everything else.
  if (fault !== null) return [problem(kindOfFault(fault))]
  const problems = new Map<SmtpProblemKind, SmtpProblem>()
  for (const refused of notes.refusals) {
    // What the server knows comes first, then what the reply code says, then the command alone.
    const verb = refused.command.slice(0, 4).toUpperCase()
    const kind = refused.problem ?? kindOfCode[refused.code] ?? kindOfVerb[verb] ?? 'command_refused'
    if (!problems.has(kind)) problems.set(kind, problem(kind, refused))
  }
  if (notes.cutBy !== null && !problems.has(notes.cutBy))
    problems.set(notes.cutBy, problem(notes.cutBy, { command: notes.command }))
  if (problems.size === 0 && message_count === 0 && !isOpen) {
    const { command } = notes
    const lastKind = /^QUIT\b/i.test(command) ? 'no_message' : 'disconnected'
    const kind = command === '' ? 'silent' : lastKind
    problems.set(kind, problem(kind, { command }))
  }
  return [...problems.values()]
}

/** What a fault of a client is, in one sentence. */
export function messageOfFault(fault: ClientFault): string {
  return problem(kindOfFault(fault)).message
}

function problem(
  kind: SmtpProblemKind,
  { command = '', reply = '' }: Partial<RefusedCommand> = {},
): SmtpProblem {
  return { kind, ...problemWords[kind], command: command || null, reply: reply || null }
}

const kindOfCode: Readonly<Record<number, SmtpProblemKind>> = { 530: 'auth_required', 552: 'too_large' }

/** By the first four letters of a command, because older commands have no more: `STAR` is STARTTLS. */
const kindOfVerb: Readonly<Record<string, SmtpProblemKind>> = {
  AUTH: 'auth_failed',
  STAR: 'starttls_refused',
  MAIL: 'sender_refused',
  RCPT: 'recipient_refused',
  DATA: 'message_refused',
}

const kindOfFault = (fault: ClientFault): SmtpProblemKind =>
  fault === 'credentials' || fault === 'scope' ? 'auth_failed' : fault
