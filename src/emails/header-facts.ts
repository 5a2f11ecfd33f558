import { type Budget, noRoom } from '../core/byte-budget.ts'
import { cutText, foldSpace } from '../core/text.ts'
import { readTrace, type TraceContext } from '../core/trace-context.ts'
import { addressKey, displayNames, type ParsedAddress } from '../mime/headers/addresses.ts'
import { maxHeaderBytes } from '../mime/headers/fields.ts'
import { readHeader, type HeaderBlock } from '../mime/headers/headers.ts'
import { readEnvelope } from './header-envelope.ts'
import { initialTags } from './tags.ts'
import type { EmailMembers } from './types.ts'
import { answeredConversation } from './conversation.ts'

/** The facts from the header that the record of a captured email has. */
export interface HeaderFacts extends Pick<
  EmailMembers,
  'from' | 'to' | 'cc' | 'bcc' | 'reply_to' | 'subject' | 'tags'
> {
  /** The domain of the first address of From, or of the envelope. */
  sender_domain: string
  /** See {@link displayNames}. */
  to_names: string[] | undefined
  cc_names: string[] | undefined
  message_id: string
  /** See {@link answeredConversation}. */
  thread: string | undefined
  /** Undefined without a valid one. */
  trace: TraceContext | undefined
}

/** Reads the header of a submitted message. */
export function readHeaderFacts(
  bytes: Uint8Array,
  envelope: { mail_from: string; rcpt_to: string[] },
): HeaderFacts {
  const block = readHeader(bytes)
  const [sender] = block.addresses('from')
  const senderAddress = sender?.address ?? envelope.mail_from
  const to = block.addresses('to')
  const cc = block.addresses('cc')
  const named = [...to, ...cc, ...block.addresses('resent-to'), ...block.addresses('resent-cc')]
  const messageId = block.decoded('message-id')
  return {
    sender_domain: senderAddress.slice(senderAddress.lastIndexOf('@') + 1),
    from: cut(foldSpace(block.decoded('from')) || envelope.mail_from),
    to: to.map(({ address }) => cut(address)),
    to_names: displayNames(to),
    cc: cc.map(({ address }) => cut(address)),
    cc_names: displayNames(cc),
    bcc: unnamed(envelope.rcpt_to, named, block),
    reply_to: cut(foldSpace(block.decoded('reply-to'))) || null,
    subject: cut(foldSpace(block.decoded('subject'))),
    message_id: cut(messageId),
    thread: answeredConversation({
      references: block.decoded('references'),
      inReplyTo: block.decoded('in-reply-to'),
      messageId,
    }),
    tags: initialTags(envelope.rcpt_to, block.decoded('x-tags')).tags,
    trace: readTrace(block.decoded('traceparent'), block.decoded('tracestate')),
  }
}

/**
 * The recipients that neither To, Cc nor their Resent fields name.
 *
 * @param first  The first addresses of each field. Only if a recipient is not among them, the further ones are read.
 */
function unnamed(recipients: string[], first: readonly ParsedAddress[], block: HeaderBlock): string[] {
  const keys = new Set(first.map(({ address }) => addressKey(cut(address))))
  const isUnnamed = (recipient: string): boolean => !keys.has(addressKey(recipient))
  const left = recipients.filter(isUnnamed)
  if (left.length === 0) return left
  for (const name of ['to', 'cc', 'resent-to', 'resent-cc'])
    for (const address of block.furtherAddresses(name)) keys.add(addressKey(address))
  return left.filter(isUnnamed)
}

// A hostile header may have a megabyte. The record stays small; the message keeps every byte.
export const maxFieldLength = 4096

const cut = (text: string): string => cutText(text, maxFieldLength)

/** Reading the header of a message as work of the thread. */
export const headerJobs: { headerFacts: typeof readHeaderFacts; envelope: typeof readEnvelope } = {
  headerFacts: readHeaderFacts,
  envelope: readEnvelope,
}

/** The limit for `headerBudget` of one instance; see `ReceiveDeps`. */
export const headerBudgetBytes: number = 16 * 1024 * 1024

/**
 * Keeps the beginning of a message until the end of its header block, up to `maxHeaderBytes`.
 *
 * @param room  Limits the bytes of all long headers.
 */
export function createHeaderBuffer(room: Budget): {
  /** @throws service_unavailable if there is no room. */
  take(piece: Uint8Array): void
  bytes(): Uint8Array
  free(): void
} {
  let pieces: Uint8Array[] = []
  let size = 0
  let counted = 0
  let isComplete = false
  return {
    take(piece) {
      if (isComplete) return
      size += piece.byteLength
      if (size > freeHeadBytes) {
        if (!room.take(piece.byteLength)) throw noRoom('Too many messages with long headers arrive at once.')
        counted += piece.byteLength
      }
      pieces.push(piece)
      isComplete = size >= maxHeaderBytes || hasEmptyLine(piece)
    },
    bytes() {
      const [first] = pieces
      // Most messages arrive in one piece and need no copy.
      return first && pieces.length === 1 ? first : Buffer.concat(pieces)
    },
    free() {
      room.give(counted)
      counted = 0
      pieces = []
    },
  }
}

// Each client may keep this much of a header in memory without counting; more is counted in the budget.
const freeHeadBytes = 128 * 1024

// An empty line that is split between two pieces is missed. Then more than the header is kept, which does no harm.
function hasEmptyLine(piece: Uint8Array): boolean {
  const bytes = Buffer.isBuffer(piece) ? piece : Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)
  return bytes.includes(emptyLine) || bytes.includes(bareEmptyLine)
}

const emptyLine = Buffer.from('\r\n\r\n')
const bareEmptyLine = Buffer.from('\n\n')
