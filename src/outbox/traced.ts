import { beginOf, failureOf, type Attributes, type SpanName, type Tracer } from '../core/tracer.ts'
import type { EmailRecord } from '../emails/email.ts'
import type { Blob } from '../store/store.ts'
import { tryDelivery, type DeliveryDeps } from './deliver.ts'
import { writeMessage, type WriteDeps } from './write.ts'

interface Traced {
  /** Default: none. */
  tracer?: Tracer | null
}

/** {@link tryDelivery} as a span. */
export function deliverTraced(
  email: EmailRecord,
  deps: DeliveryDeps & Traced,
  written: readonly Blob[],
): ReturnType<typeof tryDelivery> {
  return inSpan(email, deps, {
    name: 'email deliver',
    facts: {
      'localpost.via': email.outbox?.via ?? 'capture',
      'localpost.attempt': (email.outbox?.attempts ?? 0) + 1,
      'network.protocol.name': 'smtp',
    },
    work: () => tryDelivery(email, deps, written),
    outcomeOf(replies) {
      const refused = [...(replies?.values() ?? [])].filter(
        ({ reply_code }) => reply_code < 200 || reply_code >= 300,
      )
      const facts = {
        'localpost.recipient.count': replies?.size ?? 0,
        'localpost.refused.count': refused.length,
      }
      // A connection that ended without a reply has the code 0.
      const failure =
        refused[0] && (refused[0].reply_code === 0 ? 'connection' : String(refused[0].reply_code))
      return { facts, failure: replies ? failure : 'not_found' }
    },
  })
}

/** {@link writeMessage} as a span. */
export function writeTraced(email: EmailRecord, deps: WriteDeps & Traced): ReturnType<typeof writeMessage> {
  return inSpan(email, deps, {
    name: 'email compose',
    facts: { 'localpost.attachment.count': email.attachment_count ?? 0 },
    work: () => writeMessage(email, deps),
    outcomeOf: ({ message }) => ({ facts: { 'localpost.message.size_bytes': message.size_bytes } }),
  })
}

interface SpanOf<T> {
  readonly name: SpanName
  readonly facts: Attributes
  work(): Promise<T>
  /** What the span says of the result, in addition to `facts`. */
  outcomeOf(result: T): { facts: Attributes; failure?: string | undefined }
}

/** Does work on an email as a span, if one is recorded. */
async function inSpan<T>(
  email: EmailRecord,
  { tracer }: Traced,
  { name, facts, work, outcomeOf }: SpanOf<T>,
): Promise<T> {
  const span = beginOf(tracer, name, email)
  if (!span) return work()
  const all = { 'localpost.email.id': email.id, ...facts }
  try {
    const result = await work()
    const outcome = outcomeOf(result)
    span.end({ ...all, ...outcome.facts }, outcome.failure)
    return result
  } catch (error) {
    span.end(all, failureOf(error))
    throw error
  }
}
