import { z } from 'zod'
import { transcriptLineSchema } from './schema.ts'
import type { SmtpProblem, SmtpProblemKind, SmtpSession, SmtpSessionSummary } from './smtp-session-types.ts'

/** Why mail of an SMTP session was not captured. */
export const smtpProblemKindSchema: z.ZodType<SmtpProblemKind> = z.enum([
  'http',
  'implicit_tls',
  'plain_text',
  'certificate',
  'handshake',
  'no_handshake',
  'too_many_connections',
  'too_slow',
  'too_many_commands',
  'closing',
  'fault',
  'rule',
  'auth_required',
  'auth_failed',
  'auth_unsupported',
  'starttls_refused',
  'sender_refused',
  'recipient_refused',
  'too_large',
  'message_refused',
  'command_refused',
  'no_message',
  'disconnected',
  'silent',
])

/** A problem of an SMTP session, and what to do. */
export const smtpProblemSchema: z.ZodType<SmtpProblem> = z.strictObject({
  kind: smtpProblemKindSchema,
  message: z.string().describe('What went wrong, in one sentence'),
  advice: z.string().describe('What to do, in sentences'),
  command: z.string().nullable().describe('The command that was refused, without credentials'),
  reply: z.string().nullable().describe('The reply to it'),
})

const summary = {
  id: z.string(),
  started: z.int().describe('Unix time in milliseconds'),
  ended: z.int().nullable().describe('Unix time in milliseconds; null while the session is open'),
  remote_address: z.string().describe('Address and port of the client'),
  client_name: z.string().describe('The name that the client gave with EHLO or HELO; `""` without one'),
  user: z.string().nullable().describe('The user name of a successful AUTH'),
  secure: z.boolean().describe('Whether TLS is on'),
  message_count: z.int().describe('How many messages were captured'),
  mail_from: z
    .string()
    .nullable()
    .describe('The address of the last MAIL FROM that is kept; `""` for a bounce; null before the first'),
  rcpt_to: z
    .array(z.string())
    .describe('The addresses of the RCPT TO after it, accepted or not, as far as they are kept'),
  email_ids: z.array(z.string()).describe('Of the captured messages whose transcript is kept'),
  problems: z
    .array(smtpProblemSchema)
    .describe('One for each kind, the first one first; `[]` if nothing went wrong'),
}

/** An SMTP session in the list of `/dev/smtp-sessions`. */
export const smtpSessionSummarySchema: z.ZodType<SmtpSessionSummary> = z.strictObject(summary)

/** An SMTP session with its transcript. */
export const smtpSessionSchema: z.ZodType<SmtpSession> = z.strictObject({
  ...summary,
  transcript: z
    .array(transcriptLineSchema)
    .describe('Without credentials; the end of long transactions and the last ten transactions are kept'),
})
