// Written by `npm run types` from the schemas of this folder. Change those, not this file.

/** An address of the envelope. */
export interface Path {
  Relays: null
  Mailbox: string
  Domain: string
  Params: string
}

/** A message, or a part of one. */
export interface Content {
  /** The header fields by their names as written; encoded words are not decoded. */
  Headers: Record<string, string[]>
  /**
   * As it is in the message, so base64 and quoted-printable are not decoded; `""` for a multipart in a
   * multipart.
   */
  Body: string
  /** In characters. */
  Size: number
  /** The parts of a multipart, each with the members of a message; null for any other. */
  MIME: {
    Parts: Record<string, unknown>[]
  } | null
}

/** A message. */
export interface Message {
  ID: string
  From: Path
  /** The recipients of the envelope. */
  To: Path[]
  Content: Content
  /** Arrival: ISO 8601 in UTC. */
  Created: string
  /** The parts of a multipart; null for any other message. */
  MIME: {
    Parts: Content[]
  } | null
  Raw: {
    From: string
    To: string[]
    /** The source of the message. */
    Data: string
    /** Always `""`: it is not kept with the message. */
    Helo: string
  }
}

/** A page of messages. */
export interface Page {
  /** All messages, or all matches. */
  total: number
  /** Those of this answer. */
  count: number
  start: number
  items: Message[]
}
