import { z } from 'zod'
import { headerSchema, streamSchema } from './send-schema.ts'

const enabled = z.strictObject({ Enabled: z.boolean() })
const trigger = enabled.optional()
const notSupported = (what: string): z.ZodOptional<z.ZodNullable<z.ZodLiteral<false>>> =>
  z.literal(false, { error: `must be false: ${what} is not supported` }).nullish()
const withContent = z
  .strictObject({ Enabled: z.boolean(), IncludeContent: notSupported('the content of the email in events') })
  .optional()

/** Which events a webhook gets. */
const triggersSchema = z.strictObject({
  Open: z
    .strictObject({ Enabled: z.boolean(), PostFirstOpenOnly: notSupported('the first open alone') })
    .optional(),
  Click: trigger,
  Delivery: trigger,
  Bounce: withContent,
  SpamComplaint: withContent,
  SubscriptionChange: trigger,
})
export type PostmarkTriggers = z.infer<typeof triggersSchema>

const shared = {
  HttpAuth: z
    .strictObject({ Username: z.string().min(1).max(500), Password: z.string().max(500) })
    .nullish()
    .describe('User name and password for Basic authentication'),
  HttpHeaders: z.array(headerSchema).max(30).nullish().describe('Further headers of each request'),
  Triggers: triggersSchema.optional().describe('At least one has to be enabled'),
}

/** The body of `POST /webhooks`. */
export const newWebhookSchema = z.strictObject({
  Url: z.string().min(1).describe('Where events are posted to'),
  MessageStream: streamSchema
    .nullish()
    .refine((stream) => stream == null || stream === 'outbound', {
      error: 'is not supported: a webhook gets the events of all streams. Leave it out, or give "outbound"',
    })
    .describe('`outbound`: a webhook gets the events of all streams'),
  ...shared,
})

/** The body of `PUT /webhooks/{id}`: what is absent stays. */
export const webhookChangesSchema = z.strictObject({
  Url: z.string().min(1).optional(),
  ...shared,
})
export type PostmarkWebhookChanges = z.infer<typeof webhookChangesSchema>

const withoutContent = z.strictObject({ Enabled: z.boolean(), IncludeContent: z.literal(false) })

/** A webhook. */
export const webhookSchema = z.strictObject({
  ID: z.int(),
  Url: z.string(),
  MessageStream: z.literal('outbound'),
  HttpAuth: z.strictObject({ Username: z.string(), Password: z.string() }).nullable(),
  HttpHeaders: z.array(headerSchema),
  Triggers: z.strictObject({
    Open: z.strictObject({ Enabled: z.boolean(), PostFirstOpenOnly: z.literal(false) }),
    Click: enabled,
    Delivery: enabled,
    Bounce: withoutContent,
    SpamComplaint: withoutContent,
    SubscriptionChange: enabled,
  }),
})
export type PostmarkWebhook = z.infer<typeof webhookSchema>
