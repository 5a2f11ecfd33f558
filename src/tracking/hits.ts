import type { Clock } from '../core/clock.ts'
import type { EmailEvent } from '../emails/email.ts'
import { isOver, withEvents } from '../emails/events.ts'
import { modifyEmail } from '../emails/modify.ts'
import type { Store } from '../store/store.ts'

/** Who loaded an image or followed a link. */
export interface Visitor {
  ip: string
  user_agent: string
}

/** One hit, by what its token says. */
export interface Hit {
  email_id: string
  /** Index of the recipient whose copy it was. */
  recipient: number
  /** The link that was followed; absent for an opening. */
  link?: string
}

/**
 * Adds the event of a hit to its recipient; ten at once are ten events.
 *
 * No event: for a recipient who is not there, after a permanent bounce or a failure (the mail never reached anybody),
 * and beyond 500 events of one recipient, which bounds what an address in a mail can make of a record.
 *
 * @returns Whether the email is still there.
 */
export async function recordHit(
  parts: { store: Store; clock: Clock },
  hit: Hit,
  visitor: Visitor,
): Promise<boolean> {
  const email = await modifyEmail(parts.store, hit.email_id, (stored) => {
    const state = stored.recipients[hit.recipient]
    if (!state || isOver(state.events) || state.events.length >= maxEvents) return null
    const event = eventOf(hit, visitor, parts.clock.now())
    return withEvents(stored, new Map([[state.recipient, [event]]]))
  })
  return email !== null
}

const maxEvents = 500
const maxUserAgentLength = 512

function eventOf({ link }: Hit, { ip, user_agent }: Visitor, timestamp: number): EmailEvent {
  const by = { timestamp, ip, user_agent: cleanUserAgent(user_agent) }
  return link === undefined ? { status: 'opened', ...by } : { status: 'clicked', ...by, link }
}

/** A user agent as an event keeps it: at most 512 characters, none of them a control character. */
function cleanUserAgent(given: string): string {
  return given.replace(/[\x00-\x1f\x7f-\x9f]/g, '').slice(0, maxUserAgentLength)
}
