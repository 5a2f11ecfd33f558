import { sign, type KeyObject } from 'node:crypto'
import { domainToASCII } from 'node:url'
import { promisify } from 'node:util'
import type { ComposedMessage } from '../compose/compose.ts'
import type { MessageInput } from '../compose/message-input.ts'
import { composeMessage, inOnePieceBytes } from '../compose/compose.ts'
import { canonicalField, hashBody, splitFields, type RawField } from './canonical.ts'
import { maxFields } from '../headers/fields.ts'
import { foldField } from '../headers/fold.ts'

/** The key and names of a signature. */
export interface Signing {
  /** The signing domain; IDN or A-labels. */
  domain: string
  selector: string
  /** RSA. A `KeyObject`, because a PEM would be parsed for every signature, which takes three times as long. */
  key: KeyObject
}

/**
 * Adds a DKIM signature (rsa-sha256, relaxed/relaxed) at the beginning of a message.
 *
 * RSA, a quarter of the cost of an email, is computed off the event loop.
 *
 * @param message  A whole RFC 5322 message with CRLF line ends.
 * @throws Error if the key is not RSA, the header of the message has no end, or it has more than {@link maxFields} fields.
 * @see RFC 6376
 */
export async function signMessage(
  message: Buffer | ComposedMessage,
  signing: Signing,
): Promise<ComposedMessage> {
  const { domain, selector, key } = signing
  if (key.type !== 'private' || key.asymmetricKeyType !== 'rsa') {
    const kind = key.asymmetricKeyType ?? key.type
    throw new Error(`The DKIM key of ${domain} must be a private RSA key, and it is ${kind}.`)
  }
  const pieces = Buffer.isBuffer(message) ? [message] : message.parts
  const { header, body } = split(pieces)
  const { hash } = hashBody(body, 'relaxed', null)
  const { fields: all, isCut } = splitFields(header)
  if (isCut) throw new Error(`A message with more than ${maxFields} header fields cannot be signed.`)
  const fields = signedFields(all)
  const unsigned = signatureField({ domain, selector, hash, names: fields.map(({ name }) => name) })
  const signatureOnly: RawField = { name: 'dkim-signature', written: unsigned }
  const text = [...fields, signatureOnly].map((field) => canonicalField(field, 'relaxed')).join('\r\n')
  const signature = await signAside('sha256', Buffer.from(text, 'latin1'), key)
  const signed = [Buffer.from(`${unsigned}${foldSignature(signature)}\r\n`, 'latin1'), ...pieces]
  const size_bytes = signed.reduce((size, piece) => size + piece.length, 0)
  return { parts: size_bytes <= inOnePieceBytes ? [Buffer.concat(signed, size_bytes)] : signed, size_bytes }
}

/** Composes a message and signs it. See {@link composeMessage} and {@link signMessage}. */
export async function composeSigned(input: MessageInput, signing: Signing): Promise<ComposedMessage> {
  return signMessage(await composeMessage(input), signing)
}

const signAside = promisify<string, Buffer, KeyObject, Buffer>(sign)

/** A message as its header block, Latin-1, and the pieces of its body. */
function split(pieces: readonly Buffer[]): { header: string; body: Buffer[] } {
  for (let count = 1; count <= pieces.length; count++) {
    const [first = Buffer.alloc(0)] = pieces
    const beginning = count === 1 ? first : Buffer.concat(pieces.slice(0, count))
    const end = beginning.indexOf('\r\n\r\n')
    if (end === -1) continue
    const body = [beginning.subarray(end + 4), ...pieces.slice(count)]
    return { header: beginning.toString('latin1', 0, end), body }
  }
  throw new Error('A message without an end of its header cannot be signed.')
}

// RFC 6376 section 5.4.1; RFC 8058 section 4 requires that both fields of a one-click unsubscription are signed.
const signedNames = (
  'from sender reply-to subject date message-id to cc mime-version content-type content-transfer-encoding ' +
  'in-reply-to references list-id list-help list-unsubscribe list-unsubscribe-post list-subscribe list-post'
).split(' ')

/** The last field of each name, which is the one that `h=` means. */
function signedFields(fields: readonly RawField[]): RawField[] {
  const last = new Map(fields.map((field) => [field.name, field]))
  return signedNames.flatMap((name) => last.get(name) ?? [])
}

/** The field without its signature, which begins in the last line, after ` b=`. */
function signatureField(tags: Omit<Signing, 'key'> & { hash: string; names: readonly string[] }): string {
  const value = [
    'v=1',
    'a=rsa-sha256',
    'c=relaxed/relaxed',
    `d=${/^[\x21-\x7e]*$/.test(tags.domain) ? tags.domain.toLowerCase() : domainToASCII(tags.domain)}`,
    'q=dns/txt',
    `s=${tags.selector}`,
    `bh=${tags.hash}`,
    `h=${tags.names.join(':')}`,
  ].join('; ')
  return `${foldField(`DKIM-Signature: ${value}`)};\r\n b=`
}

/** The end of a {@link signatureField}, in lines of 76 characters; of the first one, ` b=` takes three. */
function foldSignature(signature: Buffer): string {
  const lines = signature.toString('base64').replace(/^.{73}|.{75}/g, '$&\r\n ')
  return lines.trimEnd()
}
