import type { Clock } from '../core/clock.ts'
import { LocalpostError, validationError } from '../core/errors.ts'
import type { Ids } from '../core/ids.ts'
import { dateNow } from '../core/machine.ts'
import { createPacer } from '../core/slices.ts'
import { acceptedAs, failureOf, type Tracer } from '../core/tracer.ts'
import type { TraceContext } from '../core/trace-context.ts'
import { emailCollection, type EmailRecord } from '../emails/email.ts'
import { untilCommitted } from '../store/repository.ts'
import { insert, type Blob, type Change, type Store } from '../store/store.ts'
import { checkGiven, type CheckGivenDeps, type RequestCheck, type Storable } from './check-in-thread.ts'
import { withDomain, type Accepted, type SendDeps } from './check-request.ts'
import { joinHashes, keyHash, lookUpKey, type Repeatable } from './idempotency.ts'
import { firstTrace } from './own-trace.ts'
import { toEmail, toScheduledRecord } from './record.ts'
import { isOfRequest, toRemembered, toResult, withIndex, type SendingResult } from './results.ts'
import { readTime, scheduledCollection } from './scheduled.ts'
import type { SendingOptions } from './service.ts'

/** What {@link Acceptance} needs. */
export interface AcceptanceDeps extends SendDeps, CheckGivenDeps {
  store: Store
  clock: Clock
  ids: Ids
  /** The route of API sends: `relay` only with `relayAll`. */
  via: 'capture' | 'relay'
  /** Default: none. */
  tracer?: Tracer | null
  /** How many emails may wait for their time. Default: 100,000. */
  maxScheduled?: number
  /** Called after a commit that gave the outbox something to do. */
  wakeOutbox(): void
  /** Called with each email that was committed, once it is sent. Default: not called. */
  onStored?: ((email: EmailRecord) => void) | undefined
}

/** Accepts the requests of a call: checks all of them, then stores the right ones in one commit. */
export class Acceptance {
  readonly #deps: AcceptanceDeps

  constructor(deps: AcceptanceDeps) {
    this.#deps = deps
  }

  /** @param limits  Those of these requests. Default: those of the interface. */
  async accept(
    requests: readonly unknown[],
    options: SendingOptions,
    limits: Pick<AcceptanceDeps, 'kind' | 'maxRecipients'> = {},
  ): Promise<SendingResult[]> {
    const { tracer = null } = this.#deps
    const parent = tracer ? tracer.parentOf(options.trace) : options.trace
    const call: TracedCall = { parent, began: dateNow() }
    try {
      const { surface, idempotencyKey, bodyHash } = options
      const id = idempotencyKey === undefined ? null : keyHash(idempotencyKey, surface)
      const isRepeatable = id !== null && bodyHash === undefined
      const checks = await checkAll(requests, { ...this.#deps, ...limits, isRepeatable })
      const hash = (): string => bodyHash ?? joinHashes(checks.map(({ body_hash }) => body_hash))
      const repeatable = id === null ? null : { id, body_hash: hash() }
      return await this.#acceptChecked(checks, repeatable, options, call)
    } catch (error) {
      if (tracer) {
        // As for accepted mails.
        const span = tracer.begin('email accept', firstTrace(requests) ?? parent, call.began)
        span?.end({ 'localpost.source': 'api' }, failureOf(error))
      }
      throw error
    }
  }

  async #acceptChecked(
    checks: readonly RequestCheck[],
    repeatable: Repeatable | null,
    { partial = false, checkOnly = false, maxAheadDays }: SendingOptions,
    call: TracedCall,
  ): Promise<SendingResult[]> {
    const { store, clock, wakeOutbox } = this.#deps
    const earlier = repeatable && (await lookUpKey(store, repeatable, clock.now()))
    if (earlier?.answers) return earlier.answers.map(toResult)
    const outcomes: CheckOutcome[] = []
    for (const [i, { result }] of checks.entries()) {
      try {
        const storable = result()
        if (storable.kept.send_at !== null) readTime(storable.kept.send_at, clock.now(), maxAheadDays)
        outcomes.push(await withDomain(storable, this.#deps))
      } catch (error) {
        if (!partial || !(error instanceof LocalpostError) || !isOfRequest(error))
          throw checks.length > 1 ? withIndex(error, i) : error
        outcomes.push({ error })
      }
    }
    assertFewRecipients(outcomes)
    if (checkOnly) return outcomes.map((one) => ('error' in one ? one : toAnswer('', one)))
    const results = await this.#commit(outcomes, repeatable, call)
    wakeOutbox()
    return results
  }

  // The same call may run twice at once: the slower one finds the answer of the faster one when it looks again.
  #commit(
    outcomes: readonly CheckOutcome[],
    repeatable: Repeatable | null,
    call: TracedCall,
  ): Promise<SendingResult[]> {
    const { store, clock, onStored, maxScheduled = 100_000 } = this.#deps
    return untilCommitted(async () => {
      const now = clock.now()
      const earlier = repeatable && (await lookUpKey(store, repeatable, now))
      if (earlier?.answers) return earlier.answers.map(toResult)
      const later = outcomes.filter((one) => !('error' in one) && (one.kept.send_at ?? 0) > now)
      if (later.length > 0) await assertCapacity(store, later.length, maxScheduled)
      // Ids define the order of the list: nothing may be awaited between the ids and the commit, or a page could miss a
      // mail.
      const made = outcomes.map((one) => ('error' in one ? one : this.#toStored(one, now, call)))
      const results = made.map((one): SendingResult => ('error' in one ? one : one.result))
      const stored = made.flatMap((one) => ('error' in one ? [] : one))
      const changes = stored.map(({ change }) => change)
      if (earlier) changes.push(earlier.remember(results.map(toRemembered)))
      if (changes.length > 0)
        await store.commit(
          changes,
          stored.flatMap(({ blobs }) => blobs),
        )
      for (const { endSpan } of stored) endSpan?.()
      if (onStored) for (const { email } of stored) if (email) onStored(email)
      return results
    })
  }

  /** What is stored of an accepted request, under a new id. */
  #toStored(accepted: AcceptedRequest, now: number, { parent, began }: TracedCall): StoredRequest {
    const { ids, via, tracer } = this.#deps
    const { kept, addresses } = accepted
    // The header of a mail is about this mail alone, so it comes first.
    const ownParent = kept.trace ?? parent
    const span = tracer ? tracer.begin('email accept', ownParent, began) : null
    const { send_at } = kept
    const isLater = send_at !== null && send_at > now
    const id = ids.next(isLater ? 'sch' : 'em')
    const facts = { id, now, via, trace: span?.trace ?? ownParent }
    const endSpan = span && (() => span.end(acceptedAs(id, 'api', addresses.rcpt_to.length)))
    const common = { result: toAnswer(id, accepted), endSpan }
    if (isLater) {
      const { record, blobs } = toScheduledRecord(accepted, kept, { ...facts, send_at })
      return { ...common, change: insert(scheduledCollection, record), blobs, email: null }
    }
    const { email, blobs } = toEmail(accepted, kept, { ...facts, type: 'transactional' })
    return { ...common, change: insert(emailCollection, email), blobs, email }
  }
}

/** What the spans of a call begin with. */
interface TracedCall {
  readonly parent: TraceContext | undefined
  /** Unix time of the machine in milliseconds. */
  readonly began: number
}

type AcceptedRequest = Storable & Pick<Accepted, 'domain'>
/** A checked request of a call, or what is wrong with it. */
type CheckOutcome = AcceptedRequest | { error: LocalpostError }

/** An accepted request as it is committed. */
interface StoredRequest {
  readonly result: SendingResult
  readonly change: Change
  readonly blobs: readonly Blob[]
  /** Null for one that is sent later. */
  readonly email: EmailRecord | null
  readonly endSpan: (() => void) | null
}

/** The result of a request that is accepted under this id. */
function toAnswer(id: string, { warnings, kept }: Storable): SendingResult {
  const { provider } = kept.members
  return { id, warnings, ...(provider && { message_id: provider.message_id }) }
}

/** How many recipients the emails of one call may have together, because they are stored in one commit. */
const maxCallRecipients = 20_000

function assertFewRecipients(outcomes: readonly CheckOutcome[]): void {
  const count = outcomes.reduce((sum, one) => sum + ('error' in one ? 0 : one.addresses.rcpt_to.length), 0)
  if (count <= maxCallRecipients) return
  const message = `has ${count} recipients in all its emails; at most ${maxCallRecipients} are taken in one call`
  throw validationError([{ field: 'body', message }])
}

async function checkAll(
  requests: readonly unknown[],
  deps: Parameters<typeof checkGiven>[1],
): Promise<RequestCheck[]> {
  const checks: RequestCheck[] = []
  const pacer = createPacer(1)
  for (const request of requests) {
    checks.push(await checkGiven(request, deps))
    if (pacer.due()) await pacer.turn()
  }
  return checks
}

/** @throws state_conflict if more emails would wait for their time than may. */
async function assertCapacity(store: Store, added: number, maxScheduled: number): Promise<void> {
  const waiting = await store.count(scheduledCollection)
  if (waiting + added <= maxScheduled) return
  const message = `${waiting} scheduled emails wait, and at most ${maxScheduled} may: ${added} more cannot be taken. Send them later, or cancel some.`
  throw new LocalpostError('state_conflict', message)
}
