import type { Mail, MailSummary } from '../inbox/types.ts'
import { cameAfter, type MailQueryMembers } from '../search/query-members.ts'
import { isTag } from '../search/query.ts'
import { addressTest, contains, nameTest } from '../search/query-fits.ts'
import { foldSpace } from '../core/text.ts'
import type { MemberKind } from './expectation.ts'
import { parseAddresses } from '../mime/headers/addresses.ts'
import { searchableText } from '../mime/html/searchable-text.ts'
import type { TextPattern } from './outcome.ts'
import { UsageError } from '../core/caller.ts'

/** The valid values of each member of a query, with the same meaning in every expectation. */
export const mailMemberKinds: Readonly<Record<keyof MailQueryMembers, MemberKind>> = {
  to: 'pattern',
  cc: 'pattern',
  from: 'pattern',
  subject: 'pattern',
  text: 'pattern',
  body: 'pattern',
  tag: 'pattern',
  id: 'text',
  after: 'moment',
}

/** The mail that an expectation means; `body` is `text` here. */
export type WantedMail = Omit<MailQueryMembers, 'body'>

/**
 * Takes the members of a query out of an expectation.
 *
 * @param what  Whose expectation it is, as the message names it.
 * @throws TypeError if `text` and `body` are both there.
 */
export function takeWantedMail<Given extends MailQueryMembers>(
  given: Given,
  what: string,
): { mail: WantedMail; rest: Omit<Given, keyof MailQueryMembers> } {
  const { to, cc, from, subject, text, body, tag, id, after, ...rest } = given
  if (text !== undefined && body !== undefined)
    throw new UsageError(`${what}: text and body are the same; give one of them.`)
  const members = Object.entries({ to, cc, from, subject, text: text ?? body, tag, id, after })
  return { mail: Object.fromEntries(members.filter(([, value]) => value !== undefined)), rest }
}

/** Whether what the list says of a mail rules it out, which costs no reading of its message. */
export function isRuledOut(mail: MailSummary, { subject, tag, id, after }: WantedMail): boolean {
  return !fitsHead(mail, { subject, tag, id, after })
}

/** Whether the list entry of a mail is not enough to decide. */
export function needsDetail(mail: MailSummary, { to, cc, from, text }: WantedMail): boolean {
  if (text !== undefined || cc !== undefined) return true
  if (from !== undefined && !fitsAddress(mail.from, from)) return true
  return to !== undefined && !mail.to.some((address) => fitsAddress(address, to))
}

/** The members that a mail does not fit. A summary is enough where {@link needsDetail} says so. */
export function mailMembersThatDiffer(mail: MailSummary | Mail, wanted: WantedMail): (keyof WantedMail)[] {
  const { to, cc, from, text } = wanted
  const detail = 'envelope' in mail ? mail : null
  const differing: (keyof WantedMail)[] = []
  if (
    to !== undefined &&
    !recipientsOf(mail).some((address) => fitsAddress(address, to)) &&
    ![...mail.to_names, ...namesIn(detail, ['to', 'cc'])].some((name) => fitsName(name, to))
  )
    differing.push('to')
  if (
    cc !== undefined &&
    !detail?.cc.some((address) => fitsAddress(address, cc)) &&
    !namesIn(detail, ['cc']).some((name) => fitsName(name, cc))
  )
    differing.push('cc')
  const senders = [mail.from, detail?.envelope.mail_from ?? '']
  if (from !== undefined && !senders.some((one) => fitsAddress(one, from))) differing.push('from')
  if (text !== undefined && !(detail && fitsBody(detail, text))) differing.push('text')
  for (const name of headMembers)
    if (wanted[name] !== undefined && !fitsHead(mail, { [name]: wanted[name] })) differing.push(name)
  return differing
}

const headMembers = ['subject', 'tag', 'id', 'after'] as const

function fitsHead(mail: MailSummary, { subject, tag, id, after }: WantedMail): boolean {
  return (
    (subject === undefined || contains(mail.subject, subject)) &&
    (tag === undefined || mail.tags.some((one) => isTag(one, tag))) &&
    (id === undefined || mail.id === id) &&
    (after === undefined || cameAfter(after)({ id: mail.id, created: mail.received }))
  )
}

/** A member of a mail, as the diff of a failed test shows it. */
export function shownMember(mail: Mail, name: string): unknown {
  if (name === 'to') return recipientsOf(mail).join(', ')
  if (name === 'cc') return mail.cc.join(', ')
  if (name === 'tag') return mail.tags.join(', ')
  return name === 'after' ? new Date(mail.received) : Reflect.get(mail, name)
}

/** The display names in some fields of a mail. */
function namesIn(mail: Mail | null, fields: readonly string[]): string[] {
  const values = (mail?.headers ?? []).filter(([name]) => fields.includes(name.toLowerCase()))
  return values.flatMap(([, value]) => parseAddresses(value.slice(0, longestField)).map(({ name }) => name))
}

const longestField = 10_000

function recipientsOf(mail: MailSummary | Mail): string[] {
  return 'cc' in mail
    ? [...new Set([...mail.to, ...mail.cc, ...mail.bcc, ...mail.envelope.rcpt_to])]
    : mail.to
}

/** Whether an address field names this mailbox, as queries of the inbox have it. */
export function fitsAddress(value: string, wanted: TextPattern): boolean {
  return addressTest(wanted)(value)
}

/** Whether the display name beside an address is what an expectation names, as queries of the inbox have it. */
function fitsName(name: string, wanted: TextPattern): boolean {
  return nameTest(wanted)(name)
}

/** Whether a mail's text is what an expectation names: as written, or as queries of the inbox look at it. */
function fitsBody({ text, html }: { text: string; html: string }, wanted: TextPattern): boolean {
  return [text, foldSpace(text), searchableText(text, html).body].some((one) => contains(one, wanted))
}
