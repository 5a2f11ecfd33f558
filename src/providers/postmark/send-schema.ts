import { z } from 'zod'

/** How many emails one batch may have. */
export const maxBatch = 500
/** How many recipients one email may have: those of To, Cc and Bcc together. */
export const maxRecipients = 50

const maxMetadata = 10
const maxMetadataName = 20
const maxMetadataValue = 80

/** A text that may be null, as SDKs of some languages write what is absent. */
const text = z.string().nullish()
const address = z.string().max(20_000).nullish()
const addresses = address.describe('With or without names, separated by commas')

/** A header field. */
export const headerSchema = z.strictObject({ Name: z.string().min(1), Value: z.string() })
export type PostmarkHeader = z.infer<typeof headerSchema>

/** An attachment of an email. */
const attachmentSchema = z.strictObject({
  Name: z.string().min(1),
  Content: z.string().describe('The bytes in base64'),
  ContentType: text.describe('Default: by the name'),
  ContentID: text.describe(
    'Makes it a part of the HTML body, which shows it by `cid:`; with or without `cid:`',
  ),
  ContentLength: z.number().nullish().describe('Has no effect'),
  Disposition: text.describe('Has no effect: an attachment with `ContentID` is inline'),
})
export type PostmarkAttachment = z.infer<typeof attachmentSchema>

/** The name of a message stream. */
export const streamSchema = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,29}$/, 'must be a lower-case letter, then up to 29 of a-z, 0-9, - and _')

const metadata = z
  .record(z.string().max(maxMetadataName), z.string().max(maxMetadataValue))
  .refine((given) => Object.keys(given).length <= maxMetadata, `must have at most ${maxMetadata} names`)
  .refine(
    (given) =>
      new Set(Object.keys(given).map((name) => name.toLowerCase())).size === Object.keys(given).length,
    'must not have a name twice, in different case',
  )
  .nullish()
  .describe(
    `At most ${maxMetadata} names of ${maxMetadataName} characters, with values of ${maxMetadataValue}. Kept as \`metadata\`, and in events`,
  )

/** The members that an email has with and without a template. */
const sharedMembers = {
  From: address.describe('Required'),
  To: addresses,
  Cc: addresses,
  Bcc: addresses,
  ReplyTo: addresses,
  Tag: z.string().max(1000).nullish().describe('Also a tag of the mail in the inbox'),
  Metadata: metadata,
  Headers: z.array(headerSchema).max(100).nullish().describe('Further header fields'),
  Attachments: z.array(attachmentSchema).max(1000).nullish(),
  MessageStream: streamSchema
    .nullish()
    .describe('Any name: Localpost has no streams. Answers and events have it. Default: `outbound`'),
  TrackOpens: z.boolean().nullish().describe('Default: as the domain has it'),
  TrackLinks: z
    .enum(['None', 'HtmlAndText', 'HtmlOnly'], {
      error: ({ input }) =>
        input === 'TextOnly'
          ? 'must not be "TextOnly", which is not supported: only links of HtmlBody can be tracked. Use "HtmlOnly" or "None"'
          : undefined,
    })
    .nullish()
    .describe(
      'Only links of `HtmlBody` are tracked, so `TextOnly` is refused. Default: as the domain has it',
    ),
}

/** The body of `POST /email`. */
export const sendSchema = z.strictObject({
  ...sharedMembers,
  Subject: text,
  HtmlBody: text.describe('`HtmlBody`, `TextBody` or both are required'),
  TextBody: text.describe('Localpost makes no text of `HtmlBody`'),
})
export type PostmarkEmail = z.infer<typeof sendSchema>

/** The body of `POST /email/batch`, as a whole: its emails are checked one by one. */
export const batchSchema = z.array(z.unknown()).min(1)

/** The same for the document. */
export const batchDocumentSchema = z.array(sendSchema).min(1).max(maxBatch)

/** The body of `POST /email/withTemplate`. */
export const templatedSchema = z.strictObject({
  ...sharedMembers,
  TemplateId: z.int().min(1).nullish().describe('`TemplateId` or `TemplateAlias` is required'),
  TemplateAlias: text.describe('The id of a template of this account'),
  TemplateModel: z.record(z.string(), z.unknown()).describe('What the template is rendered with: any JSON'),
  InlineCss: z.boolean().nullish().describe('Has no effect: styles stay where they are'),
})

/** The body of `POST /email/batchWithTemplates`, as a whole: its emails are checked one by one. */
export const templatedBatchSchema = z.strictObject({ Messages: z.array(z.unknown()).min(1) })

/** The same for the document. */
export const templatedBatchDocumentSchema = z.strictObject({
  Messages: z.array(templatedSchema).min(1).max(maxBatch).describe(`At most ${maxBatch}`),
})
