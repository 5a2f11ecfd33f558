// Written by `npm run types` from the schemas of this folder. Change those, not this file.

import type { BounceSubtype, BounceType, EventCause } from './types.ts'

/** The body of a request to a webhook for an event of an email: `type` says which members `data` has. */
export type EmailPayload =
  | {
      type: 'email.sent'
      /** The time of the event: ISO 8601 in UTC, as in Standard Webhooks; the same as in `data`. */
      timestamp: string
      /** The email, the recipient, and all members of the event, named as in `last_event`. */
      data: {
        email_id: string
        /** Its address. */
        recipient: string
        /** Unix time in milliseconds. */
        timestamp: number
        status: 'sent'
      }
    }
  | {
      type: 'email.complained'
      /** The time of the event: ISO 8601 in UTC, as in Standard Webhooks; the same as in `data`. */
      timestamp: string
      /** The email, the recipient, and all members of the event, named as in `last_event`. */
      data: {
        email_id: string
        /** Its address. */
        recipient: string
        /** Unix time in milliseconds. */
        timestamp: number
        status: 'complained'
        /** Absent if no rule and no simulator caused it. */
        cause?: EventCause
      }
    }
  | {
      type: 'email.delivered'
      /** The time of the event: ISO 8601 in UTC, as in Standard Webhooks; the same as in `data`. */
      timestamp: string
      /** The email, the recipient, and all members of the event, named as in `last_event`. */
      data: {
        email_id: string
        /** Its address. */
        recipient: string
        /** Unix time in milliseconds. */
        timestamp: number
        status: 'delivered'
        processing_time_millis: number
        reporting_mta: string
        smtp_response: string
      }
    }
  | {
      type: 'email.bounced'
      /** The time of the event: ISO 8601 in UTC, as in Standard Webhooks; the same as in `data`. */
      timestamp: string
      /** The email, the recipient, and all members of the event, named as in `last_event`. */
      data: {
        email_id: string
        /** Its address. */
        recipient: string
        /** Unix time in milliseconds. */
        timestamp: number
        status: 'bounced'
        type: BounceType
        subtype: BounceSubtype
        /** The reply or the fault that caused it; absent when it was asked for. */
        smtp_response?: string
        reporting_mta?: string
        /** Absent if no rule and no simulator caused it. */
        cause?: EventCause
      }
    }
  | {
      type: 'email.delivery_delayed'
      /** The time of the event: ISO 8601 in UTC, as in Standard Webhooks; the same as in `data`. */
      timestamp: string
      /** The email, the recipient, and all members of the event, named as in `last_event`. */
      data: {
        email_id: string
        /** Its address. */
        recipient: string
        /** Unix time in milliseconds. */
        timestamp: number
        status: 'delivery_delayed'
        smtp_response?: string
        /** Absent if no rule and no simulator caused it. */
        cause?: EventCause
      }
    }
  | {
      type: 'email.failed'
      /** The time of the event: ISO 8601 in UTC, as in Standard Webhooks; the same as in `data`. */
      timestamp: string
      /** The email, the recipient, and all members of the event, named as in `last_event`. */
      data: {
        email_id: string
        /** Its address. */
        recipient: string
        /** Unix time in milliseconds. */
        timestamp: number
        status: 'failed'
        reason: string
      }
    }
  | {
      type: 'email.opened'
      /** The time of the event: ISO 8601 in UTC, as in Standard Webhooks; the same as in `data`. */
      timestamp: string
      /** The email, the recipient, and all members of the event, named as in `last_event`. */
      data: {
        email_id: string
        /** Its address. */
        recipient: string
        /** Unix time in milliseconds. */
        timestamp: number
        status: 'opened'
        ip: string
        user_agent: string
      }
    }
  | {
      type: 'email.clicked'
      /** The time of the event: ISO 8601 in UTC, as in Standard Webhooks; the same as in `data`. */
      timestamp: string
      /** The email, the recipient, and all members of the event, named as in `last_event`. */
      data: {
        email_id: string
        /** Its address. */
        recipient: string
        /** Unix time in milliseconds. */
        timestamp: number
        status: 'clicked'
        ip: string
        user_agent: string
        link: string
      }
    }
