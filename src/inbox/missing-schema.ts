import { z } from 'zod'
import type { MissingCause, MissingCauseCode, MissingEvidence, MissingMail } from './missing-types.ts'

/** Why a mail may be missing. */
export const missingCauseCodeSchema: z.ZodType<MissingCauseCode> = z.enum([
  'arrived',
  'suppressed',
  'rule',
  'simulator',
  'bounced',
  'failed',
  'pending',
  'scheduled',
  'smtp_session',
  'request',
  'wrong_port',
  'similar_recipient',
  'other_account',
  'no_attempt',
  'fault',
  'other_recipient',
  'retention',
])

/** What shows a cause. */
export const missingEvidenceSchema: z.ZodType<MissingEvidence> = z.strictObject({
  kind: z
    .enum([
      'email',
      'scheduled',
      'smtp_session',
      'request',
      'suppression',
      'rule',
      'fault',
      'account',
      'option',
    ])
    .describe('What it is; `id` is of this kind'),
  id: z.string().nullable().describe('The id of the mail, session or request; null for what has no id'),
  time: z.int().nullable().describe('Unix time in milliseconds; null for what has no time'),
  text: z.string().describe('The evidence in one line: a reply, a subject, a pattern of a rule'),
})

/** One cause that a missing mail may have. */
export const missingCauseSchema: z.ZodType<MissingCause> = z.strictObject({
  cause: missingCauseCodeSchema,
  reason: z
    .string()
    .nullable()
    .describe(
      'More exactly: the `kind` of the problem of an SMTP session, the name of the error of a request, the action of a rule; null if there is no more to say',
    ),
  message: z.string().describe('What happened, in one sentence'),
  remedy: z.string().describe('What to do, in sentences'),
  count: z.int().describe('How many times it was seen'),
  evidence: z.array(missingEvidenceSchema).describe('The newest five, the newest first'),
})

/** Why there is no mail, as `GET /dev/missing` answers it. */
export const missingMailSchema: z.ZodType<MissingMail> = z.strictObject({
  to: z.string().nullable().describe('The recipient that was asked about; null for any'),
  since: z
    .int()
    .describe('From when on requests, sessions and mails were looked at: Unix time in milliseconds'),
  causes: z.array(missingCauseSchema).describe('The likeliest first; never empty'),
})
