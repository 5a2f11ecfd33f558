import type { Complete } from '../core/complete.ts'
import type { DomainRecord } from '../domains/domain.ts'
import type { EmailRecord } from '../emails/email.ts'
import type { DomainData } from '../domains/types.ts'
import type { EmailPayload } from '../emails/events.ts'
import type { DomainEventType, DomainPayload } from './types.ts'

/**
 * The events of an email between two of its versions: one payload per event, oldest first. Events are only ever added
 * to a recipient, so the new ones are those after the previous number.
 *
 * @param before  The version that `email` replaces; null if there was none.
 */
export function emailPayloads(before: EmailRecord | null, email: EmailRecord): EmailPayload[] {
  const countsBefore = new Map(before?.recipients.map(({ recipient, events }) => [recipient, events.length]))
  return email.recipients
    .flatMap(({ recipient, events }) =>
      events.slice(countsBefore.get(recipient) ?? 0).map((event) => ({ recipient, event })),
    )
    .sort((a, b) => a.event.timestamp - b.event.timestamp)
    .map(({ recipient, event }) => {
      const timestamp = new Date(event.timestamp).toISOString()
      const data = { email_id: email.id, recipient, ...event }
      // The compiler does not relate the type to the status of the event.
      return { type: `email.${event.status}`, timestamp, data } as EmailPayload
    })
}

/**
 * The events of a domain between two of its versions: `domain.created` when it was registered, `domain.updated` at
 * every other change, and then `domain.verified` if its state became SUCCESS. A name that only mail mentioned is not
 * announced until it is registered.
 *
 * @param before  The version that `domain` replaces; null if there was none.
 * @param now  Unix time in milliseconds.
 */
export function domainPayloads(old: DomainRecord | null, domain: DomainRecord, now: number): DomainPayload[] {
  if (!domain.registered) return []
  const types: DomainEventType[] = [old?.registered ? 'domain.updated' : 'domain.created']
  if (domain.status === 'SUCCESS' && !(old?.registered && old.status === 'SUCCESS'))
    types.push('domain.verified')
  return types.map((type) => ({ type, timestamp: new Date(now).toISOString(), data: toData(domain) }))
}

function toData(domain: DomainRecord): Complete<DomainData> {
  return {
    domain_id: domain.id,
    name: domain.name,
    status: domain.status,
    verified_for_sending_status: domain.status === 'SUCCESS',
    verification_info: domain.verification_info,
    created: domain.created,
    is_warmed_up: domain.is_warmed_up,
    warmed_up_at: domain.warmed_up_at,
    open_tracking_enabled: domain.open_tracking_enabled,
    click_tracking_enabled: domain.click_tracking_enabled,
  }
}
