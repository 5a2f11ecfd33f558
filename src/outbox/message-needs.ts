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
  let head: Buffer | null = Buffer.alloc(0)
  const judge = (header: Buffer, isWhole: boolean): void => {
    const { bodyStart } = readHeader(header)
    const fields = header.subarray(0, bodyStart)
    if (!isAscii(fields)) needs[isUtf8(fields) ? 'utf8' : 'eightBit'] = true
    if (isWhole && !isAscii(header.subarray(bodyStart))) needs.eightBit = true
  }
  for await (const piece of message as AsyncIterable<Buffer>) {
    if (head) {
      head = Buffer.concat([head, piece])
      if (head.length < maxHeaderBytes && !head.includes('\n\r\n') && !head.includes('\n\n')) continue
      judge(head, true)
      head = null
    } else if (!isAscii(piece)) needs.eightBit = true
  }
  if (head) judge(head, false)
  return needs
}
