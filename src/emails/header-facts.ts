import { cutText, foldSpace } from '../core/text.ts'
import { validationError } from '../core/errors.ts'
import { readTrace, type TraceContext } from '../core/trace-context.ts'
import { addressKey, displayNames, type ParsedAddress } from '../mime/headers/addresses.ts'
import { readHeader, type HeaderBlock } from '../mime/headers/headers.ts'
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
 * The recipients that no field names.
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

function cut(text: string): string {
  return cutText(text, maxFieldLength)
}

/**
 * Reads the envelope of a message from its header: the sender from Return-Path or From, the recipients from To, Cc and
 * Bcc, else Delivered-To and X-Original-To.
 *
 * @param bytes  The message, or at least its header.
 * @throws validation_error for bytes that are no message and for more than 1,000 recipients.
 */
export function readEnvelope(bytes: Uint8Array): { mail_from: string; rcpt_to: string[] } {
  const block = readHeader(bytes)
  if (!block.fields.some(([name]) => /^[A-Za-z][A-Za-z0-9-]*$/.test(name))) {
    const message = 'has no header: give one message as it is in an .eml file (RFC 5322)'
    throw validationError([{ field: 'body', message }])
  }
  const addresses = (...names: string[]): string[] => {
    const all = new Map<string, string>()
    for (const name of names) {
      const listed = block.addresses(name).map(({ address }) => address)
      for (const address of [...listed, ...block.furtherAddresses(name)])
        all.set(addressKey(address), address)
    }
    return [...all.values()]
  }
  const [mail_from = ''] = [...addresses('return-path'), ...addresses('from')]
  const named = addresses('to', 'cc', 'bcc')
  const traced = named.length > 0 ? named : addresses('delivered-to', 'x-original-to')
  if (traced.length > maxEnvelopeRecipients) {
    const message = `names more than ${maxEnvelopeRecipients} recipients in its header, and at most ${maxEnvelopeRecipients} can be imported: send it over SMTP instead, to at most ${maxEnvelopeRecipients} recipients at a time`
    throw validationError([{ field: 'body', message }])
  }
  return { mail_from, rcpt_to: traced.length > 0 ? traced : [unknownRecipient] }
}

/** The recipient of a message without recipients. */
const unknownRecipient = 'undisclosed@localpost.test'
const maxEnvelopeRecipients = 1000

/** Reading the header of a message as work of the thread. */
export const headerJobs: { headerFacts: typeof readHeaderFacts; envelope: typeof readEnvelope } = {
  headerFacts: readHeaderFacts,
  envelope: readEnvelope,
}
