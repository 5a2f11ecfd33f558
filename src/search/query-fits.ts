import { isMailbox } from '../mime/headers/addresses.ts'
import { spellingsOf } from './query-addresses.ts'

/**
 * How a search looks for an address. A whole address, with or without a name, finds one mailbox, in each spelling of
 * its domain. Other text may be anywhere in an address.
 */
export function addressForm(wanted: string | RegExp): (address: string) => boolean {
  const forms = wanted instanceof RegExp ? [wanted] : spellingsOf(mailboxOf(wanted) ?? wanted)
  return (address) => forms.some((form) => fits(address, form))
}

/** Whether a text matches a query: it contains a part in any case, or matches a pattern. */
export function contains(text: string, wanted: string | RegExp): boolean {
  if (wanted instanceof RegExp) return withoutState(wanted).test(text)
  return text.toLowerCase().includes(wanted.toLowerCase())
}

function fits(address: string, wanted: string | RegExp): boolean {
  const mailbox = wanted instanceof RegExp ? undefined : mailboxOf(wanted)
  // "ada@x.test" must not find "canada@x.test".
  return mailbox === undefined ? contains(address, wanted) : isMailbox(address, mailbox)
}

/** A RegExp with `g` or `y` keeps its position. */
export function withoutState(form: RegExp): RegExp {
  return new RegExp(form.source, form.flags.replace(/[gy]/g, ''))
}

/**
 * The texts of which an address that {@link addressForm} accepts contains at least one, in any case; null if that is
 * not known.
 */
export function addressTexts(wanted: string | RegExp): string[] | null {
  if (wanted instanceof RegExp) return null
  const mailbox = mailboxOf(wanted)
  if (mailbox === undefined) return spellingsOf(wanted)
  // Such a domain has many spellings.
  return /[^\x00-\x7f]|xn--/i.test(mailbox) ? null : [mailbox]
}

// If there is a name before the address, as in a header field, only the address counts.
function mailboxOf(wanted: string): string | undefined {
  return /^(?:[^<>]*<)?([^\s@<>]+@[^\s@<>]+?)>?$/.exec(wanted)?.[1]
}
