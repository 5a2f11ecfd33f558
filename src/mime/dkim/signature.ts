import { quote } from '../../core/quote.ts'
import type { Canonicalization } from './canonical.ts'

/** A parsed DKIM-Signature field. */
export interface DkimSignature {
  domain: string
  selector: string
  algorithm: 'rsa-sha256' | 'ed25519-sha256'
  header: Canonicalization
  body: Canonicalization
  /** Tag `l=`; null without one. */
  bodyLength: number | null
  /** Names of the signed fields, lower case, in the order of the tag. */
  fields: string[]
  bodyHash: string
  signature: Buffer
  /** Unix time in seconds; null without one. */
  expires: number | null
}

/** A signature that cannot be checked, with the reason; `domain` and `selector` as far as its tags have them. */
export interface BrokenSignature {
  domain: string
  selector: string
  problem: string
}

/**
 * Reads the value of a DKIM-Signature field.
 *
 * @see RFC 6376 section 3.5 and 6.1.1
 */
export function readSignature(value: string): DkimSignature | BrokenSignature {
  const { tags, repeated } = readTags(value)
  const tag = (name: string): string => tags.get(name) ?? ''
  const solid = (name: string): string => tag(name).replace(/[ \t\r\n]+/g, '')
  const domain = solid('d').toLowerCase()
  const selector = solid('s')
  const broken = (problem: string): BrokenSignature => ({ domain, selector, problem })

  if (solid('v') !== '1')
    return broken(`The version is ${JSON.stringify(solid('v').slice(0, 40))}; it must be 1.`)
  if (repeated !== null) return broken(`The tag ${quote(repeated)} is there more than once.`)
  const missing = ['a', 'b', 'bh', 'd', 'h', 's'].filter((name) => solid(name) === '')
  if (missing.length > 0) return broken(`The tag ${missing.join('=, ')}= is missing.`)
  const algorithm = solid('a').toLowerCase()
  if (algorithm !== 'rsa-sha256' && algorithm !== 'ed25519-sha256')
    return broken(`The algorithm ${JSON.stringify(algorithm.slice(0, 40))} is not one that verifiers accept.`)
  const [header = '', body = 'simple', ...more] = (solid('c') || 'simple').toLowerCase().split('/')
  if (!isCanonicalization(header) || !isCanonicalization(body) || more.length > 0)
    return broken(`The canonicalization ${JSON.stringify(solid('c').slice(0, 40))} is not known.`)
  const fields = solid('h').toLowerCase().split(':')
  if (!fields.includes('from')) return broken('The From field is not signed.')
  const identity = solid('i').toLowerCase()
  const identityDomain = identity.slice(identity.lastIndexOf('@') + 1)
  if (identity !== '' && identityDomain !== domain && !identityDomain.endsWith(`.${domain}`))
    return broken('The identity of i= is not within the domain of d=.')
  const numbers = ['l', 't', 'x'].filter((name) => tags.has(name) && !/^\d{1,15}$/.test(solid(name)))
  if (numbers.length > 0) return broken(`The tag ${numbers.join('=, ')}= is no number.`)
  const numberOf = (name: string): number | null => (tags.has(name) ? Number(solid(name)) : null)
  const [signed, expires] = [numberOf('t'), numberOf('x')]
  if (signed !== null && expires !== null && expires <= signed)
    return broken('It expires before it was made.')
  return {
    domain,
    selector,
    algorithm,
    header,
    body,
    bodyLength: numberOf('l'),
    fields,
    bodyHash: solid('bh'),
    signature: Buffer.from(solid('b'), 'base64'),
    expires,
  }
}

/** The field value as it was signed: with an empty `b=`. */
export function withoutSignature(value: string): string {
  return value.replace(/(^|;)([ \t\r\n]*b[ \t\r\n]*=)[^;]*/, '$1$2')
}

/** The tags, and the name of a repeated one. Of repeated tags, the first counts. */
function readTags(value: string): { tags: Map<string, string>; repeated: string | null } {
  const tags = new Map<string, string>()
  let repeated: string | null = null
  for (const part of value.split(';')) {
    const equals = part.indexOf('=')
    const name = part.slice(0, Math.max(0, equals)).trim()
    if (name === '') continue
    if (tags.has(name)) repeated ??= name
    else tags.set(name, part.slice(equals + 1).trim())
  }
  return { tags, repeated }
}

function isCanonicalization(text: string): text is Canonicalization {
  return text === 'simple' || text === 'relaxed'
}
