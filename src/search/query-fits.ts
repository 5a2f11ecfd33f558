import { isMailbox } from '../mime/headers/addresses.ts'
import { spellingsOf } from './query-addresses.ts'

/**
 * How an address is looked for: a whole address, also with a name before it, names one mailbox, in each spelling of its
 * domain; other text may be anywhere.
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

/** With `g` or `y` a RegExp remembers where it was. */
export function withoutState(form: RegExp): RegExp {
  return new RegExp(form.source, form.flags.replace(/[gy]/g, ''))
}

/**
 * The texts of which an address that {@link addressForm} accepts contains at least one, in any case; null if that cannot be
 * said.
 */
export function addressTexts(wanted: string | RegExp): string[] | null {
  if (wanted instanceof RegExp) return null
  const mailbox = mailboxOf(wanted)
  if (mailbox === undefined) return spellingsOf(wanted)
  // Such a domain has many spellings.
  return /[^\x00-\x7f]|xn--/i.test(mailbox) ? null : [mailbox]
}

// With a name before it, as a mail's field has it, the address is what counts.
function mailboxOf(wanted: string): string | undefined {
  return /^(?:[^<>]*<)?([^\s@<>]+@[^\s@<>]+?)>?$/.exec(wanted)?.[1]
}
