import { simpleParser, type AddressObject } from 'mailparser'
import { parseMessage } from '../../src/mime/parse.ts'

/** What two parsers may read differently in a message. */
export type Member = 'subject' | 'from' | 'to' | 'cc' | 'reply_to' | 'text' | 'html' | 'attachments'

/** The members that mailparser, which shares no code with our parser, reads differently. */
export async function differences(bytes: Buffer): Promise<Member[]> {
  const ours = readOurs(bytes)
  const theirs = await readTheirs(bytes)
  const members = Object.keys(ours) as Member[]
  return members.filter((one) => JSON.stringify(ours[one]) !== JSON.stringify(theirs[one])).toSorted()
}

function readOurs(bytes: Buffer): Record<Member, unknown> {
  const { subject, from, to, cc, reply_to, text, html, attachments } = parseMessage(bytes)
  return {
    subject,
    from,
    to,
    cc,
    reply_to,
    text: withoutEnd(text),
    html: withoutEnd(html),
    attachments: attachments.map((one) => [one.content_type, one.filename, one.size_bytes]),
  }
}

async function readTheirs(bytes: Buffer): Promise<Record<Member, unknown>> {
  const options = { skipHtmlToText: true, skipTextToHtml: true, skipTextLinks: true, skipImageLinks: true }
  const { subject, from, to, cc, replyTo, text, html, attachments } = await simpleParser(bytes, options)
  return {
    subject: subject ?? '',
    from: people(from),
    to: people(to),
    cc: people(cc),
    reply_to: people(replyTo),
    text: withoutEnd(text ?? ''),
    html: withoutEnd(htmlParts(html || '').join('\n')),
    attachments: attachments.map((one) => [one.contentType, one.filename ?? null, one.size]),
  }
}

/** Mailparser separates the HTML parts by line breaks, and has an empty one for each plain text. */
function htmlParts(html: string): string[] {
  return html.split('<br/>\n').filter((part) => part !== '')
}

/** Line ends after the last line depend on where a parser splits parts. */
function withoutEnd(text: string): string {
  return text.replace(/\n*$/, '')
}

function people(field: AddressObject | AddressObject[] | undefined): { name: string; address: string }[] {
  return [field ?? []]
    .flat()
    .flatMap(({ value }) => value.flatMap((one) => one.group ?? one))
    .map(({ name, address }) => ({ name, address: address ?? '' }))
}
