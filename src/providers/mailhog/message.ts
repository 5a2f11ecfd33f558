import { fieldOf } from '../../core/header-fields.ts'
import { withoutEnding } from '../../core/text.ts'
import type { MailEntry } from '../../inbox/views.ts'
import { readParameters } from '../../mime/headers/parameters.ts'
import type { Content, Message, Path } from './schema.ts'

/**
 * A message as MailHog answers it.
 *
 * @param source  The message; `""` while it is not written.
 */
export function toMessage({ id, envelope, received }: MailEntry, source: string): Message {
  const { mail_from, rcpt_to } = envelope
  const { MIME, ...content } = toPart(source, { left: maxParts }, 0)
  const headers = content.Headers
  headers['Return-Path'] ??= [`<${mail_from}>`]
  return {
    ID: id,
    From: toPath(mail_from),
    To: rcpt_to.map(toPath),
    // MailHog has the parts beside the content of the whole, not in it.
    Content: { ...content, MIME: null },
    Created: new Date(received).toISOString(),
    MIME,
    Raw: { From: mail_from, To: [...rcpt_to], Data: source, Helo: '' },
  }
}

function toPath(address: string): Path {
  const at = address.indexOf('@')
  const [Mailbox, Domain] = at === -1 ? [address, ''] : [address.slice(0, at), address.slice(at + 1)]
  return { Relays: null, Mailbox, Domain, Params: '' }
}

/** A message or a part of one, with its parts. */
type Part = Omit<Content, 'MIME'> & { MIME: { Parts: Part[] } | null }

/** How many parts an answer may have, at all depths together: it repeats each of them. */
const maxParts = 1000
const maxDepth = 10

/**
 * Splits a message as MailHog does: at each boundary of a multipart, so that what comes before the first and after the last
 * part counts as a part too, unless it is empty.
 *
 * @param budget  How many more parts the answer may have; it is changed.
 * @param depth  0 for the message, 1 for its parts. What is deeper than {@link maxDepth} is not split.
 */
function toPart(source: string, budget: { left: number }, depth: number): Part {
  const end = source.indexOf('\r\n\r\n')
  const Headers = end === -1 ? {} : toHeaders(source.slice(0, end))
  const Body = end === -1 ? source : source.slice(end + 4)
  const type = valueOf(Headers, 'content-type')
  const boundary = /^multipart\//i.test(type) ? readParameters(type).parameters.get('boundary') : undefined
  const isSplit = boundary !== undefined && boundary !== '' && depth < maxDepth
  if (!isSplit) return { Headers, Body, Size: source.length, MIME: null }
  const Parts: Part[] = []
  for (const part of piecesOf(Body, `--${boundary}`)) {
    if (part === '') continue
    if (budget.left === 0) break
    budget.left -= 1
    Parts.push(toPart(withoutEnding(part.replace(/^[\r\n]+/, ''), '\r\n'), budget, depth + 1))
  }
  // The body of a multipart in a multipart would repeat all of its parts at every depth.
  return { Headers, Body: depth === 0 ? Body : '', Size: source.length, MIME: { Parts } }
}

/** As `text.split(separator)`, one by one, so that nothing is made of a text with millions of them. */
function* piecesOf(text: string, separator: string): Generator<string> {
  let start = 0
  for (let end = text.indexOf(separator); end !== -1; end = text.indexOf(separator, start)) {
    yield text.slice(start, end)
    start = end + separator.length
  }
  yield text.slice(start)
}

/** Continued lines are joined as they are; lines that are no fields are left out. */
function toHeaders(head: string): Record<string, string[]> {
  const fields = new Map<string, string[]>()
  for (const line of head.replace(/\r\n(?=[ \t])/g, '').split('\r\n')) {
    const [, name, value = ''] = /^([!-9;-~]+): ?(.*)$/s.exec(line) ?? []
    if (name === undefined) continue
    const values = fields.get(name) ?? []
    values.push(value)
    fields.set(name, values)
  }
  return Object.fromEntries(fields)
}

function valueOf(headers: Record<string, string[]>, wanted: string): string {
  return fieldOf(Object.entries(headers), wanted)?.[0] ?? ''
}
