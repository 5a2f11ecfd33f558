import { domainToASCII, domainToUnicode } from 'node:url'

/**
 * The spellings of an address, or a part of one, in a mail: its domain as written, as `bücher.example`, and as
 * `xn--bcher-kva.example`; and letters with accents as one character or as two (Unicode NFC and NFD).
 *
 * @returns The given spelling first. There may be only one.
 */
export function spellingsOf(wanted: string): string[] {
  if (!/[^\x00-\x7f]|xn--/i.test(wanted)) return [wanted]
  const spelled = [wanted, ...withOtherDomain(wanted)]
  return [...new Set(spelled.flatMap((one) => [one, one.normalize('NFC'), one.normalize('NFD')]))]
}

function withOtherDomain(wanted: string): string[] {
  const at = wanted.lastIndexOf('@') + 1
  const domain = wanted.slice(at)
  // Only for text that can only be a name, because the URL rules would read `1.2` as an IP address, and decode `%41`.
  if (!/^[\p{L}\p{M}\p{N}.-]+$/u.test(domain) || !/[^\x00-\x7f]|xn--/i.test(domain)) return []
  const others = [domainToASCII(domain), domainToUnicode(domain)]
  return others.filter((one) => one !== '').map((one) => wanted.slice(0, at) + one)
}
