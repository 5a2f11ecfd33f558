// Written by `npm run types` from the schemas of this folder. Change those, not this file.

/** The body of `POST /dev/broadcasts`: the same mail, made personal, to all who are subscribed. */
export interface BroadcastRequest {
  audience_id: string
  /** Sender, display name plus address form; the domain decides about the signature. */
  from: string
  subject: string
  /** `{{first_name}}`, `{{last_name}}` and `{{email}}` are filled in, as in `subject` and `text`. */
  html?: string
  text?: string
}

/** A contact that a broadcast leaves out, and why. */
export interface LeftOutContact {
  id: string
  email: string
  reason: 'unsubscribed' | 'invalid_address'
  /** The reason in words. */
  message: string
}

/** The contacts of an audience that a broadcast leaves out. */
export interface LeftOut {
  /** How many contacts are not subscribed. */
  unsubscribed: number
  /** How many contacts have an address that cannot be sent to. */
  invalid_address: number
  /** The first 100 of them; invalid addresses come first. */
  contacts: LeftOutContact[]
}

/** The answer to a broadcast: one email per subscribed contact. */
export interface Broadcast {
  /** Stands as a tag on each of its emails. */
  id: string
  email_ids: string[]
  /** How many emails: the length of `email_ids`. */
  count: number
  /** The contacts that get no email. */
  left_out: LeftOut
  /** What was accepted and yet looks wrong: placeholders that stay as written, an unregistered domain. */
  warnings: string[]
}
