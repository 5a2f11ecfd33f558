import { z } from 'zod'
import { quote } from '../core/quote.ts'
import { domainDataSchema } from '../domains/schema.ts'
import { kindOfAddress, uncallableProblem } from '../net/addresses.ts'
import { hostOfUrl } from '../net/hosts.ts'
import { domainEventTypes, emailEventTypes, eventGroups, webhookCreatedType } from './event-types.ts'
import type {
  DomainEventType,
  DomainPayload,
  EmailEventType,
  Webhook,
  WebhookAttempt,
  WebhookCreatedPayload,
  WebhookDelivery,
  WebhookDeliveryState,
  WebhookInput,
  WebhookPattern,
} from './types.ts'

/** The type of an event of an email. */
export const emailEventTypeSchema: z.ZodType<EmailEventType> = z.enum(emailEventTypes)
/** The type of an event of a domain. */
export const domainEventTypeSchema: z.ZodType<DomainEventType> = z.enum(domainEventTypes)

/** The body of a request to a webhook for an event of a domain. */
export const domainPayloadSchema: z.ZodType<DomainPayload> = z.strictObject({
  type: domainEventTypeSchema,
  timestamp: z.string().describe('The time of the event: ISO 8601 in UTC, as in Standard Webhooks'),
  data: domainDataSchema,
})

/** The first delivery to a webhook that its receiver has to confirm. */
export const webhookCreatedPayloadSchema: z.ZodType<WebhookCreatedPayload> = z.strictObject({
  type: z.literal(webhookCreatedType),
  timestamp: z.string().describe('ISO 8601 in UTC'),
  data: z.strictObject({ webhook_id: z.string() }),
})

const patternNames = [...eventGroups, ...emailEventTypes, ...domainEventTypes]

/** The events of a webhook: one event, all of one kind, or everything. */
export const webhookPatternSchema: z.ZodType<WebhookPattern> = z.enum(patternNames)

const patterns = z.array(webhookPatternSchema)

const minKeyBytes = 24
const maxKeyBytes = 64
const keyLength = `${minKeyBytes} to ${maxKeyBytes} bytes`
const secret = z
  .string()
  .regex(
    /^whsec_(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
    'must be "whsec_" and base64, as Standard Webhooks has it; leave it out to have one made',
  )
  .refine((text) => isKeyLong(text), `must be "whsec_" and the base64 of ${keyLength}`)

const shape = z.string().min(1).max(40)
const shapeEvents = z.array(z.string().min(1).max(80)).min(1).max(100)

const maxWebhookHeaders = 30
const headers = z
  .record(
    z
      .string()
      .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/, 'must be the name of a header')
      .refine((name) => !isReservedHeader(name), 'must not be the name of a header that Localpost writes'),
    z
      .string()
      .max(4000)
      .regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'must be one line of visible characters of ISO 8859-1'),
  )
  .refine(
    (given) => Object.keys(given).length <= maxWebhookHeaders,
    `must have at most ${maxWebhookHeaders} names`,
  )

const inputMembers = {
  url: z
    .string()
    .max(2000)
    .superRefine((text, context) => {
      const problem = urlFormProblem(text)
      if (problem !== null) context.addIssue({ code: 'custom', message: problem })
    })
    .describe(
      'Where events are posted to: http or https, without user name and password; this machine and private networks are fine, link-local and metadata addresses are not',
    ),
  secret: secret.optional().describe(`\`whsec_\` and the base64 of ${keyLength}. Default: one is made`),
  events: patterns
    .min(1)
    .max(patternNames.length)
    .optional()
    .describe('Names of events, `email.*`, `domain.*` or `*`. Default: `*`'),
  shape: shape
    .optional()
    .describe(
      'The provider whose form and signature the events of emails have, such as `resend`; it gets none of domains. Default: that of Localpost',
    ),
  headers: headers
    .optional()
    .describe(
      'Further headers of each request, such as `authorization`, for a receiver that asks for them. Default: none',
    ),
  shape_events: shapeEvents
    .optional()
    .describe('Only with `shape`, in place of `events`: names of events of the provider. Default: all'),
}

/** A webhook to create: the body of `POST /dev/webhooks`, and an entry of the option `webhooks`. */
export const webhookInputSchema: z.ZodType<WebhookInput> = z.strictObject(inputMembers)

/**
 * The changes of a webhook that are checked as those of a new one. The provider's face has checked `enabled`, and
 * `withChanges` checks `shape_events` by the shape of the webhook.
 */
export const checkedChangesSchema: z.ZodType<Pick<Partial<WebhookInput>, 'url' | 'headers'>> = z.strictObject(
  {
    url: inputMembers.url.optional(),
    headers: headers.optional(),
  },
)

/** How many webhooks there may be, those of the options included. */
export const maxWebhooks = 20

/** The option `webhooks`. */
export const webhookOptionSchema: z.ZodType<WebhookInput[]> = z.array(webhookInputSchema).max(maxWebhooks)

/** A webhook, as `/dev/webhooks` answers it. */
export const webhookSchema: z.ZodType<Webhook> = z.strictObject({
  id: z.string(),
  url: z.string().describe('Where the events are posted to'),
  secret: z
    .string()
    .describe('`whsec_` and base64: what the receiver checks the signatures with, as Standard Webhooks says'),
  events: patterns,
  shape: shape.optional().describe('The provider whose form the events have; absent for that of Localpost'),
  headers: z
    .record(z.string(), z.string())
    .optional()
    .describe('Further headers of each request; absent without any'),
  shape_events: shapeEvents
    .optional()
    .describe('Names of events of the provider; absent where it gets all that it has'),
  disabled: z.literal(true).optional().describe('It gets no events; absent where it gets them'),
  confirmed: z
    .int()
    .optional()
    .describe(
      'When its receiver confirmed it, where its provider has webhooks confirmed: Unix time in milliseconds. Events do not wait for it',
    ),
})

/** How much is kept of the answer to the last try. */
export const maxAnswerBytes = 4096
/** How much is kept of the answer to a try before it. */
export const maxEarlierAnswerChars = 256
/** How much is shown of the body that is posted. */
export const maxBodyChars = 4096

/** One try to deliver an event to a webhook. */
export const webhookAttemptSchema: z.ZodType<WebhookAttempt> = z.strictObject({
  timestamp: z.int().describe('When it began: Unix time in milliseconds'),
  status: z.int().nullable().describe('HTTP status of the answer; null if none came'),
  error: z.string().nullable().describe('Why it failed; null if it was taken'),
  duration_ms: z.number(),
  response: z
    .string()
    .nullable()
    .describe(
      `The beginning of the answer’s body: ${maxAnswerBytes / 1024} KB of the last try, ${maxEarlierAnswerChars} characters of earlier ones; null without answer`,
    ),
})

/** `delivered`: a 2xx answer came; `failed`: given up. */
export const webhookDeliveryStateSchema: z.ZodType<WebhookDeliveryState> = z.enum([
  'pending',
  'delivered',
  'failed',
])

/** The delivery of one event to one webhook, as `/dev/webhooks/deliveries` answers it. */
export const webhookDeliverySchema: z.ZodType<WebhookDelivery> = z.strictObject({
  id: z.string(),
  webhook_id: z.string(),
  event_id: z
    .string()
    .describe('The `webhook-id` header: the same for every webhook, every try and every replay of the event'),
  type: z
    .union([emailEventTypeSchema, domainEventTypeSchema, z.literal(webhookCreatedType)])
    .describe('`webhook.created`: the request to confirm a webhook, as some providers send one'),
  email_id: z.string().nullable().describe('Null if the event is not of an email'),
  domain_id: z.string().nullable().describe('Null if the event is not of a domain'),
  recipient: z.string().nullable().describe('Whom the event of an email is about; null for others'),
  subject: z.string().nullable().describe('Of the email, where it is still there; null for others'),
  domain_name: z
    .string()
    .nullable()
    .describe('The name of the domain, where the event is of one; null for others'),
  created: z.int().describe('Unix time in milliseconds'),
  state: webhookDeliveryStateSchema,
  due: z
    .int()
    .nullable()
    .describe('When it is tried (again): Unix time in milliseconds; null once it is delivered or failed'),
  body: z
    .string()
    .describe(
      `The beginning of the body that is posted: at most ${maxBodyChars.toLocaleString('en-GB')} characters`,
    ),
  attempts: z.array(webhookAttemptSchema),
})

/** Whether a header frames the request, or is written for every webhook. */
function isReservedHeader(name: string): boolean {
  return /^(?:connection|content-length|content-type|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade|webhook-.*)$/i.test(
    name,
  )
}

function isKeyLong(text: string): boolean {
  const { length } = Buffer.from(text.slice('whsec_'.length), 'base64')
  return length >= minKeyBytes && length <= maxKeyBytes
}

function urlFormProblem(text: string): string | null {
  // The URL parser silently removes them, so the URL that is shown would differ from the one that is requested.
  if (/[\x00-\x1f\x7f]/.test(text)) return 'must be one line without control characters'
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || !/^https?:$/.test(url.protocol))
    return `must be an http(s) URL such as "http://127.0.0.1:3000/hooks", not ${quote(text)}`
  if (url.username !== '' || url.password !== '') return 'must have no user name and no password'
  const host = hostOfUrl(url)
  return kindOfAddress(host) === 'uncallable' ? `leads to ${host}, which ${uncallableProblem}` : null
}
