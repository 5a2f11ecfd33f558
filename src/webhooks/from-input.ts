import { createHash } from 'node:crypto'
import { validationError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import type { RandomSource } from '../core/random.ts'
import type { WebhookShape } from './shape.ts'
import type { Webhook, WebhookInput, WebhookPattern } from './types.ts'
import type { WebhookChanges, WebhookRecord } from './webhook.ts'

/** The beginning of the ids of webhooks of the options. */
export const optionPrefix = 'option_'

/** Makes a webhook of what was given. @throws validation_error */
export function toWebhook(
  id: string,
  input: WebhookInput,
  random: RandomSource,
  shapes: readonly WebhookShape[],
): Webhook {
  const { url, secret = `whsec_${random.bytes(32).toString('base64')}`, shape, headers } = input
  const { events = ['*'], shape_events } = shapedEvents(input, shapes)
  return {
    id,
    url,
    secret,
    events: [...new Set<WebhookPattern>(events)],
    ...headersIfAny(headers),
    ...(shape && { shape }),
    ...(shape_events && { shape_events }),
  }
}

/** A stored webhook with changes, whose `url` is as `URL` writes it. @throws validation_error */
export function withChanges(
  { headers: before, disabled, ...kept }: WebhookRecord,
  { url, shape_events, headers, enabled }: WebhookChanges,
  shapes: readonly WebhookShape[],
): WebhookRecord {
  const isDisabled = enabled === undefined ? disabled : !enabled
  return {
    ...kept,
    ...(url !== undefined && { url }),
    ...(shape_events && shapedEvents({ shape: kept.shape, shape_events }, shapes)),
    ...headersIfAny(headers ?? before),
    ...(isDisabled && { disabled: true }),
  }
}

/** The member of a webhook, which is absent without headers. */
function headersIfAny(headers: Webhook['headers'] = {}): Pick<Webhook, 'headers'> {
  return Object.keys(headers).length > 0 ? { headers } : {}
}

/** The events of a webhook by the names of Localpost, and by those of its provider. @throws validation_error */
function shapedEvents(
  { events, shape: name, shape_events }: Pick<WebhookInput, 'events' | 'shape' | 'shape_events'>,
  shapes: readonly WebhookShape[],
): Pick<WebhookInput, 'events' | 'shape_events'> {
  const wrong = (field: string, message: string): never => {
    throw validationError([{ field, message }])
  }
  if (name === undefined)
    return shape_events === undefined ? { events } : wrong('shape_events', 'must be given with a shape')
  const shape = shapes.find((one) => one.name === name)
  const names = shapes.map((one) => one.name).join(', ')
  if (!shape) return wrong('shape', `must be one of ${names}, not ${quote(name)}`)
  if (shape_events === undefined) return { events: events ?? ['email.*'] }
  if (events) return wrong('events', 'must not be given together with shape_events')
  const subscribed = shape_events.flatMap((type, i) => {
    const ofLocalpost = Object.hasOwn(shape.events, type) ? shape.events[type] : undefined
    if (ofLocalpost !== undefined) return ofLocalpost
    const types = Object.keys(shape.events).join(', ')
    return wrong(`shape_events[${i}]`, `must be one of ${types}, not ${quote(type)}`)
  })
  return { events: [...new Set(subscribed)], shape_events: [...new Set(shape_events)] }
}

/** The webhooks of the options, named after the address: pending deliveries continue after a restart, and only to it. */
export function optionWebhooks(
  given: readonly WebhookInput[],
  random: RandomSource,
  shapes: readonly WebhookShape[],
): Webhook[] {
  return given.map((input, i) => {
    const digest = createHash('sha256').update(input.url).digest('hex').slice(0, 16)
    const duplicates = given.slice(0, i).filter(({ url }) => url === input.url).length
    const suffix = duplicates > 0 ? `_${duplicates + 1}` : ''
    return toWebhook(`${optionPrefix}${digest}${suffix}`, input, random, shapes)
  })
}
