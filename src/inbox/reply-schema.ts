import { z } from 'zod'
import { contentAttachmentSchema, maxHeaderChars, maxHeaders, maxWholeEntries } from '../sending/schema.ts'
import type { ReplyRequest } from './reply-types.ts'

/** How many header fields an answer may have beside In-Reply-To and References. */
const maxGiven = maxHeaders - 2

/** The members of {@link replyRequestSchema}. */
export const replyMembers: { readonly [Name in keyof ReplyRequest]-?: z.ZodType<ReplyRequest[Name]> } = {
  from: z
    .string()
    .min(1)
    .max(1000)
    .optional()
    .describe(
      'The recipient of the mail who answers: a bare address. Default: the first one of the envelope',
    ),
  text: z.string().optional().describe('Plain-text body; at least one of `text` and `html` is required'),
  html: z.string().optional().describe('HTML body'),
  quote: z
    .boolean()
    .optional()
    .describe(
      'Whether the mail is quoted below: in `text` by lines that begin with `> `, in `html` as a blockquote. Default: false',
    ),
  headers: z
    .record(z.string(), z.string())
    .refine(
      (given) => Object.keys(given).length <= maxGiven,
      `must have at most ${maxGiven} names: with In-Reply-To and References, ${maxHeaders}`,
    )
    .optional()
    .meta({
      description: `Further header fields by name: at most ${maxGiven}, and ${maxHeaderChars} characters together, those of References included. Fields that Localpost writes itself are refused`,
      maxProperties: maxGiven,
    }),
  attachments: z.array(contentAttachmentSchema).max(maxWholeEntries).optional().describe('Files to attach'),
  force: z
    .boolean()
    .optional()
    .describe(
      'Answer even a mail that was sent automatically: one with the field Auto-Submitted, or with an empty envelope sender. Default: false',
    ),
}

/** The answer to a mail, as its recipient gives it. */
export const replyRequestSchema: z.ZodType<ReplyRequest> = z
  .strictObject(replyMembers)
  .meta({ example: { text: 'Thank you, that works.', quote: true } })
