import { z } from 'zod'
import { notSupported } from '../not-supported.ts'

/** How many recipients one email may have. */
export const maxRecipients = 50
/** How many emails one bulk request may have. */
const maxBulk = 50

const maxData = 262_144
const addresses = z.array(z.string().min(1)).max(maxRecipients).optional()

/** A text, with the charset that SES would write it in. */
export const textSchema = z.strictObject({
  Data: z.string(),
  Charset: z.string().optional().describe('Has no effect: messages are in UTF-8'),
})

/** Recipients. */
const destinationSchema = z.strictObject({
  ToAddresses: addresses,
  CcAddresses: addresses,
  BccAddresses: addresses,
})

/** A header field. */
const fieldSchema = z.strictObject({ Name: z.string().min(1).max(126), Value: z.string().max(995) })
export type SesField = z.infer<typeof fieldSchema>

/** An attachment. */
const attachmentSchema = z.strictObject({
  RawContent: z.string().describe('The bytes in base64'),
  FileName: z.string().min(1).max(255),
  ContentType: z.string().max(78).optional().describe('Default: by the file name'),
  ContentId: z.string().min(1).max(78).optional().describe('Makes it a part of the HTML body'),
  ContentDisposition: z.enum(['ATTACHMENT', 'INLINE']).optional().describe('`INLINE` takes `ContentId`'),
  ContentTransferEncoding: z
    .enum(['BASE64', 'QUOTED_PRINTABLE', 'SEVEN_BIT'])
    .optional()
    .describe('Has no effect: Localpost chooses the encoding'),
  ContentDescription: z.string().max(1000).optional().describe('Has no effect'),
})
export type SesAttachment = z.infer<typeof attachmentSchema>

const fields = z.array(fieldSchema).max(15).optional()
const attachments = z.array(attachmentSchema).max(1000).optional()

/** A message in parts. */
const simpleSchema = z.strictObject({
  Subject: textSchema,
  Body: z.strictObject({ Text: textSchema.optional(), Html: textSchema.optional() }),
  Headers: fields,
  Attachments: attachments,
})

/** A whole message. */
const rawSchema = z.strictObject({ Data: z.string().min(1).describe('The message in base64') })

/** The use of a template: one that is stored, or one in the request. */
const templateUseSchema = z.strictObject({
  TemplateName: z.string().min(1).optional(),
  TemplateArn: z.never({ error: 'is not supported: give TemplateName' }).optional(),
  TemplateContent: z
    .strictObject({
      Subject: z.string().optional(),
      Text: z.string().optional(),
      Html: z.string().optional(),
    })
    .optional(),
  TemplateData: z.string().max(maxData).optional().describe('A JSON object'),
  Headers: fields,
  Attachments: attachments,
})
export type SesTemplateUse = z.infer<typeof templateUseSchema>

/** What is sent: one of the members. */
const contentSchema = z
  .strictObject({
    Simple: simpleSchema.optional(),
    Raw: rawSchema.optional(),
    Template: templateUseSchema.optional(),
  })
  .refine((content) => Object.values(content).filter((one) => one !== undefined).length === 1, {
    error: 'must have exactly one of Simple, Raw and Template',
  })

const tagText = z
  .string()
  .min(1)
  .max(256)
  .regex(/^[A-Za-z0-9_.@-]*$/, 'may have only ASCII letters, digits and _ - . @')

/** A tag of an email, which its events have too. */
export const tagSchema = z.strictObject({ Name: tagText, Value: tagText })

const tags = z.array(tagSchema).max(50).optional()

const tracking = z.enum(['ENABLED', 'DISABLED']).optional()
const noEffect = z.string().optional().describe('Has no effect')

const shared = {
  ReplyToAddresses: addresses,
  FeedbackForwardingEmailAddress: noEffect,
  FeedbackForwardingEmailAddressIdentityArn: noEffect,
  FromEmailAddressIdentityArn: noEffect,
  ConfigurationSetName: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .describe('One that was created. Events have it as the tag `ses:configuration-set`'),
  ConfigurationOverrides: z
    .strictObject({
      Tracking: z.strictObject({ OpenTrackingEnabled: tracking, ClickTrackingEnabled: tracking }).optional(),
    })
    .optional(),
  EndpointId: notSupported('Localpost has one region'),
  TenantName: notSupported('Localpost has accounts, which the key chooses'),
}

/** The body of `SendEmail`. */
export const sendSchema = z.strictObject({
  ...shared,
  FromEmailAddress: z.string().min(1).optional().describe('Required, unless `Raw` is given'),
  Destination: destinationSchema.optional().describe('Required, unless `Raw` is given'),
  Content: contentSchema,
  EmailTags: tags,
  ListManagementOptions: notSupported('Localpost has no contact lists at this interface'),
})
export type SesSend = z.infer<typeof sendSchema>

/** An email of a bulk request. */
const bulkEntrySchema = z.strictObject({
  Destination: destinationSchema,
  ReplacementTags: tags,
  ReplacementEmailContent: z
    .strictObject({
      ReplacementTemplate: z
        .strictObject({ ReplacementTemplateData: z.string().max(maxData).optional() })
        .optional(),
    })
    .optional(),
  ReplacementHeaders: fields,
})

/** The body of `SendBulkEmail`. */
export const bulkSchema = z.strictObject({
  ...shared,
  FromEmailAddress: z.string().min(1),
  DefaultContent: z.strictObject({ Template: templateUseSchema }),
  DefaultEmailTags: tags,
  BulkEmailEntries: z.array(bulkEntrySchema).min(1).max(maxBulk),
})
export type SesBulk = z.infer<typeof bulkSchema>
