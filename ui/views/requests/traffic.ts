import type { MailSummary } from '../../../src/inbox/types.ts'
import type { SmtpSessionSummary } from '../../../src/inbox/smtp-session-types.ts'
import type { LoggedRequest } from '../../../src/server/types.ts'
import type { WebhookDelivery } from '../../../src/webhooks/types.ts'
import { countWords, spellOverrides, statuses, type Tone } from '../../composables/words.ts'
import type { Paged } from '../shared/paged.ts'
import { type KnownWebhooks, receiverOf } from '../webhooks/receiver.ts'
import { errorOf } from './mail-problems.ts'

/** What the timeline is about. The key is the part of the URL that filters by it. */
export const trafficKinds = { requests: 'Requests', sessions: 'SMTP', webhooks: 'Webhooks' } as const
/** How the ids of a kind begin. */
export const idStarts = { requests: 'req_', sessions: 'ses_', webhooks: 'whd_' } as const
export type TrafficKind = keyof typeof trafficKinds
export const isKind = (text: string | undefined): text is TrafficKind =>
  text !== undefined && Object.hasOwn(trafficKinds, text)

/** One line of the timeline. */
export interface TrafficRow {
  id: string
  /** Unix time in milliseconds. */
  time: number
  kind: TrafficKind
  outcome: { words: string; tone: Tone }
  /** The request, the client, or the event and its receiver. */
  what: string
  /** Empty where it is not known, or there is none. */
  from: string
  to: string[]
  subject: string
  /** What went wrong; `""` if nothing did. */
  problem: string
}

/** What a row of a mail can be taken from. */
export type KnownMails = ReadonlyMap<string, Pick<MailSummary, 'from' | 'to' | 'subject' | 'last_event'>>

export function requestRow(request: LoggedRequest, mails: KnownMails): TrafficRow {
  const { id, timestamp, method, path, status, warnings } = request
  const sent = membersOf(request.request_body)
  const mail = mails.get(mailOf(request))
  const { name, message } = errorOf(request)
  const isBad = status === 0 || status >= 400
  return {
    id,
    time: timestamp,
    kind: 'requests',
    outcome: mail
      ? eventOf(mail)
      : {
          words: status === 0 ? 'Closed' : String(status),
          tone: status >= 500 || status === 0 ? 'bad' : isBad ? 'warn' : 'good',
        },
    what: path === '' ? `${method} at the HTTP port` : `${method} ${path}`,
    from: mail?.from ?? textOf(sent, 'from'),
    to: mail?.to ?? listOf(sent, 'to'),
    subject: mail?.subject ?? textOf(sent, 'subject'),
    problem: isBad ? [name, message].filter(Boolean).join(': ') : (warnings[0] ?? ''),
  }
}

/** The id of the mail that a request sent; `""` where its answer names none. */
export function mailOf({ method, response_body }: LoggedRequest): string {
  const id = method === 'POST' ? textOf(membersOf(response_body), 'id') : ''
  return id.startsWith('em_') ? id : ''
}

export function sessionRow(session: SmtpSessionSummary, mails: KnownMails): TrafficRow {
  const { id, started, ended, client_name, remote_address, message_count, problems, email_ids } = session
  const mail = mails.get(email_ids.at(-1) ?? '')
  const outcome = (): TrafficRow['outcome'] => {
    if (message_count === 0 && problems.length > 0) return { words: 'No message', tone: 'bad' }
    if (message_count > 1 || (message_count > 0 && !mail))
      return { words: countWords(message_count, 'message'), tone: problems.length > 0 ? 'warn' : 'good' }
    if (mail) return eventOf(mail)
    return ended === null ? { words: 'Open', tone: 'info' } : { words: 'No message', tone: 'quiet' }
  }
  return {
    id,
    time: started,
    kind: 'sessions',
    outcome: outcome(),
    what: client_name || remote_address,
    from: mail?.from ?? session.mail_from ?? '',
    to: mail?.to ?? session.rcpt_to,
    subject: mail?.subject ?? '',
    problem: problems[0]?.message ?? '',
  }
}

/** How a delivery is. An object, so that the compiler reports a state that is missing here. */
const deliveryStates: Readonly<Record<WebhookDelivery['state'], TrafficRow['outcome']>> = {
  pending: { words: 'Waiting', tone: 'warn' },
  delivered: { words: 'Taken', tone: 'good' },
  failed: { words: 'Failed', tone: 'bad' },
}

export function deliveryRow(delivery: WebhookDelivery, webhooks: KnownWebhooks): TrafficRow {
  const { id, created, type, recipient, domain_name, subject, state, attempts } = delivery
  const last = attempts.at(-1)
  return {
    id,
    time: created,
    kind: 'webhooks',
    outcome: deliveryStates[state],
    what: `${type} to ${receiverOf(delivery, webhooks)}`,
    from: '',
    to: [recipient ?? domain_name ?? ''].filter(Boolean),
    subject: subject ?? '',
    problem: state === 'delivered' ? '' : (last?.error ?? ''),
  }
}

/**
 * The rows of several lists as one timeline, the newest first. It ends where a list has more on the server: what is older
 * there is not known yet.
 */
export function merged(lists: readonly { rows: readonly TrafficRow[]; hasMore: boolean }[]): TrafficRow[] {
  const ends = lists.flatMap(({ rows, hasMore }) => (hasMore ? [rows.at(-1)?.time ?? 0] : []))
  const end = Math.max(0, ...ends)
  return lists
    .flatMap(({ rows }) => rows.filter(({ time }) => time >= end))
    .toSorted((one, other) => other.time - one.time)
}

/** The list that ends the timeline: of those with more the one whose last entry is the newest. */
export function endOf<T extends { list: Paged<unknown>; rows: readonly TrafficRow[] }>(
  lists: readonly T[],
): T | undefined {
  const lastOf = ({ rows }: T): number => rows.at(-1)?.time ?? 0
  return lists.filter(({ list }) => list.hasMore.value).toSorted((a, b) => lastOf(b) - lastOf(a))[0]
}

/** Whether a row has all words of a search, in any of its texts. */
export function matches(row: TrafficRow, search: string): boolean {
  const { outcome, what, from, to, subject, problem } = row
  const text = [outcome.words, what, from, ...to, subject, problem].join(' ').toLowerCase()
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

/** Whether something went wrong: what the filter for problems shows. */
export const isProblem = ({ outcome, problem }: TrafficRow): boolean =>
  problem !== '' || outcome.tone === 'bad' || outcome.tone === 'warn'

/** The addresses in few words: `ada@example.com and 2 more`. */
export function fewOf(addresses: readonly string[]): string {
  const [first = ''] = addresses
  return spellOverrides(addresses.length > 1 ? `${first} and ${addresses.length - 1} more` : first)
}

function eventOf({ last_event }: Pick<MailSummary, 'last_event'>): TrafficRow['outcome'] {
  return statuses[last_event.status]
}

/** The members of a body; a body that was cut is no JSON. */
function membersOf(body: string | null): object {
  try {
    const value: unknown = JSON.parse(body ?? '')
    const first: unknown = Array.isArray(value) ? value[0] : value
    return typeof first === 'object' && first !== null ? first : {}
  } catch {
    return {}
  }
}

function textOf(members: object, name: string): string {
  const value: unknown = Reflect.get(members, name)
  return typeof value === 'string' ? value : ''
}

function listOf(members: object, name: string): string[] {
  const value: unknown = Reflect.get(members, name)
  return (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string')
}
