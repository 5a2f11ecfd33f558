import { bounceSubtypes, bounceTypes, eventStatuses } from '../emails/events.ts'
import type { BounceSubtype, BounceType, EmailEvent, EventStatus } from '../emails/types.ts'
import type { Mail } from '../inbox/types.ts'
import type { MailQueryMembers } from '../search/query-members.ts'
import { contains } from '../search/query-fits.ts'
import { assertExpectation, type MemberKind } from './expectation.ts'
import { createMailReader, type MailReader } from './mail-reader.ts'
import { defaultTimeoutMs, type Inspected } from './received.ts'
import { differenceOf, sayExpectation, type Outcome, type Sense, type TextPattern } from './outcome.ts'
import { poll } from './poll.ts'
import {
  fitsAddress,
  isRuledOut,
  mailMemberKinds,
  mailMembersThatDiffer,
  takeWantedMail,
  type WantedMail,
} from './wanted-mail.ts'

/**
 * An event that a recipient should have; every given member must match. The members of a query select the mails, as in
 * a search. Default: any event.
 */
export interface EventExpectation extends MailQueryMembers {
  /** The recipient of the event. Default: anybody. */
  recipient?: TextPattern
  /** Default: any. */
  status?: EventStatus
  /** Of a bounce. */
  type?: BounceType
  /** Of a bounce. */
  subtype?: BounceSubtype
  /** The reply of the recipient's server, for a delivery, a bounce or a delay. */
  smtp_response?: TextPattern
  /** Of a click. */
  link?: TextPattern
  /** Of a failure. */
  reason?: TextPattern
  /**
   * How long it may take, in milliseconds of the machine's clock. Default: `waitTimeoutMs` of the instance; 0 for a mail
   * that was read already, and for negated assertions.
   */
  timeoutMs?: number
}

/**
 * Checks whether an event happened. The mails of an instance are read again until it did. A given mail has only the
 * events of the moment when it was read.
 */
export async function checkEvent(
  received: Inspected | Mail,
  expectation: EventExpectation = {},
  { isNot }: Sense = { isNot: false },
): Promise<Outcome> {
  assertExpectation(expectation, memberKinds, 'An event')
  const { mail, rest } = takeWantedMail(expectation, 'An event')
  const { timeoutMs: given, ...wanted } = rest
  const timeoutMs = given ?? (isNot || !('inbox' in received) ? 0 : defaultTimeoutMs(received))
  const ask =
    'inbox' in received ? readEvents(createMailReader(received), mail) : async () => eventsOf(received, mail)
  const all = await poll(ask, (events) => events.some((event) => fits(event, wanted)), timeoutMs)
  const matches = all.filter((event) => fits(event, wanted))
  const pass = matches.length > 0
  const ranked = nearest(all, wanted)
  const [closest] = ranked
  return {
    pass,
    message: () => {
      const within = timeoutMs > 0 ? ` within ${timeoutMs} ms` : ''
      const where = Object.keys(mail).length === 0 ? '' : ` of mail ${sayExpectation(mail)}`
      if (pass) return `Expected no event ${sayExpectation(wanted)}${where}, but there is:\n${list(matches)}`
      const had = all.length > 0 ? `these happened:\n${list(ranked)}` : 'nothing happened at all.'
      return `Expected an event ${sayExpectation(wanted)}${where}${within}, but ${had}`
    },
    ...(pass || !closest
      ? {}
      : differenceOf(wanted, differing(closest, wanted), (name) => Reflect.get(closest, name))),
  }
}

const memberKinds = {
  ...mailMemberKinds,
  recipient: 'pattern',
  status: eventStatuses,
  type: bounceTypes,
  subtype: bounceSubtypes,
  smtp_response: 'pattern',
  link: 'pattern',
  reason: 'pattern',
  timeoutMs: 'milliseconds',
} as const satisfies Record<keyof EventExpectation, MemberKind>

type Wanted = Omit<EventExpectation, keyof MailQueryMembers | 'timeoutMs'>
type Happened = EmailEvent & { email: string; recipient: string }

function readEvents(reader: MailReader, wanted: WantedMail): () => Promise<Happened[]> {
  const idsOf = async (): Promise<string[]> =>
    (await reader.summaries()).filter((mail) => !isRuledOut(mail, wanted)).map(({ id }) => id)
  return async () => {
    const ids = wanted.id === undefined ? await idsOf() : [wanted.id]
    const mails = await Promise.all(ids.map((id) => reader.readAgain(id)))
    return mails.flatMap((mail) => (mail ? eventsOf(mail, wanted) : []))
  }
}

function eventsOf(mail: Mail, wanted: WantedMail): Happened[] {
  if (mailMembersThatDiffer(mail, wanted).length > 0) return []
  return mail.recipients.flatMap(({ recipient, events }) =>
    events.map((event) => ({ ...event, email: mail.id, recipient })),
  )
}

function fits(event: Happened, wanted: Wanted): boolean {
  return differing(event, wanted).length === 0
}

function differing(event: Happened, wanted: Wanted): string[] {
  const members: Readonly<Record<string, unknown>> = { ...event }
  return Object.entries(wanted)
    .filter(([name, value]) => {
      if (value === undefined) return false
      const have = members[name]
      if (typeof have !== 'string') return true
      if (name === 'recipient') return !fitsAddress(have, value)
      return textMembers.has(name) ? !contains(have, value) : have !== value
    })
    .map(([name]) => name)
}

const textMembers = new Set(['smtp_response', 'link', 'reason'])

/** The events that differ in the fewest members come first. */
function nearest(all: readonly Happened[], wanted: Wanted): Happened[] {
  return [...all].sort((one, other) => differing(one, wanted).length - differing(other, wanted).length)
}

function list(events: readonly Happened[]): string {
  const lines = events.slice(0, maxListed).map((event) => {
    const { email, recipient, status } = event
    const rest = Object.entries(event).filter(([name]) => !saidAlready.has(name))
    const more = rest.length > 0 ? ` ${sayExpectation(Object.fromEntries(rest))}` : ''
    return `  ${status} to ${recipient} (${email})${more}`
  })
  if (events.length > maxListed) lines.push(`  and ${events.length - maxListed} more`)
  return lines.join('\n')
}

const maxListed = 8
const saidAlready = new Set(['email', 'recipient', 'status', 'timestamp'])
