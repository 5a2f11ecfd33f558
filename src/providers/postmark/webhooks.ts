import { z } from 'zod'
import { validationError } from '../../core/errors.ts'
import { defineRoutes } from '../../server/define-routes.ts'
import { bodyLimits, type Route } from '../../server/route.ts'
import type { Webhook } from '../../webhooks/types.ts'
import { withNames } from '../member-names.ts'
import { chosenEvents, ownWebhooks } from '../own-webhooks.ts'
import type { ProviderParts } from '../provider.ts'
import { defaultStream, postmark, toNumber } from './conventions.ts'
import { postmarkShape, type PostmarkTrigger } from './events.ts'
import { postmarkFace } from './face.ts'
import { headerSchema, streamSchema } from './send-schema.ts'
import { fromHeaders, toHeaders } from './webhook-headers.ts'

const { get, post, put, del } = defineRoutes({ tag: 'Webhooks', access: 'key', face: postmarkFace })

/** Names of members of our webhooks in Postmark's API. */
const names = { url: 'Url', headers: 'HttpHeaders', shape_events: 'Triggers' }

const triggerSchema = z.strictObject({ Enabled: z.boolean() })
const triggerInput = triggerSchema.optional()
/** A setting that must be off. */
const falseOnly = (what: string): z.ZodOptional<z.ZodNullable<z.ZodLiteral<false>>> =>
  z.literal(false, { error: `must be false: ${what} is not supported` }).nullish()
const contentTriggerInput = z
  .strictObject({ Enabled: z.boolean(), IncludeContent: falseOnly('the content of the email in events') })
  .optional()

/** Which events a webhook gets: every trigger has its own settings. */
const triggersSchema = z.strictObject({
  Open: z
    .strictObject({ Enabled: z.boolean(), PostFirstOpenOnly: falseOnly('the first open alone') })
    .optional(),
  Click: triggerInput,
  Delivery: triggerInput,
  Bounce: contentTriggerInput,
  SpamComplaint: contentTriggerInput,
  SubscriptionChange: triggerInput,
} satisfies Record<PostmarkTrigger, z.ZodType>)
type PostmarkTriggers = z.infer<typeof triggersSchema>

/** In Basic authentication the first colon ends the user name (RFC 7617, section 2). */
const usernameSchema = z
  .string()
  .min(1)
  .max(500)
  .refine((name) => !name.includes(':'), { error: 'must have no colon' })

const shared = {
  HttpAuth: z
    .strictObject({ Username: usernameSchema, Password: z.string().max(500) })
    .nullish()
    .describe('User name and password for Basic authentication'),
  HttpHeaders: z.array(headerSchema).max(30).nullish().describe('Further headers of each request'),
  Triggers: triggersSchema.optional().describe('At least one has to be enabled'),
}

const newWebhookSchema = z.strictObject({
  Url: z.string().min(1).describe('Where events are posted to'),
  MessageStream: streamSchema
    .nullish()
    .refine((stream) => stream == null || stream === 'outbound', {
      error: 'is not supported: a webhook gets the events of all streams. Leave it out, or give "outbound"',
    })
    .describe('`outbound`: a webhook gets the events of all streams'),
  ...shared,
})

const webhookChangesSchema = z.strictObject({ Url: z.string().min(1).optional(), ...shared })

const contentTriggerSchema = z.strictObject({ Enabled: z.boolean(), IncludeContent: z.literal(false) })

const webhookSchema = z.strictObject({
  ID: z.int(),
  Url: z.string(),
  MessageStream: z.literal('outbound'),
  HttpAuth: z.strictObject({ Username: z.string(), Password: z.string() }).nullable(),
  HttpHeaders: z.array(headerSchema),
  Triggers: z.strictObject({
    Open: z.strictObject({ Enabled: z.boolean(), PostFirstOpenOnly: z.literal(false) }),
    Click: triggerSchema,
    Delivery: triggerSchema,
    Bounce: contentTriggerSchema,
    SpamComplaint: contentTriggerSchema,
    SubscriptionChange: triggerSchema,
  } satisfies Record<PostmarkTrigger, z.ZodType>),
})
type PostmarkWebhook = z.infer<typeof webhookSchema>

/** `/postmark/webhooks`: the webhooks of this account that have Postmark's form. */
export function webhookRoutes({ webhooks }: Pick<ProviderParts, 'webhooks'>): Route[] {
  const { list, find, change } = ownWebhooks(webhooks, postmark, ({ id }) => String(toNumber(id)))

  return [
    // The headers of a webhook may have passwords, so these are not for keys that only read.
    get('/postmark/webhooks', {
      needs: 'full',
      summary: 'List webhooks',
      query: z.strictObject({ messagestream: z.string().max(100).optional() }),
      success: { schema: z.strictObject({ Webhooks: z.array(webhookSchema) }) },
      async handler({ query: { messagestream = defaultStream } }) {
        return { Webhooks: messagestream === defaultStream ? (await list()).map(toAnswer) : [] }
      },
    }),
    get('/postmark/webhooks/{id}', {
      needs: 'full',
      summary: 'Get a webhook',
      success: { schema: webhookSchema },
      handler: async ({ params }) => toAnswer(await find(params.id)),
    }),
    post('/postmark/webhooks', {
      summary: 'Create a webhook',
      body: { schema: newWebhookSchema, maxBytes: bodyLimits.small },
      success: { schema: webhookSchema },
      errors: ['webhook_exists', 'state_conflict'],
      async handler({ body: { Url, Triggers, ...given } }) {
        const shape_events = enabledTriggers(Triggers ?? {}, [])
        const input = { url: Url, shape: postmark, shape_events, headers: toHeaders(given, undefined) }
        return toAnswer(await withNames(webhooks.create(input), names))
      },
    }),
    put('/postmark/webhooks/{id}', {
      summary: 'Change a webhook: what is absent stays',
      body: { schema: webhookChangesSchema, maxBytes: bodyLimits.small },
      success: { schema: webhookSchema },
      errors: ['webhook_exists', 'state_conflict'],
      async handler({ params, body: { Url, Triggers, ...given } }) {
        const changing = change(params.id, (webhook) => ({
          url: Url,
          shape_events: Triggers && enabledTriggers(Triggers, chosenEvents(webhook, postmarkShape)),
          headers: toHeaders(given, webhook.headers),
        }))
        return toAnswer(await withNames(changing, names))
      },
    }),
    del('/postmark/webhooks/{id}', {
      summary: 'Remove a webhook',
      success: { schema: z.strictObject({ ErrorCode: z.literal(0), Message: z.string() }) },
      errors: ['state_conflict'],
      async handler({ params }) {
        await webhooks.remove((await find(params.id)).id)
        return { ErrorCode: 0, Message: `Webhook ${params.id} removed.` }
      },
    }),
  ]
}

/** The triggers of a webhook that are enabled after a change. @throws validation_error if there are none. */
function enabledTriggers(changes: PostmarkTriggers, before: readonly string[]): string[] {
  const chosen = new Set(before)
  for (const [name, { Enabled }] of Object.entries(changes)) {
    if (Enabled) chosen.add(name)
    else chosen.delete(name)
  }
  if (chosen.size > 0) return [...chosen]
  throw validationError([{ field: 'Triggers', message: 'must have at least one trigger that is enabled' }])
}

function toAnswer(webhook: Webhook): PostmarkWebhook {
  const { id, url, headers } = webhook
  const events = chosenEvents(webhook, postmarkShape)
  const is = (name: PostmarkTrigger): { Enabled: boolean } => ({ Enabled: events.includes(name) })
  return {
    ID: toNumber(id),
    Url: url,
    MessageStream: defaultStream,
    ...fromHeaders(headers),
    Triggers: {
      Open: { ...is('Open'), PostFirstOpenOnly: false },
      Click: is('Click'),
      Delivery: is('Delivery'),
      Bounce: { ...is('Bounce'), IncludeContent: false },
      SpamComplaint: { ...is('SpamComplaint'), IncludeContent: false },
      SubscriptionChange: is('SubscriptionChange'),
    },
  }
}
