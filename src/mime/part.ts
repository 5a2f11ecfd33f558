import type { TransferEncoding } from './transfer.ts'

/** One leaf of a message's MIME tree: a body or an attachment. */
export interface MimePart {
  /** Position among the leaves, from 0, in the order of the message. */
  index: number
  /** A well-formed media type without parameters. */
  content_type: string
  /** As the part says, where it could be one. */
  charset: string | null
  /** For display: the last path segment; null without a usable one. */
  filename: string | null
  /** Without angle brackets; null without one. */
  content_id: string | null
  disposition: 'attachment' | 'inline'
}

/** A part with the place of its encoded bytes in the message. */
export interface PlacedPart extends MimePart {
  encoding: TransferEncoding
  start: number
  end: number
  /** How the lines of plain text are joined (RFC 3676); null where they stay as they are. */
  flowed: 'keep-spaces' | 'delete-spaces' | null
}
