import { z } from 'zod'
import type { CheckReport, CheckRun, Finding, Place, Severity } from './types.ts'

/** The severity of a finding: recipients are affected, may be affected, or it is good to know. */
export const severitySchema: z.ZodType<Severity> = z.enum(['error', 'warning', 'note'])

/** Where a finding is in a mail. */
export const placeSchema: z.ZodType<Place> = z.strictObject({
  part: z.enum(['header', 'html', 'text']),
  header: z.string().nullable().describe('The name of the header field; null in the bodies'),
  line: z.int().nullable().describe('Line of the body, from 1 on; null in the header'),
  snippet: z.string().nullable().describe('What is written there, at most 160 characters'),
})

/** Something that a check found in a mail. */
export const findingSchema: z.ZodType<Finding> = z.strictObject({
  id: z.string().describe('The id of the check, as in docs/checks.md'),
  severity: severitySchema,
  message: z.string().describe('What is wrong, in a sentence'),
  place: placeSchema.nullable().describe('Null if it concerns the whole mail'),
  fix: z.string().describe('What to do, in a sentence'),
  link: z.string().describe('A page that explains the check'),
  clients: z
    .strictObject({
      unsupported: z.array(z.string()).describe('The keys of the mail clients that ignore it'),
      partial: z.array(z.string()).describe('The keys of the mail clients that support it partly'),
    })
    .nullable()
    .describe('The mail clients that are affected; null if it does not depend on the client'),
})

/** A check that ran. */
export const checkRunSchema: z.ZodType<CheckRun> = z.strictObject({
  id: z.string(),
  title: z.string().describe('What a mail that passes has'),
  headline: z.string().describe('What is wrong, in a few words; the title if it found nothing'),
  group: z.string().describe('A heading for checks of the same kind'),
  outcome: z
    .enum(['passed', 'found', 'skipped', 'gave_up'])
    .describe('`skipped`: it needs what is not known here. `gave_up`: it took too long'),
  severity: severitySchema.nullable().describe('The worst of its findings; null if there is none'),
  count: z.int().describe('How many findings there are; at most 50 of them are listed'),
  message: z
    .string()
    .nullable()
    .describe('Why it was skipped or gave up, or what it measured; null otherwise'),
})

/** The findings of the checks of a mail. */
export const checkReportSchema: z.ZodType<CheckReport> = z.strictObject({
  findings: z.array(findingSchema).describe('The worst first'),
  checks: z.array(checkRunSchema).describe('The checks that apply to the mail'),
})
