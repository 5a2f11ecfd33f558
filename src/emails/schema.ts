import type { AttachmentReference } from '../attachments/attachments.ts'
import { z } from 'zod'
import { bounceSubtypes, bounceTypes } from './email.ts'
import type {
  BounceSubtype,
  BounceType,
  EmailDetail,
  EmailListItem,
  EmailType,
  LastEvent,
  RecipientEvent,
  RecipientStatus,
  SendRequest,
  VariableValue,
} from './email.ts'
import { maxMessageBytes } from '../attachments/attachments.ts'
import { maxSubjectBytes } from './render.ts'

// Limits of the schema are generous: they bound memory, the interface states none.
/** How many entries an array of a send request may have. */
export const maxEntries = 100
/** How many variables a send request may have: each one that is wrong takes a while to name. */
export const maxVariables = 1000
const address = z.string().min(1).max(20_000)
const addresses = z
  .union([address, z.array(address).max(maxEntries)])
  .describe('One address, with or without display name. A comma list or an array is accepted and warned of.')
const body = z.string()
const ms = z.int().describe('Unix time in milliseconds')

/** The value of one variable. */
export const variableValue: z.ZodType<VariableValue> = z.union(
  [z.string(), z.object({ value: z.string().nullish(), default: z.string().optional() })],
  'must be a string or an object with `value` and `default`',
)

const attachmentReference: z.ZodType<AttachmentReference> = z.object({
  filename: z.string().min(1).max(255).describe('Without path separators or control characters'),
  path: z.string().min(1).describe('An http(s) URL, a `data:` URI, or a file under `attachments.root`'),
  content_type: z.string().optional().describe('Default: by the file name'),
})

/** The members of a send request, each with its own schema, so that one answer can name every wrong one. */
export const sendMembers: {
  readonly [Name in keyof SendRequest]-?: z.ZodType<SendRequest[Name]>
} = {
  from: address.describe('Sender, display name plus address form; the domain decides about the signature'),
  to: addresses,
  subject: z
    .string()
    .max(maxSubjectBytes)
    .optional()
    .describe(
      `Required unless the template has one; at most ${maxSubjectBytes} bytes in UTF-8, also with variables filled in`,
    ),
  html: body
    .optional()
    .describe(
      `HTML body, with placeholders in double curly braces; the bodies together at most ${maxMessageBytes} bytes, also with variables filled in`,
    ),
  text: body.optional().describe('Plain-text body, with the same placeholders'),
  template_id: z.string().min(1).optional().describe('A stored template; the request’s own members win'),
  cc: addresses.optional(),
  bcc: addresses.optional(),
  reply_to: address.optional(),
  variables: z
    .record(z.string(), variableValue)
    .optional()
    .meta({
      description: `Name to value, or to value and default; at most ${maxVariables}`,
      maxProperties: maxVariables,
    }),
  attachments: z.array(attachmentReference).max(maxEntries).optional(),
}

/** The body of `POST /v1/emails`, docs/interface.md 4.2. Unknown members are ignored here and warned of elsewhere. */
export const sendRequestSchema: z.ZodType<SendRequest> = z.object(sendMembers).meta({
  description: 'At least one non-empty `html`, `text` or `template_id` is required.',
  example: {
    from: 'Acme <hi@acme.test>',
    to: 'ada@example.com',
    subject: 'Hi {{name}}',
    text: 'Hello {{name}}',
    variables: { name: 'Ada' },
  },
})

const type: z.ZodType<EmailType> = z.enum(['transactional', 'broadcast'])
/** The type of a bounce. */
export const bounceType: z.ZodType<BounceType> = z.enum(bounceTypes)
/** The subtype of a bounce. */
export const bounceSubtype: z.ZodType<BounceSubtype> = z.enum(bounceSubtypes)

const toRecipient = { recipient: z.string(), timestamp: ms }
const hit = { ip: z.string(), user_agent: z.string() }
const bounce = { type: bounceType, subtype: bounceSubtype }

/** `last_event`, docs/interface.md 2.3. */
export const lastEventSchema: z.ZodType<LastEvent> = z.union([
  z.strictObject({
    ...toRecipient,
    status: z.enum(['sent', 'opened', 'complained', 'failed', 'delivery_delayed']),
  }),
  z.strictObject({
    ...toRecipient,
    status: z.literal('delivered'),
    processing_time_millis: z.int(),
    reporting_mta: z.string(),
    smtp_response: z.string(),
  }),
  z.strictObject({ ...toRecipient, status: z.literal('bounced'), ...bounce }),
  z.strictObject({ ...toRecipient, status: z.literal('clicked'), link: z.string(), ...hit }),
])

const recipientStatus: z.ZodType<RecipientStatus> = z.union([
  z.strictObject({
    ...toRecipient,
    status: z.enum(['sent', 'delivered', 'opened', 'clicked', 'delivery_delayed', 'complained', 'failed']),
  }),
  z.strictObject({ ...toRecipient, status: z.literal('bounced'), ...bounce }),
])

/** An event of a recipient in the detail, docs/interface.md 2.2. */
export const recipientEventSchema: z.ZodType<RecipientEvent> = z.union([
  z.strictObject({
    timestamp: ms,
    status: z.enum(['sent', 'delivered', 'bounced', 'delivery_delayed', 'complained', 'failed']),
  }),
  z.strictObject({ timestamp: ms, status: z.enum(['opened', 'clicked']), ...hit }),
])

const listMembers = {
  id: z.string(),
  type,
  to: z.array(z.string()),
  subject: z.string(),
  last_event: lastEventSchema,
  email_sent_timestamp: ms,
}

/** An email in a list, docs/interface.md 2.1. */
export const emailListItemSchema: z.ZodType<EmailListItem> = z.strictObject({
  ...listMembers,
  recipient_statuses: z.array(recipientStatus),
})

/** An email in detail, docs/interface.md 2.2. */
export const emailDetailSchema: z.ZodType<EmailDetail> = z.strictObject({
  ...listMembers,
  template_id: z.string().nullable(),
  domain_id: z.string(),
  html: z.string(),
  text: z.string(),
  from: z.string(),
  recipient_statuses: z.array(
    z.strictObject({ recipient: z.string(), events: z.array(recipientEventSchema) }),
  ),
})
