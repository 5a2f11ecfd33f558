import type { BounceSubtype, BounceType, EventStatus } from './email.ts'

/** The body of `POST /dev/emails/{id}/events`. Members that the status does not have are ignored. */
export interface AddedEvent {
  /** One of the email's recipients, in any case. */
  recipient: string
  status: Exclude<EventStatus, 'sent'>
  /** Unix time in milliseconds; default: now. */
  timestamp?: number
  /** Of an opening or click; default: `127.0.0.1`. */
  ip?: string
  /** Of an opening or click; default: `Localpost`. */
  user_agent?: string
  /** Of a click; required there. */
  link?: string
  /** Of a bounce; default: that of the subtype, or `Permanent`. */
  type?: BounceType
  /** Of a bounce; default: `General`, of `Undetermined` the same. */
  subtype?: BounceSubtype
}
