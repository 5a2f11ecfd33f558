import { z } from 'zod'
import { maxMessageBytes } from '../mime/message-size.ts'
import { attachmentReferenceSchema } from '../attachments/schema.ts'
import { maxSubjectBytes } from './render.ts'
import type { SendRequest, VariableValue } from './send-types.ts'

/** How many entries an array of a send request may have. The interface states no limits: these only bound memory. */
export const maxEntries = 100
/** How many variables a send request may have: describing each wrong one takes time. */
export const maxVariables = 1000
const address = z.string().min(1).max(20_000)
const addresses = z
  .union([address, z.array(address).max(maxEntries)])
  .describe(
    'One address, with or without display name. A comma-separated list or an array is accepted with a warning.',
  )

/** The members of a variable that is an object. */
export const variableMembers: {
  readonly value: z.ZodType<string | null | undefined>
  readonly default: z.ZodType<string | undefined>
} = {
  value: z.string().nullish(),
  default: z.string().optional(),
}

/** A value for a placeholder: itself, or with a default that is used where `value` is null or absent. */
export const variableValueSchema: z.ZodType<VariableValue> = z.union(
  [z.string(), z.object(variableMembers)],
  'must be a string or an object with `value` and `default`',
)

/** The members of a send request, each with its own schema, so that one answer can name every wrong one. */
export const sendMembers: {
  readonly [Name in keyof SendRequest]-?: z.ZodType<SendRequest[Name]>
} = {
  from: address.describe('Sender as display name plus address; its domain determines the signature'),
  to: addresses,
  subject: z
    .string()
    .max(maxSubjectBytes)
    .optional()
    .describe(
      `Required unless the template has one; at most ${maxSubjectBytes} bytes in UTF-8, also with variables filled in`,
    ),
  html: z
    .string()
    .optional()
    .describe(
      `HTML body, with placeholders in double curly braces; the bodies together at most ${maxMessageBytes} bytes, also with variables filled in`,
    ),
  text: z.string().optional().describe('Plain-text body, with the same placeholders'),
  template_id: z
    .string()
    .min(1)
    .optional()
    .describe('A stored template; the request’s own members take precedence'),
  cc: addresses.optional(),
  bcc: addresses.optional(),
  reply_to: address.optional(),
  variables: z
    .record(z.string(), variableValueSchema)
    .optional()
    .meta({
      description: `Name to value, or to value and default; at most ${maxVariables}`,
      maxProperties: maxVariables,
    }),
  attachments: z.array(attachmentReferenceSchema).max(maxEntries).optional(),
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
