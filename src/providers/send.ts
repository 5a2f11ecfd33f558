import { LocalpostError } from '../core/errors.ts'
import type { SendingRequest } from '../sending/types.ts'
import type { RouteContext } from '../server/route.ts'
import type { ProviderParts } from './provider.ts'
import { translate, type TranslationKind } from './translate.ts'
import type { Translated } from './translation.ts'

/** An email that was accepted, with its request as the core took it, or what is wrong with the request. */
export type Sent =
  | { readonly id: string; readonly request: SendingRequest }
  | { readonly error: LocalpostError }

/** How a provider sends. */
export interface ProviderSend {
  readonly provider: string
  readonly kind: TranslationKind
  readonly idempotencyKey?: string | undefined
  /** Whether the right emails are sent where others are wrong. */
  readonly partial: boolean
  /** The provider's names of members whose names in the core differ: `attachments[].name` to `attachments[].filename`. */
  readonly names: Readonly<Record<string, string>>
  /** Makes the id that the answer gives of a random UUID. Default: the UUID. */
  readonly toId?: (uuid: string) => string
  /** How many distinct recipients an email may have. Default: as the core. */
  readonly maxRecipients?: number
  /** Completes a request by what is stored, such as its template. Its errors have the core's names of members. */
  readonly prepare?: (request: SendingRequest) => Promise<SendingRequest>
}

/**
 * Sends the emails of a request to a provider, in one commit.
 *
 * @returns For each email, in their order, the id that the provider's answer gives.
 * @throws Without `partial`, the error of the first wrong email, with the provider's names; otherwise as `accept` of the core.
 */
export async function sendAll(
  {
    kind,
    provider,
    idempotencyKey,
    partial,
    names,
    toId = (uuid) => uuid,
    maxRecipients,
    prepare,
  }: ProviderSend,
  { body, warn }: Pick<RouteContext, 'body' | 'warn'>,
  { sending, clock, thread, newUuid }: ProviderParts,
): Promise<Sent[]> {
  const facts = { now: clock.now(), isRepeatable: idempotencyKey !== undefined }
  const { hash, emails } = await translate(body, kind, facts, thread)
  const translated = prepare ? await Promise.all(emails.map((one) => prepared(one, prepare, names))) : emails
  const isBatch = translated.length > 1
  const requests = translated.flatMap((one, i) => {
    if (!('error' in one))
      return { ...one.request, provider: { name: provider, message_id: toId(newUuid()) } }
    if (partial) return []
    throw isBatch ? placed(one.error, i) : one.error
  })
  if (requests.length === 0) return translated.flatMap((one) => ('error' in one ? { error: one.error } : []))
  const accepting = sending.accept(requests, {
    surface: provider,
    idempotencyKey,
    bodyHash: hash ?? undefined,
    partial,
    ...(maxRecipients !== undefined && { maxRecipients }),
  })
  const { results } = await withNames(accepting, names)
  let next = 0
  return translated.map((one) => {
    if ('error' in one) return { error: one.error }
    const result = results[next++]
    if (!result) throw new Error('An email without a result.')
    if ('error' in result) return { error: named(result.error, names) }
    warn(result.warnings)
    return { id: result.message_id ?? result.id, request: one.request }
  })
}

async function prepared(
  one: Translated,
  prepare: NonNullable<ProviderSend['prepare']>,
  names: ProviderSend['names'],
): Promise<Translated> {
  if ('error' in one) return one
  try {
    return { request: await prepare(one.request) }
  } catch (error) {
    if (error instanceof LocalpostError) return { error: named(error, names) }
    throw error
  }
}

/** The result of a call of a resource, whose errors get a provider's names of members. */
export async function withNames<T>(call: Promise<T>, names: ProviderSend['names']): Promise<T> {
  try {
    return await call
  } catch (error) {
    throw named(error, names)
  }
}

/** The same error with other names of its members. */
function named<T>(error: T, names: ProviderSend['names']): T | LocalpostError {
  if (!(error instanceof LocalpostError) || !error.errors) return error
  return withFields(error, (field) => renamed(field, names))
}

/** The same error, as that of one of several emails. */
function placed(error: LocalpostError, i: number): LocalpostError {
  return withFields(error, (field) => (field === 'body' ? `[${i}]` : `[${i}].${field}`))
}

function withFields(error: LocalpostError, rename: (field: string) => string): LocalpostError {
  const { code, message, status, headers, cause, errors = [] } = error
  const fields = errors.map((one) => ({ ...one, field: rename(one.field) }))
  return new LocalpostError(code, message, { status, headers, cause, errors: fields })
}

/** @param field  As errors show it: `[2].attachments[0].name`. */
function renamed(field: string, names: ProviderSend['names']): string {
  const [, place = '', member = '', index = '', inner = '', rest = ''] = path.exec(field) ?? []
  const whole = names[`${member}${index && '[]'}${inner && `.${inner}`}`]
  if (whole !== undefined) return `${place}${whole.replace('[]', index)}${rest}`
  const first = names[member]
  return first === undefined ? field : `${place}${first}${field.slice(place.length + member.length)}`
}

const path = /^(\[\d+\]\.)?(\w+)(\[\d+\])?(?:\.(\w+))?(.*)$/s
