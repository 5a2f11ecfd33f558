import type { TransactionNotes } from './transcript.ts'

/** What capture knows of an SMTP session when a transaction begins. */
export interface SessionFacts {
  /** Address and port of the client. */
  remote_address: string
  /** The name the client gave with EHLO or HELO; `""` without one. */
  client_name: string
  /** The user name of a successful AUTH; null without one. */
  user: string | null
  /** Whether TLS is on. */
  secure: boolean
  /** What was said; the lines that follow are added to it. Null where nothing is noted. */
  notes: TransactionNotes | null
}

/** RFC 5321 envelope of one transaction: bare addresses, `""` for the null sender. */
export interface Envelope {
  mail_from: string
  rcpt_to: string[]
}

/** Takes submissions: what the emails noun gives to capture. */
export interface Submissions {
  /** Begins to take one message; called when its DATA begins. */
  begin(envelope: Envelope, session: SessionFacts): Reception
}

/** Takes the bytes of one submitted message, as they are after dot-unstuffing. */
export interface Reception {
  /** Takes a piece. Wait for it where it gives a promise, before the next piece. */
  write(piece: Uint8Array): Promise<void> | undefined
  /**
   * Stores the whole as an email; it is durable when this resolves.
   *
   * @returns The text of the 250 reply, without codes: `OK: captured as em_…`.
   * @throws A LocalpostError where nothing was stored: capture answers 452 for a full store, else 451.
   */
  finish(): Promise<string>
  /** Gives the message up: the client vanished, or the message is too large. */
  discard(): Promise<void>
}
