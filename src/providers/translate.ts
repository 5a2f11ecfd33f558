import { LocalpostError } from '../core/errors.ts'
import { plainError, reviveError, type PlainError } from '../core/job-worker.ts'
import { FormBody } from '../core/form.ts'
import type { JobThread } from '../core/job-thread.ts'
import { parseJsonBody, readTextBody } from '../core/json-body.ts'
import { longBodyBytes, LongBody } from '../core/long-body.ts'
import { bodyHash } from '../sending/idempotency.ts'
import type { Translate, Translated, Translation, TranslationFacts } from './translation.ts'

// Loaded on first use, because many programs use no provider.
const translations = {
  'resend send': async () => (await import('./resend/requests.ts')).toSend,
  'resend batch': async () => (await import('./resend/requests.ts')).toBatch,
  'ses send': async () => (await import('./ses/requests.ts')).toSend,
  'ses bulk': async () => (await import('./ses/requests.ts')).toBulk,
  'ses query': async () => (await import('./ses-v1/send-query.ts')).toQuerySend,
  'sendgrid send': async () => (await import('./sendgrid/requests.ts')).toSend,
  'mailpit send': async () => (await import('./mailpit/send.ts')).toSend,
  'postmark send': async () => (await import('./postmark/requests.ts')).toSend,
  'postmark batch': async () => (await import('./postmark/requests.ts')).toBatch,
  'postmark template': async () => (await import('./postmark/requests.ts')).toTemplatedSend,
  'postmark templates': async () => (await import('./postmark/requests.ts')).toTemplatedBatch,
  'mailgun send': async () => (await import('./mailgun/requests.ts')).toSend,
  'mailgun mime': async () => (await import('./mailgun/mime-request.ts')).toMime,
} satisfies Record<string, () => Promise<Translate>>

/** The kinds of bodies of providers that may be long. */
export type TranslationKind = keyof typeof translations

/** The translation of long bodies as work of the thread. */
export const translationJobs = {
  async translate(
    bytes: Buffer,
    format: BodyFormat,
    kind: TranslationKind,
    facts: BodyFacts,
  ): Promise<{
    hash: string | null
    checkOnly?: boolean
    emails: (Exclude<Translated, { error: unknown }> | { error: PlainError })[]
  }> {
    const body = parse(bytes, format)
    const { emails, ...rest } = await translateParsed(body, kind, facts)
    return { ...rest, emails: emails.map((one) => ('error' in one ? { error: plainError(one.error) } : one)) }
  },
}

/** What the translation of a body depends on. */
export interface BodyFacts extends TranslationFacts {
  /** Whether the request may be repeated, so that the hash of its body is needed. */
  readonly isRepeatable: boolean
}

/** A translated body. */
interface TranslatedBody extends Translation {
  /** Of the body as it was given: its translation may differ each time. Null if it is not repeatable. */
  readonly hash: string | null
}

/** Translates the body of a request, a long one in the thread. @throws as {@link Translate}, and as `parseJsonBody`. */
export async function translate(
  body: unknown,
  kind: TranslationKind,
  facts: BodyFacts,
  thread: JobThread<typeof translationJobs>,
): Promise<TranslatedBody> {
  const long = longOf(body)
  if (!long) return translateParsed(body, kind, facts)
  const { emails, ...rest } = await thread.run('translate', [...long, kind, facts])
  return { ...rest, emails: emails.map((one) => ('error' in one ? { error: revived(one.error) } : one)) }
}

async function translateParsed(
  body: unknown,
  kind: TranslationKind,
  facts: BodyFacts,
): Promise<TranslatedBody> {
  const toRequests: Translate = await translations[kind]()
  return { ...toRequests(body, facts), hash: facts.isRepeatable ? bodyHash(body) : null }
}

/** How a long body is read. */
type BodyFormat = 'json' | 'text' | { readonly boundary: string | null }

function parse(bytes: Buffer, format: BodyFormat): unknown {
  if (format === 'text') return readTextBody(bytes)
  return format === 'json' ? parseJsonBody(bytes) : new FormBody(bytes, format.boundary)
}

/** The bytes of a body for the thread, and their format; null for a short one. A long form does not come as `LongBody`. */
function longOf(body: unknown): [bytes: Buffer, format: BodyFormat] | null {
  if (body instanceof LongBody) return [body.take(), body.isText ? 'text' : 'json']
  const isLong = body instanceof FormBody && body.bytes.length > longBodyBytes
  return isLong ? [body.bytes, { boundary: body.boundary }] : null
}

function revived(plain: PlainError): LocalpostError {
  const error = reviveError(plain)
  if (error instanceof LocalpostError) return error
  throw error
}
