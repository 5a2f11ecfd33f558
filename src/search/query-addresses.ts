import { domainToASCII, domainToUnicode } from 'node:url'

/**
 * How an address, or a part of one, may stand in a mail: its domain as written, as `bücher.example`, and as
 * `xn--bcher-kva.example`.
 *
 * @returns What was asked for first; alone where its domain has one spelling, or is none.
 */
export function spellingsOf(wanted: string): string[] {
  const at = wanted.lastIndexOf('@') + 1
  const domain = wanted.slice(at)
  // Only what cannot be anything but a name: the URL rules would read `1.2` as an address, and decode `%41`.
  if (!/^[\p{L}\p{M}\p{N}.-]+$/u.test(domain) || !/[^\x00-\x7f]|xn--/i.test(domain)) return [wanted]
  const others = [domainToASCII(domain), domainToUnicode(domain)].filter((one) => one !== '')
  return [...new Set([wanted, ...others.map((one) => wanted.slice(0, at) + one)])]
}
