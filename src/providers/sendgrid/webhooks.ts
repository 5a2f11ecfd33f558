import { z } from 'zod'
import { validationError } from '../../core/errors.ts'
import { timeOfId } from '../../core/ids.ts'
import { defineRoutes } from '../../server/define-routes.ts'
import { bodyLimits, type Route } from '../../server/route.ts'
import type { Webhook } from '../../webhooks/types.ts'
import { chosenEvents, ownWebhooks } from '../own-webhooks.ts'
import type { ProviderParts } from '../provider.ts'
import { sendgrid } from './conventions.ts'
import { sendgridShape } from './events.ts'
import { answerNothing, sendgridFace } from './face.ts'
import { signingKeyOf } from './signature.ts'
import {
  choiceNames,
  choices,
  listedWebhookSchema,
  newWebhookSchema,
  otherMembers,
  signedWebhookSchema,
  webhookChangesSchema,
  webhookSchema,
  type Choice,
  type SendGridListedWebhook,
  type SendGridWebhook,
} from './webhook-schema.ts'

const { get, post, patch, del } = defineRoutes({ tag: 'Webhooks', access: 'key', face: sendgridFace })

/** The webhooks of this account that have SendGrid's form. */
export function webhookRoutes({ webhooks }: ProviderParts): Route[] {
  const path = '/sendgrid/v3/user/webhooks/event/settings'
  const { list, find, change } = ownWebhooks(webhooks, sendgrid)

  const include = z.strictObject({ include: z.string().max(100).optional().describe('Has no effect') })
  const toSigned = ({ id, secret }: Webhook): object => ({ id, public_key: signingKeyOf(secret).publicKey })
  return [
    post(path, {
      summary: 'Create a webhook',
      body: { schema: newWebhookSchema, maxBytes: bodyLimits.small },
      success: { status: 201, schema: webhookSchema },
      errors: ['webhook_exists', 'state_conflict'],
      async handler({ body }) {
        const shape_events = eventsOf(body, [])
        return toWebhook(await webhooks.create({ url: body.url, shape: sendgrid, shape_events }))
      },
    }),
    get(`${path}/all`, {
      summary: 'List webhooks',
      query: include,
      success: { schema: z.strictObject({ max_allowed: z.int(), webhooks: z.array(listedWebhookSchema) }) },
      handler: async () => ({ max_allowed: 20, webhooks: (await list()).map(toListed) }),
    }),
    get(`${path}/{id}`, {
      summary: 'Get a webhook',
      query: include,
      success: { schema: listedWebhookSchema },
      handler: async ({ params }) => toListed(await find(params.id)),
    }),
    patch(`${path}/{id}`, {
      summary: 'Change a webhook. What the body does not name stays',
      body: { schema: webhookChangesSchema, maxBytes: bodyLimits.small },
      success: { schema: webhookSchema },
      errors: ['webhook_exists', 'state_conflict'],
      async handler({ params, body: { url, enabled, ...chosen } }) {
        const isChosen = choiceNames.some((name) => chosen[name] !== undefined)
        const changed = await change(params.id, (webhook) => ({
          url,
          enabled,
          shape_events: isChosen ? eventsOf(chosen, chosenEvents(webhook, sendgridShape)) : undefined,
        }))
        return toWebhook(changed)
      },
    }),
    del(`${path}/{id}`, {
      summary: 'Remove a webhook',
      success: { status: 204 },
      errors: ['state_conflict'],
      async handler({ params }) {
        const { id } = await find(params.id)
        return answerNothing(webhooks.remove(id))
      },
    }),
    get(`${path}/signed/{id}`, {
      summary: 'Get the public key of a webhook',
      success: { schema: signedWebhookSchema },
      handler: async ({ params }) => toSigned(await find(params.id)),
    }),
    patch(`${path}/signed/{id}`, {
      summary: 'Get the public key of a webhook: its requests are always signed',
      body: {
        schema: z.strictObject({
          enabled: z.literal(true, { error: 'must be true: requests are always signed' }),
        }),
        maxBytes: bodyLimits.small,
      },
      success: { schema: signedWebhookSchema },
      handler: async ({ params }) => toSigned(await find(params.id)),
    }),
  ]
}

/** The events of a webhook, by its choices and those that it had. @throws validation_error if none is left. */
function eventsOf(chosen: Partial<Record<Choice, boolean | undefined>>, before: readonly string[]): string[] {
  const names = choiceNames.filter((name) => chosen[name] ?? before.includes(choices[name]))
  if (names.length > 0) return names.map((name) => choices[name])
  throw validationError([{ field: 'body', message: `must have true for one of ${choiceNames.join(', ')}` }])
}

function toWebhook(webhook: Webhook): SendGridWebhook {
  const { id, url } = webhook
  const events = chosenEvents(webhook, sendgridShape)
  const created_date = new Date(timeOfId(id)).toISOString()
  const flags = choiceNames.map((name) => [name, events.includes(choices[name])] as const)
  return {
    id,
    url,
    enabled: webhook.disabled !== true,
    ...(Object.fromEntries(flags) as Record<Choice, boolean>),
    ...otherMembers,
    created_date,
    updated_date: created_date,
  }
}

function toListed(webhook: Webhook): SendGridListedWebhook {
  return { ...toWebhook(webhook), public_key: signingKeyOf(webhook.secret).publicKey }
}
