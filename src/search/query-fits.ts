import { domainToASCII, domainToUnicode } from 'node:url'
import { foldText } from '../core/fold-text.ts'
import { isMailbox } from '../mime/headers/addresses.ts'

/**
 * Makes a test for an address. A whole address, with or without a name, finds one mailbox, in each spelling of its domain:
 * `ada@x.test` does not find `canada@x.test`. Other text may be anywhere in an address.
 */
export function addressTest(wanted: string | RegExp): (address: string) => boolean {
  if (wanted instanceof RegExp) return (address) => contains(address, wanted)
  const mailbox = mailboxOf(wanted)
  const spellings = spellingsOf(mailbox ?? wanted)
  const fits = mailbox === undefined ? contains : isMailbox
  return (address) => spellings.some((spelling) => fits(address, spelling))
}

/** Makes a test for a display name beside an address. A whole address is not looked for in names. */
export function nameTest(wanted: string | RegExp): (name: string) => boolean {
  if (typeof wanted === 'string' && mailboxOf(wanted) !== undefined) return () => false
  return (name) => contains(name, wanted)
}

interface Recipients {
  readonly to: readonly string[]
  readonly cc: readonly string[]
  readonly bcc: readonly string[]
  readonly envelope: { readonly rcpt_to: readonly string[] }
}

/**
 * Makes a test for the mail of a recipient among what `to:` found, which for `ada@example.com` also finds `canada@example.com`.
 * Names and parts of addresses are left to the query.
 */
export function recipientTest(wanted: string): (mail: Recipients) => boolean {
  if (mailboxOf(wanted) === undefined) return () => true
  const holds = addressTest(wanted)
  return ({ to, cc, bcc, envelope }) => [...to, ...cc, ...bcc, ...envelope.rcpt_to].some(holds)
}

/** Whether a text matches a query: it contains a part, compared by {@link foldText}, or matches a pattern. */
export function contains(text: string, wanted: string | RegExp): boolean {
  if (wanted instanceof RegExp) return withoutState(wanted).test(text)
  return foldText(text).includes(foldText(wanted))
}

/** A RegExp with `g` or `y` keeps its position. */
export function withoutState(form: RegExp): RegExp {
  return !form.global && !form.sticky ? form : new RegExp(form.source, form.flags.replace(/[gy]/g, ''))
}

/**
 * The texts of which an address that {@link addressTest} accepts contains at least one, in any case; null if that is
 * not known.
 */
export function addressTexts(wanted: string | RegExp): string[] | null {
  if (wanted instanceof RegExp) return null
  const mailbox = mailboxOf(wanted)
  if (mailbox === undefined) return spellingsOf(wanted)
  // Such a domain has many spellings.
  return international.test(mailbox) ? null : [mailbox]
}

/** Text that may have several spellings. */
const international = /[^\x00-\x7f]|xn--/i

// If there is a name before the address, as in a header field, only the address counts.
function mailboxOf(wanted: string): string | undefined {
  return /^(?:[^<>]*<)?([^\s@<>]+@[^\s@<>]+?)>?$/.exec(wanted)?.[1]
}

/**
 * The spellings of an address, or a part of one, in a mail: its domain as written, as `bücher.example`, and as
 * `xn--bcher-kva.example`; and letters with accents as one character or as two (Unicode NFC and NFD).
 *
 * @returns The given spelling first. There may be only one.
 */
export function spellingsOf(wanted: string): string[] {
  if (!international.test(wanted)) return [wanted]
  return normalForms([wanted, ...withOtherDomain(wanted)])
}

/** Texts that are compared as they are, in both normal forms of Unicode. */
export function normalForms(texts: readonly string[]): string[] {
  return [...new Set(texts.flatMap((one) => [one, one.normalize('NFC'), one.normalize('NFD')]))]
}

function withOtherDomain(wanted: string): string[] {
  const at = wanted.lastIndexOf('@') + 1
  const domain = wanted.slice(at)
  // Only for text that can only be a name, because the URL rules would read `1.2` as an IP address, and decode `%41`.
  if (!/^[\p{L}\p{M}\p{N}.-]+$/u.test(domain) || !international.test(domain)) return []
  const others = [domainToASCII(domain), domainToUnicode(domain)]
  return others.filter((one) => one !== '').map((one) => wanted.slice(0, at) + one)
}
