/** The body of `POST /dev/broadcasts`: the same mail, made personal, to all who are subscribed. */
export interface BroadcastRequest {
  audience_id: string
  from: string
  subject: string
  /** `{{first_name}}`, `{{last_name}}` and `{{email}}` are filled in, here and in `subject` and `text`. */
  html?: string
  text?: string
}

/** What became of it: one email per subscribed contact. */
export interface Broadcast {
  /** Stands as a tag on each of its emails. */
  id: string
  email_ids: string[]
  /** How many emails: the length of `email_ids`. */
  count: number
}
