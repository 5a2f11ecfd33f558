import { z } from 'zod'
import { mailSections, maxLineLength, maxListedLines } from './listed-lines.ts'
import type { ComparedLine, ComparedSection, MailComparison } from './types.ts'

/** One line of a comparison. */
export const comparedLineSchema: z.ZodType<ComparedLine> = z.strictObject({
  kind: z
    .enum(['same', 'removed', 'added'])
    .describe('In both mails, only in the other one, or only in the mail itself'),
  text: z.string().describe(`At most ${maxLineLength.toLocaleString('en-GB')} characters`),
})

/** How one part of two mails differs. */
export const comparedSectionSchema: z.ZodType<ComparedSection> = z.strictObject({
  name: z.enum(mailSections),
  same: z.boolean(),
  added: z.int().describe('Lines that only the mail itself has'),
  removed: z.int().describe('Lines that only the other one has'),
  lines: z
    .array(comparedLineSchema)
    .describe(`All lines of both, in order; at most ${maxListedLines.toLocaleString('en-GB')}`),
  clipped: z.boolean().describe('Whether there are more lines than are listed'),
})

/** How two mails differ. */
export const mailComparisonSchema: z.ZodType<MailComparison> = z.strictObject({
  id: z.string(),
  other: z.string().describe('The id of the mail that it is compared with'),
  same: z.boolean().describe('Whether no part differs'),
  sections: z.array(comparedSectionSchema),
})
