import { normalizeAddress } from '../mime/addresses.ts'

/** The command of MAIL or RCPT, taken apart. */
export interface PathCommand {
  /** Bare, the domain as A-labels where it is internationalised; `""` for `<>`. */
  address: string
  /** What follows the path: ESMTP parameters. */
  parameters: string
}

/**
 * Reads the path of `MAIL FROM:<…> …` and `RCPT TO:<…> …`. smtp-server's own reading knows no quoted local part and
 * turns A-labels into Unicode.
 *
 * @param argument  What follows the colon.
 * @returns null where the path is no address.
 * @see RFC 5321 section 4.1.2, RFC 6531
 */
export function readPath(argument: string): PathCommand | null {
  const text = argument.trim()
  const end = endOfPath(text)
  if (end === -1) return null
  const parameters = text.slice(end + 1)
  if (parameters !== '' && !/^\s/.test(parameters)) return null
  // A source route must be accepted and ignored: RFC 5321 appendix C.
  const path = text.slice(1, end).replace(/^@[^\s,:@]+(?:,@[^\s,:@]+)*:/, '')
  const address = path === '' || isLocalPart(path) ? path : lenient(path)
  return address === null ? null : { address, parameters: parameters.trim() }
}

/**
 * Whether a path is a local part alone. `postmaster` must be taken (RFC 5321 section 4.1.1.3); cron, sudo and `mail`
 * send to `root` and to the name of a user.
 */
function isLocalPart(path: string): boolean {
  return path.length <= 64 && (dotAtom.test(path) || quotedString.test(path))
}

const dotAtom = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/
const quotedString = /^"(?:[ !#-[\]-~]|\\[ -~])*"$/

/** Where the closing `>` stands; one between quotes does not count. */
function endOfPath(text: string): number {
  if (!text.startsWith('<')) return -1
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

/** Real senders go beyond the limits of the RFC: what has the shape of an address is taken as written. */
function lenient(path: string): string | null {
  // Invisible characters make one address look like another and control characters split log lines.
  if (/[\x00-\x1f\x7f-\x9f\u200b\u2060\ufeff]/.test(path)) return null
  const checked = normalizeAddress(path)
  if ('address' in checked) return checked.address
  return path.length <= 512 && /^[^\s@<>]+@[^\s@<>]+$/.test(path) ? path : null
}
