import type { SmtpProblem, SmtpProblemKind } from '../inbox/smtp-session-types.ts'
import type { ClientFault } from './client-faults.ts'
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
  if (fault !== null) return [problem(kindOfFault[fault])]
  const problems = new Map<SmtpProblemKind, SmtpProblem>()
  for (const refused of notes.refusals) {
    const kind = kindOf(refused)
    if (!problems.has(kind)) problems.set(kind, problem(kind, refused))
  }
  if (notes.cutBy !== null && !problems.has(notes.cutBy))
    problems.set(notes.cutBy, problem(notes.cutBy, { command: notes.command }))
  if (problems.size === 0 && message_count === 0 && !isOpen) {
    const { command } = notes
    const kind = command === '' ? 'silent' : isQuit(command) ? 'no_message' : 'disconnected'
    problems.set(kind, problem(kind, { command }))
  }
  return [...problems.values()]
}

/** What a fault of a client is, in one sentence. */
export function messageOfFault(fault: ClientFault): string {
  return problem(kindOfFault[fault]).message
}

function problem(
  kind: SmtpProblemKind,
  { command = '', reply = '' }: Partial<RefusedCommand> = {},
): SmtpProblem {
  const [message, advice] = wordsOf[kind]
  return { kind, message, advice, command: command || null, reply: reply || null }
}

function kindOf({ command, code, problem }: RefusedCommand): SmtpProblemKind {
  return problem ?? kindOfCode[code] ?? kindOfVerb[command.slice(0, 4).toUpperCase()] ?? 'command_refused'
}

const kindOfCode: Readonly<Record<number, SmtpProblemKind>> = { 530: 'auth_required', 552: 'too_large' }

const kindOfVerb: Readonly<Record<string, SmtpProblemKind>> = {
  AUTH: 'auth_failed',
  STAR: 'starttls_refused',
  MAIL: 'sender_refused',
  RCPT: 'recipient_refused',
  DATA: 'message_refused',
}

const isQuit = (command: string): boolean => /^QUIT\b/i.test(command)

const kindOfFault: Readonly<Record<ClientFault, SmtpProblemKind>> = {
  certificate: 'certificate',
  handshake: 'handshake',
  'no-handshake': 'no_handshake',
  'implicit-tls': 'implicit_tls',
  'plain-text': 'plain_text',
  http: 'http',
  credentials: 'auth_failed',
  scope: 'auth_failed',
}

const wordsOf: Readonly<Record<SmtpProblemKind, readonly [message: string, advice: string]>> = {
  http: ['An HTTP request came to the SMTP port.', 'Send it to the HTTP port.'],
  implicit_tls: [
    'The client began with TLS, but the SMTP port expects plain text first.',
    'Turn implicit TLS off in the client (`secure: false`, `smtp://`). TLS is there with STARTTLS where `smtpTls` is on, and from the start at the port of `smtpsPort`.',
  ],
  plain_text: [
    'The client sent or awaited plain text at the SMTPS port, where TLS begins at once.',
    'Turn implicit TLS on in the client (`secure: true`, `smtps://`), or send to the SMTP port.',
  ],
  certificate: [
    'The client did not accept the certificate.',
    'Make the client trust the certificate, turn its certificate check off, or give `smtpTls` or `--tls-cert` a certificate that the client trusts.',
  ],
  handshake: [
    'The TLS handshake failed.',
    'Check which TLS versions the client uses, and that it speaks TLS at all.',
  ],
  no_handshake: [
    'The client was about to use TLS, and ended the connection before the handshake.',
    'Check that the client can use TLS, and that it was not stopped.',
  ],
  too_many_connections: [
    'Too many connections were open.',
    'Send through fewer connections at once, or raise `limits.smtpClients` and `limits.smtpClientsPerAddress`.',
  ],
  too_slow: [
    'The client took too long.',
    'Check whether the app hangs while it sends, or keeps connections it does not use.',
  ],
  too_many_commands: [
    'The client sent too many commands without a message.',
    'Check whether the app repeats a refused command in a loop.',
  ],
  closing: ['Localpost was closing.', 'Start Localpost again, and send the mail again.'],
  fault: [
    'A fault that is on applied to this session.',
    'Turn it off under "Rules and faults", or with `DELETE /dev/faults`.',
  ],
  rule: [
    'A rule closed the connection.',
    'Change the rule under "Rules and faults", or turn `rejectSubmissions` off.',
  ],
  auth_required: [
    'The client did not authenticate, and `smtpAuth` is `required`.',
    'Set an API key as the password in the client, or start Localpost with `--smtp-auth optional` (`smtpAuth`).',
  ],
  auth_failed: [
    'The credentials were refused.',
    'Set an API key with the scope `full` or `send` as the password, with any user name.',
  ],
  auth_unsupported: [
    'The client asked for a kind of AUTH that is not offered.',
    'Choose PLAIN or LOGIN in the client. Without `smtpAuth` as `required` it may also send without a login.',
  ],
  starttls_refused: [
    'STARTTLS was refused.',
    'Start Localpost with `--smtp-tls` (`smtpTls`), or turn TLS and STARTTLS off in the settings of the app.',
  ],
  sender_refused: [
    'The sender was refused.',
    'The reply says why. Correct the address of MAIL FROM or its parameters.',
  ],
  recipient_refused: [
    'A recipient was refused.',
    'The reply says why. Correct the address, or change the rule for it under "Rules and faults".',
  ],
  too_large: [
    'The message is too large.',
    'Send fewer or smaller attachments: the limit is in the reply to EHLO, after SIZE.',
  ],
  message_refused: [
    'The message was refused.',
    'The reply says why. If it begins with 452, make room on the disk and send the mail again.',
  ],
  command_refused: ['A command was refused.', 'The reply says why. Check that the client speaks SMTP.'],
  no_message: [
    'The client left before it sent a message.',
    'If it meant to send one, look at its own log: it may need STARTTLS, or a kind of AUTH other than PLAIN and LOGIN, and not find it in the reply to EHLO. Health checks look like this too.',
  ],
  disconnected: [
    'The connection ended before a message was complete.',
    'Look at the log of the client: a timeout, a crash, or a reply that it did not expect.',
  ],
  silent: [
    'The client connected and sent nothing.',
    'Port checks look like this. If an app did it, it may have given up, or it expects another protocol at this port.',
  ],
}
