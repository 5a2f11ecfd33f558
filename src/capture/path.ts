import { normalizeAddress } from '../mime/headers/addresses.ts'

/** The parsed argument of MAIL or RCPT. */
export interface PathCommand {
  /** The bare address, with an internationalised domain as A-labels; `""` for `<>`. */
  address: string
  /** The ESMTP parameters after the path. */
  parameters: string
  /** Whether the angle brackets are missing. Some local tools leave them out. */
  isBare: boolean
}

/**
 * Parses the path of `MAIL FROM:<…> …` and `RCPT TO:<…> …`. smtp-server's parser does not support quoted local parts and
 * converts A-labels to Unicode.
 *
 * @param argument  The text after the colon.
 * @returns null if the path is neither an address, nor `<>`, nor a local part alone.
 * @see RFC 5321 section 4.1.2, RFC 6531
 */
export function readPath(argument: string): PathCommand | null {
  const text = argument.trim()
  const isBare = !text.startsWith('<')
  const end = isBare ? endOfWord(text) : endOfPath(text)
  if (end === -1) return null
  const parameters = isBare ? text.slice(end) : text.slice(end + 1)
  if (parameters !== '' && !/^\s/.test(parameters)) return null
  // A source route must be accepted and ignored: RFC 5321 appendix C.
  const path = text.slice(isBare ? 0 : 1, end).replace(/^@[^\s,:@]+(?:,@[^\s,:@]+)*:/, '')
  const address = path === '' || isLocalPart(path) ? path : lenient(path)
  return address === null ? null : { address, parameters: parameters.trim(), isBare }
}

/**
 * Whether a path is a local part without a domain. `postmaster` must be accepted (RFC 5321 section 4.1.1.3); cron, sudo
 * and `mail` send to `root` and to user names.
 */
function isLocalPart(path: string): boolean {
  return path.length <= 64 && (dotAtom.test(path) || quotedString.test(path))
}

const dotAtom = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/
const quotedString = /^"(?:[ !#-[\]-~]|\\[ -~])*"$/

/** Where an address without angle brackets ends; -1 if there is none. It ends at the first space. */
function endOfWord(text: string): number {
  return /^[^\s<>]+(?!\S)/.exec(text)?.[0].length ?? -1
}

/** The position of the closing `>` outside of quotes; -1 if there is none. */
function endOfPath(text: string): number {
  let inQuotes = false
  for (let i = 1; i < text.length; i++) {
    const character = text[i]
    if (inQuotes && character === '\\') i++
    else if (character === '"') inQuotes = !inQuotes
    else if (character === '>' && !inQuotes) return i
    else if (character === '<' && !inQuotes) return -1
  }
  return -1
}

/** A valid address, normalized; else text that has the shape of one, unchanged: real senders exceed the limits of the RFC. */
function lenient(path: string): string | null {
  // Invisible characters make one address look like another and control characters split log lines.
  if (/[\x00-\x1f\x7f-\x9f\u200b\u2060\ufeff]/.test(path)) return null
  const checked = normalizeAddress(path)
  if ('address' in checked) return checked.address
  return path.length <= 512 && /^[^\s@<>]+@[^\s@<>]+$/.test(path) ? path : null
}
