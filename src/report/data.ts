import { z } from 'zod'
import type { DiffLine } from '../compare/line-diff.ts'

const mailRecordSchema = z.object({
  id: z.string(),
  /** Unix time in milliseconds. */
  received: z.number(),
  from: z.string(),
  /** The recipients of the envelope. */
  to: z.array(z.string()),
  subject: z.string(),
  size_bytes: z.number(),
  recipients: z.array(z.object({ recipient: z.string(), outcome: z.string(), reply: z.string().nullable() })),
  attachments: z.array(z.object({ filename: z.string(), content_type: z.string(), size_bytes: z.number() })),
  /** For a frame, with its images inside; null if there is none or it is too long. */
  html: z.string().nullable(),
  text: z.string(),
  /** The mail as its snapshot shows it. */
  snapshot: z.string(),
  findings: z.array(
    z.object({
      id: z.string(),
      severity: z.string(),
      message: z.string(),
      fix: z.string(),
      line: z.number().nullable(),
    }),
  ),
  /** What is not shown, and why; null if all is. */
  problem: z.string().nullable(),
})

/** A mail as a test hands it over: what its page, its list and a comparison show. */
export type MailRecord = z.infer<typeof mailRecordSchema>

/** A mail as the page reads it when it is opened. */
export interface WrittenMail extends MailRecord {
  /** Against the baseline; null if the mail is the same or new, or if there is nothing to compare with. */
  diff: DiffLine[] | null
}

const testRecordSchema = z.object({
  /** Path of the test file. */
  file: z.string(),
  /** Suites and test, joined by ` > `. */
  name: z.string(),
  mails: z.array(mailRecordSchema),
  /** What is not shown, and why; null if all is. */
  problem: z.string().nullable(),
})

/** The data that one test passes to the reporter. */
export type TestRecord = z.infer<typeof testRecordSchema>

/** @throws Error if it is no record of a test. */
export function parseTestRecord(json: string): TestRecord {
  return testRecordSchema.parse(JSON.parse(json))
}

const baselineMailSchema = z.object({
  /** The same in every run: test file, test, recipients, and a number. */
  key: z.string(),
  file: z.string(),
  test: z.string(),
  to: z.array(z.string()),
  subject: z.string(),
  /** Checksum of the snapshot. */
  digest: z.string(),
})

/** The members of a listed mail that are read from the report of an earlier run. */
export type BaselineMail = z.infer<typeof baselineMailSchema>

const baselineSchema = z.object({ version: z.literal(1), mails: z.array(baselineMailSchema) })

/** The mails in the {@link ReportIndex} of an earlier run. @throws Error if it is none. */
export function parseBaselineMails(json: string): BaselineMail[] {
  return baselineSchema.parse(JSON.parse(json)).mails
}

/** A mail in the list of a report; the rest of it is read when it is opened. */
export interface ReportMail extends BaselineMail {
  /** The state of the test, such as `passed` or `failed`. */
  state: string
  from: string
  received: number
  /** The outcomes of its recipients, each named once, separated by commas. */
  outcome: string
  errors: number
  warnings: number
  /** The result of the comparison with the baseline; null without one. */
  change: 'new' | 'changed' | 'same' | null
}

/** The data of a report without the bodies of the mails. */
export interface ReportIndex {
  version: 1
  /** Unix time in milliseconds. */
  written: number
  mails: ReportMail[]
  /** Mails of the baseline that are not in this run. */
  gone: Pick<BaselineMail, 'file' | 'test' | 'to' | 'subject'>[]
  /** Why something is missing. */
  problems: string[]
  /** Name of the file of the baseline; null without one. */
  baseline: string | null
}
