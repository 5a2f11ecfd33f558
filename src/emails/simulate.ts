import type { Clock } from '../core/clock.ts'
import { LocalpostError, validationError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import { addressKey } from '../mime/headers/addresses.ts'
import { changeRecord } from '../store/repository.ts'
import type { Store } from '../store/store.ts'
import { parseInput } from '../core/validate.ts'
import { emailCollection, type EmailRecord } from './email.ts'
import type {
  AddedEvent,
  BounceSubtype,
  BounceType,
  EmailEvent,
  RecipientEvent,
  RecipientState,
} from './types.ts'
import { bounceTypes, isOver, pendingRecipients, subtypesOf, withEvents } from './events.ts'
import { addedEventSchema } from './simulate-schema.ts'
import { toRecipientEvent } from './views.ts'

/** Events on request: those that a test cannot wait for, or that do not happen with a local server. */
export interface Simulation {
  /**
   * Adds an event to one recipient of an email, as if it had happened. If the recipient has no outcome yet, this event
   * becomes the outcome.
   *
   * @returns The event as the detail of the email shows it.
   * @throws validation_error (also for an address that is not a recipient, and for a click without a link), not_found,
   * and state_conflict if it contradicts earlier events: anything after a permanent bounce or a failure; a delivery,
   * bounce, delay or failure after the delivery; an opening, click or complaint before it; a time before the last
   * event's.
   */
  addEvent(id: string, event: AddedEvent): Promise<RecipientEvent>
}

/** @param deps.hostname  The `reporting_mta` of deliveries. */
export function createSimulation(deps: { store: Store; clock: Clock; hostname: string }): Simulation {
  const { store, clock, hostname } = deps
  return {
    async addEvent(id, input) {
      const given = parseInput(addedEventSchema, input)
      const now = clock.now()
      assertPlausible(given.timestamp, now)
      const bounce = bounceToAdd(given)
      const link = linkOf(given)
      const email = await changeRecord(store, emailCollection, id, 'email', (stored) => {
        const { recipient, events } = stateOf(stored, given.recipient)
        assertPossible(recipient, events, given)
        const timestamp = given.timestamp ?? Math.max(now, events.at(-1)?.timestamp ?? 0)
        const event = toEvent(given, { timestamp, bounce, link, hostname, accepted: stored.created })
        return settled(withEvents(stored, new Map([[recipient, [event]]])))
      })
      const added = stateOf(email, given.recipient).events.at(-1)
      if (!added) throw new Error(`email ${id} lost the event that was added`)
      return toRecipientEvent(added)
    },
  }
}

function stateOf(email: EmailRecord, recipient: string): RecipientState {
  const wanted = addressKey(recipient.trim())
  const state = email.recipients.find((known) => addressKey(known.recipient) === wanted)
  if (state) return state
  const known = email.recipients.map((one) => one.recipient).join(', ')
  const message = `must be a recipient of this email, not ${quote(recipient)}: ${known}`
  throw validationError([{ field: 'recipient', message }])
}

// An email without message stays with the outbox, which composes it and then finds no recipient left.
function settled(email: EmailRecord): EmailRecord {
  const isDone = email.message !== null && pendingRecipients(email).length === 0
  return isDone ? { ...email, outbox: null, outbox_due: null } : email
}

function assertPossible(recipient: string, events: readonly EmailEvent[], given: AddedEvent): void {
  const last = events.at(-1)
  const isDelivered = events.some(({ status }) => status === 'delivered')
  const needsDelivery = onlyAfterDelivery.has(given.status)
  if (isOver(events))
    throw contradiction(`${recipient} ${last?.status}${detailOf(last)}: nothing happens after that.`)
  if (needsDelivery && !isDelivered) {
    const state = `so far it is ${last?.status}${detailOf(last)}`
    throw contradiction(
      `${recipient} cannot have ${given.status}: nothing was delivered, ${state}. Add delivered first.`,
    )
  }
  if (!needsDelivery && isDelivered)
    throw contradiction(`${recipient} cannot become ${given.status}: the mail is delivered already.`)
  if (last && given.timestamp !== undefined && given.timestamp < last.timestamp)
    throw contradiction(
      `The timestamp ${given.timestamp} lies before the last event of ${recipient}: ${last.status} at ${last.timestamp}.`,
    )
}

const onlyAfterDelivery: ReadonlySet<EmailEvent['status']> = new Set(['opened', 'clicked', 'complained'])

const detailOf = (event: EmailEvent | undefined): string =>
  event?.status === 'bounced' ? ` (${event.type}, ${event.subtype})` : ''

const contradiction = (message: string): LocalpostError => new LocalpostError('state_conflict', message)

// A time in seconds is before every mail and is refused later. Microseconds and typos are far in the future.
function assertPlausible(timestamp: number | undefined, now: number): void {
  if (timestamp === undefined || timestamp <= now + maxAheadMs) return
  const message = `must be Unix time in milliseconds, at most a year ahead, not ${timestamp}`
  throw validationError([{ field: 'timestamp', message }])
}

const maxAheadMs = 366 * 24 * 60 * 60 * 1000

interface Bounce {
  type: BounceType
  subtype: BounceSubtype
}

/** The bounce of an event; for other statuses it is not used. */
function bounceToAdd({ status, type: givenType, subtype }: AddedEvent): Bounce {
  const typeOfSubtype = bounceTypes.find((type) => subtype && subtypesOf[type].includes(subtype))
  const type = givenType ?? typeOfSubtype ?? 'Permanent'
  const known = subtypesOf[type]
  if (status === 'bounced' && subtype && !known.includes(subtype)) {
    const message = `must be one of ${known.map(quote).join(', ')} for the type ${type}, not ${quote(subtype)}`
    throw validationError([{ field: 'subtype', message }])
  }
  return { type, subtype: subtype ?? known[0] }
}

function linkOf({ status, link }: AddedEvent): string {
  if (status !== 'clicked' || link !== undefined) return link ?? ''
  throw validationError([{ field: 'link', message: 'is missing; a click has the link that was followed' }])
}

function toEvent(
  { status, ip = '127.0.0.1', user_agent = 'Localpost' }: AddedEvent,
  facts: { timestamp: number; bounce: Bounce; link: string; hostname: string; accepted: number },
): EmailEvent {
  const { timestamp, bounce, link, hostname, accepted } = facts
  switch (status) {
    case 'delivered':
      return {
        status,
        timestamp,
        processing_time_millis: Math.max(0, timestamp - accepted),
        reporting_mta: hostname,
        smtp_response: '250 2.0.0 OK: delivered on request',
      }
    case 'bounced':
      return { status, timestamp, ...bounce }
    case 'opened':
      return { status, timestamp, ip, user_agent }
    case 'clicked':
      return { status, timestamp, ip, user_agent, link }
    case 'failed':
      return { status, timestamp, reason: 'It was asked to fail.' }
    case 'complained':
    case 'delivery_delayed':
      return { status, timestamp }
  }
}
