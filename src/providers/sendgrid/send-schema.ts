import { z } from 'zod'

// A message that begins with a capital letter is a whole sentence: see `faultOf` in face.ts.

/** How many emails one request may have. */
const maxPersonalizations = 1000
/** How many recipients the emails of one request may have together. */
export const maxRecipients = 1000

/** An address with its display name. */
const addressSchema = z.strictObject({ email: z.string().max(1000), name: z.string().max(1000).optional() })
export type SendGridAddress = z.infer<typeof addressSchema>

const people = z.array(addressSchema).max(maxRecipients)
const texts = z.record(z.string(), z.string())
const subject = z
  .string()
  .min(1, 'The subject of your email must be a string at least one character in length.')
const sendAt = z
  .int()
  .min(0)
  .max(1e11, 'must be Unix time in seconds')
  .describe('Unix time in seconds, at most 72 hours ahead. What is past is sent at once')

/** One email of a request. */
const personalizationSchema = z.strictObject({
  to: people.min(
    1,
    'The to array is required for all personalization objects, and must have at least one email object with a valid email address.',
  ),
  cc: people.optional(),
  bcc: people.optional(),
  from: addressSchema.optional(),
  subject: subject.optional(),
  headers: texts.optional(),
  substitutions: z
    .record(z.string().min(1).max(200), z.string().nullable())
    .optional()
    .describe('Texts that replace others in the subject, the content and Reply-To'),
  dynamic_template_data: z.record(z.string(), z.unknown()).optional(),
  custom_args: texts.optional(),
  send_at: sendAt.optional(),
})
export type SendGridPersonalization = z.infer<typeof personalizationSchema>

/** A body of an email. */
const contentSchema = z.strictObject({
  type: z.enum(['text/plain', 'text/html']),
  value: z.string().min(1, 'The content value must be a string at least one character in length.'),
})

/** An attachment. */
const attachmentSchema = z.strictObject({
  content: z
    .string()
    .min(1, 'The attachment content must be a string at least one character in length.')
    .describe('The bytes in base64'),
  filename: z.string().max(255),
  type: z.string().min(1).max(255).optional().describe('Default: by the file name'),
  disposition: z.enum(['inline', 'attachment']).optional(),
  content_id: z.string().min(1).max(200).optional().describe('Of an inline attachment'),
})
export type SendGridAttachment = z.infer<typeof attachmentSchema>

const setting = z.strictObject({ enable: z.boolean().optional() }).optional()
const text = z.string().optional()

/** A setting that Localpost does not have, so it cannot be turned on. @param members  Its others, which have no effect. */
const turnedOff = (
  why: string,
  members: z.ZodRawShape = {},
): z.ZodOptional<z.ZodObject<{ enable: z.ZodOptional<z.ZodLiteral<false>> }>> =>
  z
    .strictObject({ ...members, enable: z.literal(false, { error: `must be false: ${why}` }).optional() })
    .optional()
const oneList = turnedOff('there is one list, which bypass_list_management ignores')

/** How an email is handled. */
const mailSettingsSchema = z.strictObject({
  sandbox_mode: setting.describe('Checks the request, stores no email, and answers 200'),
  bypass_list_management: setting.describe('Sends to recipients on the suppression list too'),
  bypass_spam_management: oneList,
  bypass_bounce_management: oneList,
  bypass_unsubscribe_management: oneList,
  footer: turnedOff('Localpost adds no footer', { text, html: text }),
  bcc: turnedOff('give bcc in the personalization', { email: text }),
  spam_check: turnedOff('Localpost has its checks for all mail', {
    threshold: z.number().optional(),
    post_to_url: text,
  }),
})

/** What is tracked of an email. */
const trackingSettingsSchema = z.strictObject({
  click_tracking: z
    .strictObject({ enable: z.boolean().optional(), enable_text: z.boolean().optional() })
    .optional()
    .describe('In place of the settings of the domain; `enable_text` has no effect: links in text stay'),
  open_tracking: z
    .strictObject({
      enable: z.boolean().optional(),
      substitution_tag: z.string().optional().describe('Is removed from the HTML: the pixel is at its end'),
    })
    .optional(),
  subscription_tracking: turnedOff('Localpost adds no link to unsubscribe here', {
    text,
    html: text,
    substitution_tag: text,
  }),
  ganalytics: turnedOff('Localpost adds nothing for Google Analytics to links', {
    utm_source: text,
    utm_medium: text,
    utm_term: text,
    utm_content: text,
    utm_campaign: text,
  }),
})

/** The body of `POST /sendgrid/v3/mail/send`. */
export const mailSchema = z.strictObject({
  personalizations: z
    .array(personalizationSchema)
    .min(1, 'You must have at least one personalization.')
    .max(maxPersonalizations, {
      error: ({ input }) =>
        `The personalization block is limited to ${maxPersonalizations} personalizations per API request. You have provided ${Array.isArray(input) ? input.length : 'more'} personalizations. Please consider splitting this into multiple requests and resending your request.`,
    })
    .describe('The emails. The recipients of one email see each other'),
  from: addressSchema,
  reply_to: addressSchema.optional(),
  reply_to_list: people.min(1).optional().describe('In place of `reply_to`'),
  subject: subject.optional().describe('Required, unless the personalizations or the template have one'),
  content: z
    .array(contentSchema)
    .min(1)
    .max(2)
    .optional()
    .describe('`text/plain` before `text/html`; required without `template_id`'),
  attachments: z.array(attachmentSchema).max(1000).optional(),
  template_id: z.string().min(1).optional(),
  headers: texts.optional().describe('Further header fields; those of a personalization replace them'),
  categories: z
    .array(
      z
        .string()
        .min(1)
        .max(255)
        .regex(/^[^\x00-\x1f\x7f]*$/, 'must have no control characters'),
    )
    .max(10)
    .optional()
    .describe('Tags of the mail in the inbox, cut to 100 characters there; whole in events'),
  custom_args: texts.optional().describe('Kept as `metadata`, and in events'),
  send_at: sendAt.optional(),
  batch_id: z
    .string()
    .regex(/^[\w-]{1,100}$/, 'must be an id of POST /v3/mail/batch')
    .optional()
    .describe('By which emails that wait for `send_at` are cancelled'),
  asm: z
    .strictObject({ group_id: z.int(), groups_to_display: z.array(z.int()).max(25).optional() })
    .optional()
    .describe('Events have `asm_group_id`; no link is added and no group is checked'),
  ip_pool_name: z.string().min(2).max(64).optional().describe('Has no effect'),
  mail_settings: mailSettingsSchema.optional(),
  tracking_settings: trackingSettingsSchema.optional(),
  sections: z.never({ error: 'is not supported: write the texts of sections into substitutions' }).optional(),
})
export type SendGridMail = z.infer<typeof mailSchema>
