import type { z } from 'zod'
import { LocalpostError } from '../core/errors.ts'
import { traceOfRequest } from '../core/trace-context.ts'
import { fieldAt, sendErrors, withFields, type SendingResult } from '../sending/results.ts'
import type { SendingRequest } from '../sending/types.ts'
import { bodyLimits, type Route, type RouteBody, type RouteContext } from '../server/route.ts'
import { type MemberNames, renamedError, withNames } from './member-names.ts'
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
  /** Whether the right emails are sent where others are wrong. Default: false. */
  readonly partial?: boolean
  readonly names: MemberNames
  /** Makes the id that the answer gives of a random UUID. Default: the UUID. */
  readonly toId?: (uuid: string) => string
  /** Whether the emails of a request have one id in common. Default: each has its own. */
  readonly hasOneId?: boolean
  /** How many distinct recipients an email may have. Default: as the core. */
  readonly maxRecipients?: number
  /** Completes a translated request by what is stored, or refuses it. Its errors have the core's names of members. */
  prepare?(request: SendingRequest): Promise<SendingRequest>
  /** How many days ahead an email may be scheduled. Default: as the core. */
  readonly maxAheadDays?: number
}

/**
 * What the routes that send have in common.
 *
 * @param schema  Of the body, which only its translation checks.
 * @param forms  Whether the body may be a form. Default: it may not.
 */
export function sendingRoute(
  schema: z.ZodType,
  forms?: RouteBody['forms'],
): Pick<Route, 'needs' | 'body' | 'errors'> & { body: RouteBody } {
  return {
    needs: 'send',
    body: { schema, readBy: 'resource', maxBytes: bodyLimits.large, forms },
    errors: sendErrors,
  }
}

/**
 * Sends the emails of a request to a provider, in one commit.
 *
 * @returns For each email, in their order, the id that the provider's answer gives. Empty if the request asks for its check
 *   alone.
 * @throws Without `partial`, the error of the first wrong email, with the provider's names; otherwise as `accept` of the core.
 */
export async function sendAll(
  how: ProviderSend,
  { body, headers, warn }: Pick<RouteContext, 'body' | 'headers' | 'warn'>,
  { sending, clock, config, thread, newUuid }: ProviderParts,
): Promise<Sent[]> {
  const { kind, provider, idempotencyKey, partial = false, names, prepare } = how
  const facts = { now: clock.now(), relays: config.relayAll, isRepeatable: idempotencyKey !== undefined }
  const { hash, emails, checkOnly = false } = await translate(body, kind, facts, thread)
  const translated = prepare ? await prepareAll(emails, prepare, names) : emails
  if (!partial) assertAllRight(translated)
  const requests = requestsOf(translated, how, newUuid)
  if (requests.length === 0) return sentOf(translated, [], how, warn)
  const accepting = sending.accept(requests, {
    surface: provider,
    idempotencyKey,
    bodyHash: hash ?? undefined,
    trace: traceOfRequest(headers),
    partial,
    checkOnly,
    maxAheadDays: how.maxAheadDays,
    maxRecipients: how.maxRecipients,
  })
  const { results } = await withNames(accepting, names)
  return checkOnly ? [] : sentOf(translated, results, how, warn)
}

/**
 * Sends the one email of a request that cannot ask for its check alone.
 *
 * @throws Its error, with the provider's names; otherwise as `accept` of the core.
 */
export async function sendOne(
  how: ProviderSend,
  context: Pick<RouteContext, 'body' | 'headers' | 'warn'>,
  parts: ProviderParts,
): Promise<Extract<Sent, { id: string }>> {
  const [sent] = await sendAll(how, context, parts)
  if (sent && 'id' in sent) return sent
  throw sent?.error ?? new Error('An email without a result.')
}

/** The right requests, each with the id that the answer gives. */
function requestsOf(
  emails: readonly Translated[],
  { provider, hasOneId, toId = (uuid) => uuid }: ProviderSend,
  newUuid: () => string,
): SendingRequest[] {
  const common = hasOneId ? toId(newUuid()) : null
  return emails.flatMap((one) => {
    if ('error' in one) return []
    const message_id = one.messageId ?? common ?? toId(newUuid())
    return { ...one.request, provider: { name: provider, message_id } }
  })
}

/** The result of each email. @param results  Those of the right requests, in their order. */
function sentOf(
  emails: readonly Translated[],
  results: readonly SendingResult[],
  { names }: Pick<ProviderSend, 'names'>,
  warn: RouteContext['warn'],
): Sent[] {
  const left = results.values()
  return emails.map((one) => {
    if ('error' in one) return { error: one.error }
    const { value: result } = left.next()
    if (!result) throw new Error('An email without a result.')
    if ('error' in result) return { error: renamedError(result.error, names) }
    warn(result.warnings)
    return { id: result.message_id ?? result.id, request: one.request }
  })
}

/** @throws the first error; in a batch, with the place of its email. */
function assertAllRight(emails: readonly Translated[]): void {
  for (const [i, one] of emails.entries())
    if ('error' in one)
      throw emails.length > 1 ? withFields(one.error, (field) => fieldAt(field, i)) : one.error
}

/** Completes each right request. */
async function prepareAll(
  emails: readonly Translated[],
  prepare: NonNullable<ProviderSend['prepare']>,
  names: MemberNames,
): Promise<Translated[]> {
  const prepared: Translated[] = []
  for (const one of emails) {
    try {
      prepared.push('error' in one ? one : { ...one, request: await prepare(one.request) })
    } catch (error) {
      if (!(error instanceof LocalpostError)) throw error
      prepared.push({ error: renamedError(error, names) })
    }
  }
  return prepared
}
