import { Readable } from 'node:stream'
import type { PlacedPart } from './parts.ts'
import { inSlices } from './slices.ts'

/** The bytes of one part, decoded slice by slice; the text of a body stays in its charset. */
export function openPart(message: Buffer, { encoding, start, end }: PlacedPart): Readable {
  const encoded = inSlices(message.subarray(start, end))
  switch (encoding) {
    case 'base64':
      return Readable.from(fromBase64(encoded), { objectMode: false })
    case 'quoted-printable':
      return Readable.from(fromQuotedPrintable(encoded), { objectMode: false })
    case 'none':
      return encoded
  }
}

async function* fromBase64(encoded: Readable): AsyncGenerator<Buffer> {
  let held = ''
  for await (const slice of encoded as AsyncIterable<Buffer>) {
    const text = held + slice.toString('latin1').replace(/[^A-Za-z0-9+/]/g, '')
    const whole = text.length - (text.length % 4)
    held = text.slice(whole)
    if (whole > 0) yield Buffer.from(text.slice(0, whole), 'base64')
  }
  if (held.length > 1) yield Buffer.from(held, 'base64')
}

async function* fromQuotedPrintable(encoded: Readable): AsyncGenerator<Buffer> {
  let held = ''
  for await (const slice of encoded as AsyncIterable<Buffer>) {
    const text = held + slice.toString('latin1')
    // What may go on in the next slice.
    const equals = text.indexOf('=', Math.max(0, text.length - 2))
    const cut = equals === -1 ? text.length : equals
    held = text.slice(cut)
    if (cut > 0) yield decoded(text.slice(0, cut))
  }
  if (held !== '') yield decoded(held)
}

function decoded(text: string): Buffer {
  const bytes = text
    .replace(/=[ \t]{0,80}\r?\n/g, '')
    .replace(/=([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1')
}
