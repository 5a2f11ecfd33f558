import type { EmailEvent, EventStatus, RecipientState } from '../../../src/emails/types.ts'
import { statuses, type Tone } from '../../composables/words.ts'
import { bySeverity } from './outcomes.ts'

/** Why one recipient did not get a mail, or complained about it. */
export interface Failure {
  recipient: string
  status: EventStatus
  words: string
  tone: Tone
  /** The SMTP reply, or the reason; `""` if there is none. */
  reply: string
  /** The cause, in words; `""` if it is not known. */
  cause: string
}

/** The recipients whose mail failed, bounced, was complained about or is delayed: the worst first. */
export function failuresOf(recipients: readonly RecipientState[]): Failure[] {
  return recipients
    .flatMap(({ recipient, events }) => {
      const event = failureIn(events)
      if (!event) return []
      const { words, tone } = statuses[event.status]
      return [
        {
          recipient,
          status: event.status,
          words,
          tone,
          reply: replyOf(event),
          cause: causeOf(recipient, event),
        },
      ]
    })
    .sort((one, other) => bySeverity(one.status, other.status))
}

/** The last failure of a recipient; a delay only while nothing followed. */
export function failureIn(events: readonly EmailEvent[]): EmailEvent | undefined {
  const last = events.at(-1)
  if (last?.status === 'delivery_delayed') return last
  return events.findLast(({ status }) => isFailure.has(status))
}

const isFailure: ReadonlySet<EventStatus> = new Set(['failed', 'bounced', 'complained'])

function replyOf(event: EmailEvent): string {
  if (event.status === 'failed') return event.reason
  return 'smtp_response' in event ? (event.smtp_response ?? '') : ''
}

function causeOf(recipient: string, event: EmailEvent): string {
  const cause = 'cause' in event ? event.cause : undefined
  if (cause?.kind === 'rule') return `caused by the rule ${cause.match}: ${cause.action}`
  if (cause) return `caused by the simulator address ${recipient}`
  if (event.status === 'bounced' && event.subtype.endsWith('uppressed')) return 'on the suppression list'
  return ''
}
