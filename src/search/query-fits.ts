import { isMailbox } from '../mime/addresses.ts'
import { spellingsOf } from './query-addresses.ts'

/**
 * How an address is looked for: a whole address, also with a name before it, names one mailbox, in each spelling of its
 * domain; other text may stand anywhere.
 */
export function addressForm(wanted: string | RegExp): (address: string) => boolean {
  const forms = wanted instanceof RegExp ? [wanted] : spellingsOf(mailboxOf(wanted) ?? wanted)
  return (address) => forms.some((form) => fits(address, form))
}

/** Whether a member is what a query asks for. */
export function fits(value: string, wanted: string | RegExp): boolean {
  if (wanted instanceof RegExp) return withoutState(wanted).test(value)
  const mailbox = mailboxOf(wanted)
  // "ada@x.test" must not find "canada@x.test".
  if (mailbox !== undefined) return isMailbox(value, mailbox)
  return value.toLowerCase().includes(wanted.toLowerCase())
}

/** With `g` or `y` a RegExp remembers where it was. */
export function withoutState(form: RegExp): RegExp {
  return new RegExp(form.source, form.flags.replace(/[gy]/g, ''))
}

// With a name before it, as a mail's field has it, the address is what counts.
function mailboxOf(wanted: string): string | undefined {
  return /^(?:[^<>]*<)?([^\s@<>]+@[^\s@<>]+?)>?$/.exec(wanted)?.[1]
}
