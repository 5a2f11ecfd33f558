import type { Budget } from '../core/byte-budget.ts'
import type { Complete } from '../core/complete.ts'
import type { Clock } from '../core/clock.ts'
import { dateNow } from '../core/machine.ts'
import { acceptedAs, failureOf, type Tracer } from '../core/tracer.ts'
import { traceIdOf, traceParentOf, type TraceContext } from '../core/trace-context.ts'
import type { DomainRecord } from '../domains/domain.ts'
import type { Ids } from '../core/ids.ts'
import { isLongHeader } from '../mime/headers/headers.ts'
import { maxHeaderBytes } from '../mime/headers/fields.ts'
import { insert, type Blob, type Store } from '../store/store.ts'
import { emailCollection, messageBlob, type EmailRecord } from './email.ts'
import type { RecipientState } from './types.ts'
import type { JobThread } from '../core/job-thread.ts'
import { deliveredEvent, sentTo } from './events.ts'
import { createHeaderBuffer, readHeaderFacts, type HeaderFacts, type headerJobs } from './header-facts.ts'

/** Dependencies of receiving submissions. */
export interface ReceiveDeps {
  store: Store
  clock: Clock
  ids: Ids
  hostname: string
  /** The domain that a submission belongs to, whatever its status. */
  ensureDomain(domainName: string): Promise<DomainRecord>
  /** Whether the simulator or a rule applies to a recipient. The outbox then delivers to this recipient, with retries. */
  needsDelivery(recipient: string): boolean
  /** Where long headers are read. */
  thread: JobThread<typeof headerJobs>
  /** Limits the bytes that all long headers together take in memory while they arrive. */
  headerBudget: Budget
  /** Records an accepted email as a span; null for what is no submission. */
  tracer: Tracer | null
  /** Called after a commit that gave the outbox something to do. */
  wakeOutbox(): void
}

/** Receives the bytes of one submission. After an error, call `discard`. */
export interface SubmissionReception {
  /**
   * Receives a piece. If it returns a promise, wait for it before the next piece; the promise rejects if the piece could not
   * be stored.
   *
   * @throws service_unavailable, at once, if there is no room for a long header.
   */
  write(piece: Uint8Array): Promise<void> | undefined
  /**
   * Stores the message as an email. The email is durable when this resolves.
   *
   * @returns The text of the 250 reply, without codes: `OK: captured as em_…`.
   * @throws A LocalpostError when the email was not stored.
   */
  finish(): Promise<string>
  /** Discards the message, because the client disconnected or it is refused. */
  discard(): Promise<void>
}

/**
 * Starts receiving a message that an app submits over SMTP. The message becomes an email; its bytes are stored unchanged.
 * Before the acknowledgement only its header block is parsed.
 *
 * @param envelope  Bare addresses, recipients distinct.
 * @param onStored  Called with the email, once it is committed.
 */
export function receiveSubmission(
  envelope: { mail_from: string; rcpt_to: string[] },
  deps: ReceiveDeps,
  onStored?: (email: EmailRecord) => void,
): SubmissionReception {
  const { store, clock, ids, tracer } = deps
  const startedAt = clock.now()
  // Spans have the time of the machine, because those of the app do, while a test may have stopped the clock.
  const spanStart = tracer ? dateNow() : 0
  // Only a temporary unique name. The email gets its own id just before the commit.
  const writer = store.createBlob(messageBlob(ids.next('em')))
  const head = createHeaderBuffer(deps.headerBudget)

  async function readMessage(): Promise<[Blob, HeaderFacts]> {
    const blob = await writer.finish()
    const bytes = head.bytes()
    if (!isLongHeader(bytes)) return [blob, readHeaderFacts(bytes, envelope)]
    // A copy, because the store keeps the bytes.
    const copy = Buffer.from(bytes.subarray(0, maxHeaderBytes))
    return [blob, await deps.thread.run('headerFacts', [copy, envelope])]
  }

  return {
    write(piece) {
      head.take(piece)
      return writer.write(piece)
    },
    async finish() {
      const [blob, header] = await readMessage().finally(() => head.free())
      const domain = await deps.ensureDomain(header.sender_domain)
      // Ids define the order of the list. Nothing may be awaited between the id and the commit, or a page could miss a mail.
      const id = ids.next('em')
      const reply = `OK: captured as ${id}`
      const now = clock.now()
      const span = tracer && tracer.begin('email accept', header.trace, spanStart)
      const trace = span?.trace ?? header.trace
      const email = toSubmission(
        header,
        { id, created: now, envelope, domain_id: domain.id, reply, startedAt, size_bytes: blob.size, trace },
        deps,
      )
      try {
        await store.commit([insert(emailCollection, email)], [{ ...blob, id: messageBlob(id) }])
      } catch (error) {
        span?.end(acceptedAs(id, 'smtp', email.recipients.length), failureOf(error))
        throw error
      }
      span?.end({
        ...acceptedAs(id, 'smtp', email.recipients.length),
        'localpost.message.size_bytes': blob.size,
      })
      onStored?.(email)
      if (email.outbox) deps.wakeOutbox()
      return reply
    },
    discard() {
      head.free()
      return writer.discard()
    },
  }
}

/** What is known of a submission beside its header. */
interface SubmissionFacts extends Pick<EmailRecord, 'id' | 'created' | 'envelope' | 'domain_id'> {
  /** The text of the 250 reply. */
  reply: string
  startedAt: number
  size_bytes: number
  trace: TraceContext | undefined
}

function toSubmission(header: HeaderFacts, facts: SubmissionFacts, deps: ReceiveDeps): Complete<EmailRecord> {
  const { id, created, envelope, domain_id, reply, startedAt, size_bytes, trace } = facts
  const context = { reporting_mta: deps.hostname, started: startedAt }
  const taken = deliveredEvent(`250 2.6.0 ${reply}`, created, context)
  let isPending = false
  const recipients = envelope.rcpt_to.map((recipient): RecipientState => {
    const state = sentTo(recipient, created)
    const needsDelivery = deps.needsDelivery(recipient)
    isPending ||= needsDelivery
    return needsDelivery ? state : { recipient, events: [...state.events, taken] }
  })
  return {
    // Named one by one: an object made from the rest of another one is several times slower to write as JSON.
    from: header.from,
    to: header.to,
    to_names: header.to_names,
    cc: header.cc,
    cc_names: header.cc_names,
    bcc: header.bcc,
    bcc_names: undefined,
    reply_to: header.reply_to,
    subject: header.subject,
    tags: header.tags,
    id,
    version: 1,
    type: 'transactional',
    source: 'smtp',
    template_id: null,
    domain_id,
    created,
    envelope,
    recipients,
    outbox: isPending ? { due: created, attempts: 0, via: 'capture' } : null,
    outbox_due: isPending ? created : null,
    message: { size_bytes, message_id: header.message_id },
    unread: true,
    snippet: null,
    attachment_count: null,
    raw: undefined,
    metadata: undefined,
    tracking: undefined,
    provider: undefined,
    provider_key: undefined,
    thread: header.thread,
    trace_id: trace && traceIdOf(trace),
    trace_parent: trace && traceParentOf(trace),
    trace_state: trace?.tracestate,
    ignores_suppressions: undefined,
    undigested: true,
  }
}
