import { Readable } from 'node:stream'
import { Base64Decoder } from './base64.ts'
import { QuotedPrintableDecoder } from './quoted-printable.ts'
import type { TransferDecoder } from './transfer-decoder.ts'
import { UuDecoder } from './uuencode.ts'

/** The transfer encoding of a part; `none` means 7bit, 8bit or binary. */
export type TransferEncoding = 'base64' | 'quoted-printable' | 'uuencode' | 'none'

/** @see RFC 2045 section 6 */
export function createTransferDecoder(encoding: TransferEncoding): TransferDecoder {
  switch (encoding) {
    case 'base64':
      return new Base64Decoder()
    case 'quoted-printable':
      return new QuotedPrintableDecoder()
    case 'uuencode':
      return new UuDecoder()
    case 'none':
      return { misfits: 0, write: (slice) => slice, end: () => Buffer.alloc(0) }
  }
}

/**
 * Says how many octets of a part are not of its transfer encoding.
 *
 * @returns The rest of a sentence about the part; null if there are none.
 */
export function encodingMisfit(misfits: number, encoding: TransferEncoding): string | null {
  if (misfits === 0) return null
  const isLeftOut = encoding === 'base64'
  return misfits === 1
    ? `has 1 octet that is not ${encoding} and is ${isLeftOut ? 'left out' : 'shown as it is'}`
    : `has ${misfits} octets that are not ${encoding} and are ${isLeftOut ? 'left out' : 'shown as they are'}`
}

/** Decodes a stream of encoded bytes. */
export function decodeTransfer(encoded: AsyncIterable<Buffer>, encoding: TransferEncoding): Readable {
  return Readable.from(decodedSlices(encoded, encoding), { objectMode: false })
}

async function* decodedSlices(
  encoded: AsyncIterable<Buffer>,
  encoding: TransferEncoding,
): AsyncGenerator<Buffer> {
  const decoder = createTransferDecoder(encoding)
  for await (const slice of encoded) {
    const decoded = decoder.write(slice)
    if (decoded.length > 0) yield decoded
  }
  const last = decoder.end()
  if (last.length > 0) yield last
}
