import { fieldOf } from '../../core/header-fields.ts'
import { longBytes } from '../../core/job-thread.ts'
import type { Mail } from '../../inbox/types.ts'
import type { MailEntry } from '../../inbox/views.ts'
import { parseAddresses } from '../../mime/headers/addresses.ts'
import type { HeaderBlock } from '../../mime/headers/headers.ts'
import { visibleText } from '../../mime/html/visible-text.ts'
import type { Address, Attachment, Message, Summary } from './schema.ts'

/** A mail in a list. Names of Cc are in the detail only. */
export function toListed(entry: MailEntry): Summary {
  return {
    ID: entry.id,
    MessageID: withoutBrackets(entry.message_id),
    Read: !entry.unread,
    From: firstAddress(entry.from),
    ...recipientsOf(entry),
    Subject: entry.subject,
    Created: new Date(entry.received).toISOString(),
    Username: '',
    Tags: entry.tags,
    Size: entry.size_bytes,
    Attachments: entry.attachment_count,
    Snippet: entry.snippet,
  }
}

/**
 * A mail in detail.
 *
 * @param header  Of its message; null while it is not written.
 */
export function toMessage(mail: Mail, header: HeaderBlock | null, attachments: Attachment[]): Message {
  const { id, from, html, received, envelope } = mail
  const sent = Date.parse(header?.decoded('Date') ?? '')
  const From = firstAddress(from)
  const Inline: Attachment[] = []
  const Attachments: Attachment[] = []
  for (const [at, one] of attachments.entries())
    (mail.attachments[at]?.disposition === 'inline' ? Inline : Attachments).push(one)
  return {
    ID: id,
    MessageID: withoutBrackets(header?.decoded('Message-ID') ?? ''),
    From,
    ...recipientsOf(mail),
    ...(header && namedAddresses(header)),
    ReturnPath: withoutBrackets(header?.decoded('Return-Path') ?? '') || envelope.mail_from || From.Address,
    Subject: mail.subject,
    ListUnsubscribe: toListUnsubscribe(mail),
    Date: new Date(Number.isNaN(sent) ? received : sent).toISOString(),
    Tags: mail.tags,
    Username: '',
    Text: textOf(mail),
    HTML: html,
    Size: mail.size_bytes,
    Inline,
    Attachments,
  }
}

/** The text of a mail; of one that has only HTML, the text that a reader sees. */
export function textOf({ html, text }: Pick<Mail, 'html' | 'text'>): string {
  return text === '' && html !== '' ? visibleText(html.slice(0, longBytes)).trim() : text
}

/**
 * The header fields by name, in the order of the names: each name as Go writes it (`Message-Id`), each value as it is
 * in the message, unfolded.
 */
export function toHeaders({ fields }: HeaderBlock): Record<string, string[]> {
  const all = new Map<string, string[]>()
  for (const [name, value] of fields) {
    const written = canonicalName(name)
    const values = all.get(written)
    if (values) values.push(value)
    else all.set(written, [value])
  }
  return Object.fromEntries([...all].toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** @see https://pkg.go.dev/net/textproto#CanonicalMIMEHeaderKey */
function canonicalName(name: string): string {
  return name.toLowerCase().replace(/(?:^|-)[a-z]/g, (letter) => letter.toUpperCase())
}

type Recipients = Pick<Message, 'To' | 'Cc' | 'Bcc' | 'ReplyTo'>

/** The recipients that are known without the message. */
function recipientsOf(mail: Pick<Mail, 'to' | 'to_names' | 'cc' | 'bcc' | 'reply_to'>): Recipients {
  const { to, to_names, cc, bcc, reply_to } = mail
  return {
    To: to.map((Address, at) => ({ Name: to_names[at] ?? '', Address })),
    Cc: cc.map(bare),
    Bcc: bcc.map(bare),
    ReplyTo: reply_to === null ? [] : toAddresses(parseAddresses(reply_to)),
  }
}

/** Those in the header of a message, with their names. */
function namedAddresses(header: HeaderBlock): Pick<Message, 'To' | 'Cc' | 'ReplyTo'> {
  const addressesIn = (name: string): Address[] => toAddresses(header.addresses(name))
  return { To: addressesIn('To'), Cc: addressesIn('Cc'), ReplyTo: addressesIn('Reply-To') }
}

function toAddresses(parsed: readonly { name: string; address: string }[]): Address[] {
  return parsed.map(({ name, address }) => ({ Name: name, Address: address }))
}

function firstAddress(text: string): Address {
  return toAddresses(parseAddresses(text))[0] ?? { Name: '', Address: '' }
}

const bare = (Address: string): Address => ({ Name: '', Address })

function withoutBrackets(text: string): string {
  return text.trim().replace(/^</, '').replace(/>$/, '')
}

function toListUnsubscribe({ headers, list_unsubscribe }: Mail): Message['ListUnsubscribe'] {
  const Header = fieldOf(headers, 'list-unsubscribe') ?? ''
  if (Header === '') return { Header, Links: [], Errors: '', HeaderPost: '' }
  const Links = list_unsubscribe?.urls ?? []
  const HeaderPost = fieldOf(headers, 'list-unsubscribe-post') ?? ''
  return { Header, Links, Errors: problemOf(Header, Links), HeaderPost }
}

function problemOf(header: string, links: readonly string[]): string {
  if (links.length === 0) return `"${header}" no valid unsubscribe links found`
  const mails = links.filter((link) => /^mailto:/i.test(link)).length
  return mails > 1 || links.length - mails > 1
    ? `"${header}" should include a maximum of one email and one HTTP link`
    : ''
}
