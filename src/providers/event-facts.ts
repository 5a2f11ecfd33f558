import type { EmailRecord } from '../emails/email.ts'
import type { ShapedEvent } from '../webhooks/shape.ts'

/** A text that is the same for the same event, of which providers' ids of events are made. */
export function eventKey({ email, recipient, event }: ShapedEvent): string {
  return [email.id, recipient, event.status, event.timestamp].join('\n')
}

/** The events of an email, by its recipients. */
export function eventsOf(email: EmailRecord): ShapedEvent[] {
  return email.recipients.flatMap(({ recipient, events }) =>
    events.map((event) => ({ email, recipient, event })),
  )
}

/** The id of an email in the answer of a provider; that of Localpost for an email that came by another interface. */
export function idAt(provider: string, email: Pick<EmailRecord, 'id' | 'provider'>): string {
  return email.provider?.name === provider ? email.provider.message_id : email.id
}

/** The enhanced status code in a reply of an SMTP server: `5.1.1`; undefined without one. */
export function enhancedCodeIn(reply: string): string | undefined {
  return /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(reply)?.[1]
}
