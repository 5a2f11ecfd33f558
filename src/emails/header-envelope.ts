import { validationError } from '../core/errors.ts'
import { addressKey } from '../mime/headers/addresses.ts'
import { readHeader } from '../mime/headers/headers.ts'

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
