import { isSteps, type Steps } from '../core/yield.ts'
import { addressKey } from '../mime/addresses.ts'
import { foldSpace } from '../mime/fold-space.ts'
import { headerBlockSteps, type HeaderBlock } from '../mime/headers.ts'
import { tagsOf } from './tags.ts'

/** What the record of a captured email has of its header. */
export interface HeaderFacts {
  /** The domain of the first address of From, or of the envelope. */
  sender_domain: string
  from: string
  to: string[]
  cc: string[]
  /** The recipients that no address field names. */
  bcc: string[]
  reply_to: string | null
  subject: string
  message_id: string
  tags: string[]
}

/** Reads the header of a message that was submitted, in steps: a hostile header has a megabyte. */
export function* headerFactSteps(
  bytes: Uint8Array,
  envelope: { mail_from: string; rcpt_to: string[] },
): Steps<HeaderFacts> {
  const block = yield* headerBlockSteps(bytes)
  const texts = { from: '', 'reply-to': '', subject: '', 'message-id': '', 'x-tags': '' }
  for (const name of textFields) {
    const read = block.decoded(name)
    texts[name] = isSteps(read) ? yield* read : read
  }
  const lists: Record<(typeof listFields)[number], string[]> = { ...noLists }
  for (const name of listFields) {
    const read = block.addresses(name)
    lists[name] = (isSteps(read) ? yield* read : read).map(({ address }) => address)
  }
  const [sender = envelope.mail_from] = lists.from
  const to = lists.to.map(cut)
  const cc = lists.cc.map(cut)
  const listed = [...to, ...cc, ...lists['resent-to'].map(cut), ...lists['resent-cc'].map(cut)]
  return {
    sender_domain: sender.slice(sender.lastIndexOf('@') + 1),
    from: cut(foldSpace(texts.from) || envelope.mail_from),
    to,
    cc,
    bcc: yield* unnamed(envelope.rcpt_to, listed, block),
    reply_to: cut(foldSpace(texts['reply-to'])) || null,
    subject: cut(foldSpace(texts.subject)),
    message_id: cut(texts['message-id']),
    tags: tagsOf(envelope.rcpt_to, texts['x-tags']),
  }
}

const textFields = ['from', 'reply-to', 'subject', 'message-id', 'x-tags'] as const
const listFields = ['from', 'to', 'cc', 'resent-to', 'resent-cc'] as const
const noLists = { from: [], to: [], cc: [], 'resent-to': [], 'resent-cc': [] }

/** The recipients that no field names, neither in the addresses that are listed nor behind them. */
function* unnamed(recipients: string[], listed: string[], block: HeaderBlock): Steps<string[]> {
  const named = new Set(listed.map(addressKey))
  const isUnnamed = (recipient: string): boolean => !named.has(addressKey(recipient))
  const left = recipients.filter(isUnnamed)
  if (left.length === 0) return left
  for (const name of ['to', 'cc', 'resent-to', 'resent-cc']) {
    for (const address of yield* block.furtherAddresses(name)) {
      named.add(addressKey(address))
      yield
    }
  }
  return left.filter(isUnnamed)
}

// A hostile header may have a megabyte. The record stays small; the message keeps every byte.
const maxFieldLength = 4096

function cut(text: string): string {
  return text.length > maxFieldLength ? text.slice(0, maxFieldLength) : text
}
