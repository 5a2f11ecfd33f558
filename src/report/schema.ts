import { z } from 'zod'
import type { BaselineIndex, BaselineMail, MailRecord, TestRecord } from './types.ts'

/** A mail as a test hands it over: what its page, its list and a comparison show. */
export const mailRecordSchema: z.ZodType<MailRecord> = z.object({
  id: z.string(),
  received: z.number().describe('Unix time in milliseconds'),
  from: z.string(),
  to: z.array(z.string()).describe('The recipients of the envelope'),
  subject: z.string(),
  size_bytes: z.number(),
  recipients: z.array(z.object({ recipient: z.string(), outcome: z.string(), reply: z.string().nullable() })),
  attachments: z.array(z.object({ filename: z.string(), content_type: z.string(), size_bytes: z.number() })),
  html: z
    .string()
    .nullable()
    .describe('For a frame, with its images inside; null if there is none or it is too long'),
  text: z.string(),
  snapshot: z.string().describe('The mail as its snapshot shows it'),
  findings: z.array(
    z.object({
      id: z.string(),
      severity: z.string(),
      message: z.string(),
      fix: z.string(),
      line: z.number().nullable(),
    }),
  ),
  problem: z.string().nullable().describe('What is not shown, and why; null if all is'),
})

/** The data that one test passes to the reporter. */
export const testRecordSchema: z.ZodType<TestRecord> = z.object({
  file: z.string().describe('Path of the test file'),
  name: z.string().describe('Suites and test, joined by ` > `'),
  mails: z.array(mailRecordSchema),
  problem: z.string().nullable().describe('What is not shown, and why; null if all is'),
})

/** A mail in the list of a report of an earlier run. */
export const baselineMailSchema: z.ZodType<BaselineMail> = z.object({
  key: z.string().describe('The same in every run: test file, test, recipients, and a number'),
  file: z.string(),
  test: z.string(),
  to: z.array(z.string()),
  subject: z.string(),
  digest: z.string().describe('Checksum of the snapshot'),
})

/** The data that is read from the report of an earlier run. */
export const baselineIndexSchema: z.ZodType<BaselineIndex> = z.object({
  version: z.literal(1),
  mails: z.array(baselineMailSchema),
})
