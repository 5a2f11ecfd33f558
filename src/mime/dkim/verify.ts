import { createHash, verify, type KeyObject } from 'node:crypto'
import type { DkimResult } from '../types.ts'
import { canonicalField, hashBody, splitFields, type RawField } from './canonical.ts'
import { readSignature, withoutSignature, type DkimSignature } from './signature.ts'
import { maxFields } from '../headers/fields.ts'
import { readHeader } from '../headers/headers.ts'
import { sliceBytes } from '../slices.ts'

/** Returns the public key that a domain publishes under a selector; null if it is not known. */
export type FindDkimKey = (domain: string, selector: string) => Promise<KeyObject | null>

/**
 * Verifies the DKIM signatures of a message: hash of the body, signed fields, expiry, key.
 *
 * @param source  The RFC 5322 bytes as transmitted. Bare line feeds, as in a file, count as CRLF.
 * @param now  The Unix time in milliseconds; called only where the result depends on it.
 * @returns The first signature that passes, otherwise the first one; at most five are checked. Null without a signature.
 * @see RFC 6376, RFC 8463 (Ed25519)
 */
export async function verifyDkim(
  source: Buffer,
  findKey: FindDkimKey,
  now: () => number,
): Promise<DkimResult | null> {
  const firstEnd = source.indexOf('\n')
  const isBare = firstEnd > 0 && source[firstEnd - 1] !== 0x0d
  const message = isBare ? withLineEnds(source) : source
  const { bodyStart } = readHeader(message)
  const { fields, isCut } = splitFields(message.toString('latin1', 0, bodyStart))
  const signatures = fields.filter(({ name }) => name === 'dkim-signature').slice(0, maxSignatures)
  if (isCut) return signatures[0] ? tooManyFields(signatures[0]) : null
  let first: DkimResult | null = null
  for (const field of signatures) {
    const result = await verifyOne(field, fields, message.subarray(bodyStart), findKey, now)
    if (result.result === 'pass') return result
    first ??= result
  }
  return first
}

const maxSignatures = 5

/** The names of the keys that {@link verifyDkim} asks for, by the values of the DKIM-Signature fields of a message. */
export function signersOf(values: readonly string[]): { domain: string; selector: string }[] {
  return values.slice(0, maxSignatures).map(readSignature)
}

function tooManyFields(field: RawField): DkimResult {
  const { domain, selector } = readSignature(field.written.slice(field.written.indexOf(':') + 1))
  const reason = `The header has more than ${maxFields} fields, and no more are read.`
  return { domain, selector, result: 'invalid', reason }
}

function withLineEnds(source: Buffer): Buffer {
  const pieces: Buffer[] = []
  for (let start = 0; start < source.length; start += sliceBytes) {
    const text = source.toString('latin1', start, start + sliceBytes)
    pieces.push(Buffer.from(text.replaceAll('\n', '\r\n'), 'latin1'))
  }
  return Buffer.concat(pieces)
}

async function verifyOne(
  field: RawField,
  fields: readonly RawField[],
  body: Buffer,
  findKey: FindDkimKey,
  now: () => number,
): Promise<DkimResult> {
  const colon = field.written.indexOf(':') + 1
  const read = readSignature(field.written.slice(colon))
  const { domain, selector } = read
  const resultOf = (result: DkimResult['result'], reason: string | null = null): DkimResult => {
    return { domain, selector, result, reason }
  }
  // What is wrong with the signature itself comes first, then its key, then its age and the body: RFC 6376 section 6.1.
  if ('problem' in read) return resultOf('invalid', read.problem)
  const key = await findKey(domain, selector)
  if (!key)
    return resultOf(
      'no_key',
      `This instance has no key ${selector}._domainkey.${domain}, and asks no one else.`,
    )
  const kind = read.algorithm === 'rsa-sha256' ? 'rsa' : 'ed25519'
  if (key.asymmetricKeyType !== kind)
    return resultOf('fail', `The key is ${key.asymmetricKeyType}, and the signature ${read.algorithm}.`)
  if (read.expires !== null && read.expires * 1000 < now())
    return resultOf('fail', `The signature expired at ${sayTime(read.expires)}.`)
  const { hash, octets } = hashBody(body, read.body, read.bodyLength)
  if (read.bodyLength !== null && read.bodyLength > octets)
    return resultOf(
      'fail',
      `The signature covers ${read.bodyLength} octets of the body, and it has ${octets}.`,
    )
  if (hash !== read.bodyHash)
    return resultOf('fail', 'The body was changed: its hash is not the one that was signed.')
  const emptied = {
    ...field,
    written: field.written.slice(0, colon) + withoutSignature(field.written.slice(colon)),
  }
  const signed = signedText(read, field, emptied, fields)
  return isSignedBy(key, Buffer.from(signed, 'latin1'), read)
    ? resultOf('pass')
    : resultOf('fail', 'A signed header field was changed, or another key made the signature.')
}

function isSignedBy(key: KeyObject, signed: Buffer, { algorithm, signature }: DkimSignature): boolean {
  try {
    return algorithm === 'rsa-sha256'
      ? verify('sha256', signed, key, signature)
      : verify(null, createHash('sha256').update(signed).digest(), key, signature)
  } catch {
    return false
  }
}

/** The signed fields: for each name in `h=` the last field that is not taken yet, and the signature itself at the end. */
function signedText(
  { fields: names, header }: DkimSignature,
  signatureField: RawField,
  emptied: RawField,
  fields: readonly RawField[],
): string {
  const unsigned = new Map<string, RawField[]>()
  for (const field of fields) {
    if (field === signatureField) continue
    const sameName = unsigned.get(field.name)
    if (sameName) sameName.push(field)
    else unsigned.set(field.name, [field])
  }
  let text = ''
  for (const name of names) {
    // A name without a field is signed as absent.
    const field = unsigned.get(name)?.pop()
    if (field) text += `${canonicalField(field, header)}\r\n`
  }
  return text + canonicalField(emptied, header)
}

function sayTime(seconds: number): string {
  const time = new Date(seconds * 1000)
  return Number.isNaN(time.getTime()) ? `second ${seconds}` : time.toISOString()
}
