import { isAscii, isUtf8 } from 'node:buffer'
import type { Readable } from 'node:stream'
import { maxHeaderBytes } from '../mime/headers/fields.ts'
import { readHeader } from '../mime/headers/headers.ts'

/** The SMTP extensions that a message needs from the receiving server. */
export interface MessageNeeds {
  /** The body has octets beyond ASCII (8BITMIME, RFC 6152). */
  eightBit: boolean
  /** The header or the envelope has characters beyond ASCII (SMTPUTF8, RFC 6531). */
  utf8: boolean
}

/**
 * Finds out which extensions a message needs. A header in another charset than UTF-8 gets 8BITMIME, like a body,
 * because there is no extension for it.
 */
export async function needsOf(message: Readable, addresses: readonly string[]): Promise<MessageNeeds> {
  const needs = { eightBit: false, utf8: addresses.some((address) => /[^\x00-\x7f]/.test(address)) }
  /** The header, and what of the body is in the same piece. */
  let beginning: Buffer = Buffer.alloc(0)
  let hasHeader = false
  for await (const piece of message as AsyncIterable<Buffer>) {
    if (hasHeader) {
      if (!isAscii(piece)) needs.eightBit = true
    } else {
      beginning = Buffer.concat([beginning, piece])
      hasHeader =
        beginning.length >= maxHeaderBytes || beginning.includes('\n\r\n') || beginning.includes('\n\n')
    }
  }
  const { bodyStart } = readHeader(beginning)
  const fields = beginning.subarray(0, bodyStart)
  if (!isAscii(fields)) needs[isUtf8(fields) ? 'utf8' : 'eightBit'] = true
  if (!isAscii(beginning.subarray(bodyStart))) needs.eightBit = true
  return needs
}
