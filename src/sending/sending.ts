import type { Clock } from '../core/clock.ts'
import { LocalpostError, validationError } from '../core/errors.ts'
import type { Ids } from '../core/ids.ts'
import { LongBody } from '../core/json-body.ts'
import { dateNow } from '../core/machine.ts'
import { createPacer } from '../core/slices.ts'
import { acceptedAs, failureOf, type Span, type Tracer } from '../core/tracer.ts'
import type { TraceContext } from '../core/trace-context.ts'
import { emailCollection, type EmailRecord } from '../emails/email.ts'
import { untilCommitted } from '../store/repository.ts'
import { insert, type Blob, type Change, type Store } from '../store/store.ts'
import { checkGiven, type CheckGivenDeps, type Storable } from './check-in-thread.ts'
import { firstTrace } from './own-trace.ts'
import { findRepeated, joinHashes, keyHash, prepareRepeatable, type Repeatable } from './idempotency.ts'
import { toEmail, toScheduledRecord } from './record.ts'
import { findByProvider } from './find-by-provider.ts'
import {
  isOfRequest,
  sentOf,
  toAnswer,
  toRemembered,
  toResult,
  withIndex,
  type SendingResult,
} from './results.ts'
import type { Sending, SendingOptions } from './service.ts'
import { startSchedule } from './schedule.ts'
import { assertRoom, createScheduled, mostScheduled, readTime, scheduledCollection } from './scheduled.ts'
import { withDomain, type Accepted, type SendDeps } from './check-request.ts'

export interface SendingDeps extends SendDeps, CheckGivenDeps {
  store: Store
  clock: Clock
  ids: Ids
  /** The route of API sends: `relay` only with `relayAll`. */
  via: 'capture' | 'relay'
  pageSize: number
  /** Default: none. */
  tracer?: Tracer | null
  /** How many emails may wait for their time. Default: 100,000. */
  mostScheduled?: number
  /** Called after a commit that gave the outbox something to do. */
  wakeOutbox(): void
  /** Called with each email that was committed, once it is sent. Default: not called. */
  onStored?: ((email: EmailRecord) => void) | undefined
  /** Called with errors of sending a scheduled email; it is tried again. */
  onError(error: unknown): void
}

export function createSending(given: SendingDeps): Sending {
  const { store, clock, ids, tracer = null } = given
  const whole: SendingDeps = { ...given, kind: 'whole' }
  const schedule = startSchedule(given)

  async function acceptAll(
    requests: readonly unknown[],
    options: SendingOptions,
    deps: SendingDeps,
  ): Promise<SendingResult[]> {
    const parent = tracer ? tracer.parentOf(options.trace) : options.trace
    const trace: CallTrace = { parent, began: dateNow() }
    try {
      return await acceptInTrace(requests, options, deps, trace)
    } catch (error) {
      if (tracer) {
        // As for accepted mails.
        const span = tracer.begin('email accept', firstTrace(requests) ?? parent, trace.began)
        span?.end({ 'localpost.source': 'api' }, failureOf(error))
      }
      throw error
    }
  }

  async function acceptInTrace(
    requests: readonly unknown[],
    {
      surface,
      idempotencyKey: key,
      bodyHash,
      partial = false,
      checkOnly = false,
      maxAheadDays,
    }: SendingOptions,
    deps: SendingDeps,
    trace: CallTrace,
  ): Promise<SendingResult[]> {
    const id = key === undefined ? null : keyHash(key, surface)
    const checks = await checkAll(requests, { ...deps, isRepeatable: id !== null && bodyHash === undefined })
    const request =
      id === null ? null : { id, body_hash: bodyHash ?? joinHashes(checks.map((check) => check.body_hash)) }
    const earlier = request && (await findRepeated(store, request, clock.now()))
    if (earlier) return earlier.map(toResult)
    const accepted: Given[] = []
    for (const [i, { result }] of checks.entries()) {
      try {
        const storable = result()
        if (storable.kept.send_at !== null) readTime(storable.kept.send_at, clock.now(), maxAheadDays)
        accepted.push(await withDomain(storable, deps))
      } catch (error) {
        const named = requests.length > 1 ? withIndex(error, i) : error
        if (!partial || !(error instanceof LocalpostError) || !isOfRequest(error)) throw named
        accepted.push({ error })
      }
    }
    assertFewRecipients(accepted)
    if (checkOnly) return accepted.map((one) => ('error' in one ? one : toAnswer('', one)))
    const results = await commit(accepted, request, trace)
    deps.wakeOutbox()
    return results
  }

  // The same call may run twice at once: the slower one finds the answer of the faster one when it looks again.
  function commit(
    accepted: readonly Given[],
    request: Repeatable | null,
    { parent, began }: CallTrace,
  ): Promise<SendingResult[]> {
    return untilCommitted(async () => {
      const now = clock.now()
      const earlier = request && (await findRepeated(store, request, now))
      if (earlier) return earlier.map(toResult)
      const remember = request && (await prepareRepeatable(store, request, now))
      const later = accepted.filter((one) => !('error' in one) && (one.kept.send_at ?? 0) > now)
      if (later.length > 0) await assertRoom(store, later.length, given.mostScheduled ?? mostScheduled)
      const changes: Change[] = []
      const blobs: Blob[] = []
      const emails: EmailRecord[] = []
      const spans: AcceptSpan[] = []
      // Ids define the order of the list: nothing may be awaited between the ids and the commit, or a page could miss a
      // mail.
      const results = accepted.map((one): SendingResult => {
        if ('error' in one) return one
        const { send_at } = one.kept
        // The header of a mail is about this mail alone, so it comes first.
        const own = one.kept.trace ?? parent
        const span = tracer && tracer.begin('email accept', own, began)
        const trace = span?.trace ?? own
        const isLater = send_at !== null && send_at > now
        const facts = { id: ids.next(isLater ? 'sch' : 'em'), now, via: given.via, trace }
        if (span) spans.push({ span, id: facts.id, recipients: one.addresses.rcpt_to.length })
        if (isLater) {
          const made = toScheduledRecord(one, one.kept, { ...facts, send_at })
          changes.push(insert(scheduledCollection, made.record))
          blobs.push(...made.blobs)
        } else {
          const made = toEmail(one, one.kept, { ...facts, type: 'transactional' })
          changes.push(insert(emailCollection, made.email))
          emails.push(made.email)
          blobs.push(...made.blobs)
        }
        return toAnswer(facts.id, one)
      })
      if (remember) changes.push(remember(results.map(toRemembered)))
      if (changes.length > 0) await store.commit(changes, blobs)
      for (const { span, id, recipients } of spans) span.end(acceptedAs(id, 'api', recipients))
      if (given.onStored) for (const email of emails) given.onStored(email)
      return results
    })
  }

  async function accept(
    requests: readonly unknown[],
    options: SendingOptions,
  ): Promise<{ results: SendingResult[] }> {
    assertCount(requests)
    const { maxRecipients = maxWholeRecipients } = options
    return { results: await acceptAll(requests, options, { ...whole, maxRecipients }) }
  }

  return {
    accept,
    async send(input, options) {
      const body = input instanceof LongBody ? await given.thread.run('body of sends', [input.take()]) : input
      const { results } = await accept(Array.isArray(body) ? body : [body], { ...options, partial: false })
      return results.map(sentOf)
    },
    async acceptEmail(input, { idempotencyKey, trace } = {}) {
      const [result] = await acceptAll([input], { surface: '', idempotencyKey, trace }, given)
      return sentOf(result)
    },
    find: (provider, messageId) => findByProvider(store, provider, messageId),
    scheduled: createScheduled({ ...given, send: (record) => schedule.send(record) }),
    schedule,
  }
}

/** What the spans of a call begin with. */
interface CallTrace {
  readonly parent: TraceContext | undefined
  /** Unix time of the machine in milliseconds. */
  readonly began: number
}

interface AcceptSpan {
  readonly span: Span
  readonly id: string
  readonly recipients: number
}

/** How many requests one call may have, because they are stored in one commit. */
export const maxRequests = 1000
const maxWholeRecipients = 1000

/** How many recipients the emails of one call may have together, because they are stored in one commit. */
const maxCallRecipients = 20_000

function assertFewRecipients(accepted: readonly Given[]): void {
  const count = accepted.reduce((sum, one) => sum + ('error' in one ? 0 : one.addresses.rcpt_to.length), 0)
  if (count <= maxCallRecipients) return
  const message = `has ${count} recipients in all its emails; at most ${maxCallRecipients} are taken in one call`
  throw validationError([{ field: 'body', message }])
}

/** A checked request of a call, or what is wrong with it. */
type Given = (Storable & Pick<Accepted, 'domain'>) | { error: LocalpostError }

async function checkAll(
  requests: readonly unknown[],
  deps: Parameters<typeof checkGiven>[1],
): Promise<Awaited<ReturnType<typeof checkGiven>>[]> {
  const checks: Awaited<ReturnType<typeof checkGiven>>[] = []
  const pacer = createPacer(1)
  for (const request of requests) {
    checks.push(await checkGiven(request, deps))
    if (pacer.due()) await pacer.turn()
  }
  return checks
}

function assertCount(requests: readonly unknown[]): void {
  const count = requests.length
  if (count >= 1 && count <= maxRequests) return
  const message = `must have 1 to ${maxRequests} requests, not ${count}: send them in several calls`
  throw validationError([{ field: 'body', message }])
}
