import { z } from 'zod'
import { LocalpostError, quote } from '../../core/errors.ts'
import { createSequence } from '../../core/sequence.ts'
import { defineRoutes } from '../../server/define-routes.ts'
import { bodyLimits, type Route } from '../../server/route.ts'
import type { Webhook } from '../../webhooks/types.ts'
import { withNames } from '../member-names.ts'
import { chosenEvents, ownWebhooks } from '../own-webhooks.ts'
import type { ProviderParts } from '../provider.ts'
import { mailgun } from './conventions.ts'
import { webhookEventNames, mailgunShape } from './events.ts'
import { mailgunFace } from './face.ts'

const { get, post, put, del } = defineRoutes({ tag: 'Webhooks', access: 'key', face: mailgunFace })

const path = '/mailgun/v3/domains/{domain}/webhooks'
const errors = ['webhook_exists', 'state_conflict'] as const

const url = z.string().min(1).max(2000)
const urls = z.union([url, z.array(url).min(1).max(3)]).describe('Where events are posted to: at most 3')
const eventName = z.enum(webhookEventNames, { error: `must be one of ${webhookEventNames.join(', ')}` })
const urlsOfEvent = z.strictObject({ urls: z.array(z.string()) })
const webhookSchema = z.strictObject({ message: z.string().optional(), webhook: urlsOfEvent })

/** Names of members of our webhooks in Mailgun's API. */
const names = { url: 'url', shape_events: 'id' }

/**
 * `/v3/domains/{domain}/webhooks`: the webhooks of this account that have Mailgun's form. Mailgun lists the URLs of each event,
 * and ours are the events of each URL. They are for all domains of the account.
 */
export function webhookRoutes({ webhooks }: Pick<ProviderParts, 'webhooks'>): Route[] {
  // A change reads the webhooks first, so two of them may not run at once.
  const inTurn = createSequence()
  const { list } = ownWebhooks(webhooks, mailgun)

  async function urlsOf(event: string): Promise<string[]> {
    return (await list()).filter((webhook) => eventsOf(webhook).includes(event)).map(({ url }) => url)
  }

  async function find(event: string): Promise<string[]> {
    const urls = await urlsOf(event)
    if (urls.length > 0) return urls
    throw new LocalpostError('not_found', `Webhook not found: ${quote(event)}`)
  }

  /** Nothing is changed where one of the URLs is refused, or a webhook cannot be changed. */
  async function setUrls(event: string, wanted: readonly string[]): Promise<void> {
    const before = await list()
    const isWanted = ({ url }: Webhook): boolean => wanted.some((one) => sameUrl(one, url))
    const isNew = (url: string, i: number): boolean =>
      !before.some((webhook) => sameUrl(webhook.url, url)) &&
      wanted.findIndex((one) => sameUrl(one, url)) === i
    const created = wanted.filter(isNew)
    webhooks.assertNew(created)
    const changed = before.filter((webhook) => isWanted(webhook) !== eventsOf(webhook).includes(event))
    for (const { id } of changed) webhooks.assertStored(id)
    // Mailgun has one signing key for all.
    let secret = before[0]?.secret
    for (const url of created) {
      const input = { url, shape: mailgun, shape_events: [event], ...(secret !== undefined && { secret }) }
      ;({ secret } = await withNames(webhooks.create(input), names))
    }
    for (const webhook of changed) {
      const events = eventsOf(webhook)
      const shape_events = isWanted(webhook) ? [...events, event] : events.filter((one) => one !== event)
      if (shape_events.length === 0) await webhooks.remove(webhook.id)
      else await withNames(webhooks.update(webhook.id, { shape_events }), names)
    }
  }

  return [
    get(path, {
      summary: 'List the URLs of each event',
      success: { schema: z.strictObject({ webhooks: z.record(z.string(), urlsOfEvent) }) },
      async handler() {
        const found = await Promise.all(
          webhookEventNames.map(async (event) => [event, { urls: await urlsOf(event) }] as const),
        )
        return { webhooks: Object.fromEntries(found.filter(([, { urls }]) => urls.length > 0)) }
      },
    }),
    get(`${path}/{name}`, {
      summary: 'Get the URLs of an event',
      success: { schema: webhookSchema },
      handler: async ({ params }) => ({ webhook: { urls: await find(params.name) } }),
    }),
    post(path, {
      summary: 'Set the URLs of an event that has none',
      body: {
        schema: z.strictObject({ id: eventName.describe('The event'), url: urls }),
        maxBytes: bodyLimits.small,
        forms: 'also',
      },
      success: { schema: webhookSchema },
      errors,
      handler: ({ body: { id, url } }) =>
        inTurn(async () => {
          if ((await urlsOf(id)).length > 0)
            throw new LocalpostError(
              'webhook_exists',
              `Webhook ${quote(id)} already exists. Update or delete it.`,
            )
          await setUrls(id, [url].flat())
          return { message: 'Webhook has been created', webhook: { urls: await urlsOf(id) } }
        }),
    }),
    put(`${path}/{name}`, {
      summary: 'Change the URLs of an event',
      body: { schema: z.strictObject({ url: urls }), maxBytes: bodyLimits.small, forms: 'also' },
      success: { schema: webhookSchema },
      errors,
      handler: ({ params, body: { url } }) =>
        inTurn(async () => {
          await find(params.name)
          await setUrls(params.name, [url].flat())
          return { message: 'Webhook has been updated', webhook: { urls: await urlsOf(params.name) } }
        }),
    }),
    del(`${path}/{name}`, {
      summary: 'Remove the URLs of an event',
      success: { schema: webhookSchema },
      errors: ['state_conflict'],
      handler: ({ params }) =>
        inTurn(async () => {
          const urls = await find(params.name)
          await setUrls(params.name, [])
          return { message: 'Webhook has been deleted', webhook: { urls } }
        }),
    }),
    get('/mailgun/v5/accounts/http_signing_key', {
      summary: 'Get the key that signs webhooks, once there is one',
      // Whoever has it can sign as this instance does.
      needs: 'full',
      success: { schema: z.strictObject({ message: z.string(), http_signing_key: z.string() }) },
      async handler() {
        const [first] = await list()
        if (first) return { message: 'success', http_signing_key: first.secret }
        throw new LocalpostError(
          'not_found',
          'There is no signing key before there is a webhook. Create one first.',
        )
      },
    }),
  ]
}

function eventsOf(webhook: Webhook): string[] {
  return chosenEvents(webhook, mailgunShape)
}

function sameUrl(one: string, other: string): boolean {
  return URL.canParse(one) && URL.canParse(other) ? new URL(one).href === new URL(other).href : one === other
}
