import { cutText } from '../core/cut-text.ts'
import type { Steps } from '../core/yield.ts'
import { addressKey } from '../mime/headers/addresses.ts'
import { foldSpace } from '../mime/fold-space.ts'
import { headerBlockSteps, type HeaderBlock } from '../mime/headers/headers.ts'
import { firstNames } from './first-names.ts'
import { initialTags } from './tags.ts'

/** The facts from the header that the record of a captured email has. */
export interface HeaderFacts {
  /** The domain of the first address of From, or of the envelope. */
  sender_domain: string
  from: string
  to: string[]
  /** See {@link firstNames}. */
  to_names: string[] | undefined
  cc: string[]
  /** The recipients that no address field names. */
  bcc: string[]
  reply_to: string | null
  subject: string
  message_id: string
  tags: string[]
}

/** Reads the header of a submitted message, in steps, because a hostile header may have a megabyte. */
export function* headerFactSteps(
  bytes: Uint8Array,
  envelope: { mail_from: string; rcpt_to: string[] },
): Steps<HeaderFacts> {
  const block = yield* headerBlockSteps(bytes)
  const texts: string[] = []
  for (const name of ['from', 'reply-to', 'subject', 'message-id', 'x-tags']) {
    const read = block.decoded(name)
    texts.push(typeof read === 'string' ? read : yield* read)
  }
  const [from = '', replyTo = '', subject = '', messageId = '', tags = ''] = texts
  const senders = block.addresses('from')
  const [sender] = Array.isArray(senders) ? senders : yield* senders
  const senderAddress = sender?.address ?? envelope.mail_from
  const to: string[] = []
  const cc: string[] = []
  const listed: string[] = []
  let names: string[] | undefined
  for (const name of recipientFields) {
    const read = block.addresses(name)
    const found = Array.isArray(read) ? read : yield* read
    if (name === 'to') names = firstNames(found)
    for (const { address } of found) {
      const text = cut(address)
      listed.push(text)
      if (name === 'to') to.push(text)
      else if (name === 'cc') cc.push(text)
    }
  }
  return {
    sender_domain: senderAddress.slice(senderAddress.lastIndexOf('@') + 1),
    from: cut(foldSpace(from) || envelope.mail_from),
    to,
    to_names: names,
    cc,
    bcc: yield* unnamed(envelope.rcpt_to, listed, block),
    reply_to: cut(foldSpace(replyTo)) || null,
    subject: cut(foldSpace(subject)),
    message_id: cut(messageId),
    tags: initialTags(envelope.rcpt_to, tags).tags,
  }
}

const recipientFields = ['to', 'cc', 'resent-to', 'resent-cc'] as const

/** The recipients that no field names. Addresses after the first ones of a field are read too. */
function* unnamed(recipients: string[], listed: string[], block: HeaderBlock): Steps<string[]> {
  const named = new Set(listed.map(addressKey))
  const isUnnamed = (recipient: string): boolean => !named.has(addressKey(recipient))
  const left = recipients.filter(isUnnamed)
  if (left.length === 0) return left
  for (const name of recipientFields) {
    for (const address of yield* block.furtherAddresses(name)) {
      named.add(addressKey(address))
      yield
    }
  }
  return left.filter(isUnnamed)
}

// A hostile header may have a megabyte. The record stays small; the message keeps every byte.
export const maxFieldLength = 4096

function cut(text: string): string {
  return cutText(text, maxFieldLength)
}
