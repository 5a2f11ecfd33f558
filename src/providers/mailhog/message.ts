import { fieldOf } from '../../core/header-fields.ts'
import { withoutEnding } from '../../core/text.ts'
import { readParameters } from '../../mime/headers/parameters.ts'
import type { MailEntry } from '../../inbox/views.ts'
import type { Content, Message, Path } from './schema.ts'

/**
 * A message as MailHog answers it.
 *
 * @param source  The message; `""` while it is not written.
 */
export function toMessage({ id, envelope, received }: MailEntry, source: string): Message {
  const { mail_from, rcpt_to } = envelope
  const { MIME, ...content } = toContent(source, { remaining: maxParts }, 0)
  const headers = content.Headers
  headers['Return-Path'] ??= [`<${mail_from}>`]
  return {
    ID: id,
    From: toPath(mail_from),
    To: rcpt_to.map(toPath),
    // MailHog has the parts beside the content of the whole, not in it.
    Content: { ...content, MIME: null },
    Created: new Date(received).toISOString(),
    MIME: MIME as Message['MIME'],
    Raw: { From: mail_from, To: [...rcpt_to], Data: source, Helo: '' },
  }
}

function toPath(address: string): Path {
  const at = address.indexOf('@')
  const [Mailbox, Domain] = at === -1 ? [address, ''] : [address.slice(0, at), address.slice(at + 1)]
  return { Relays: null, Mailbox, Domain, Params: '' }
}

/**
 * Splits a message as MailHog does: at each boundary of a multipart, so that what comes before the first and after the last
 * part counts as a part too, unless it is empty.
 *
 * @param parts  How many parts the message may still have; each part that is split off is counted down.
 */
function toContent(source: string, parts: { remaining: number }, depth: number): Content {
  const end = source.indexOf('\r\n\r\n')
  const Headers = end === -1 ? {} : toHeaders(source.slice(0, end))
  const Body = end === -1 ? source : source.slice(end + 4)
  const type = valueOf(Headers, 'content-type')
  const boundary = /^multipart\//i.test(type) ? readParameters(type).parameters.get('boundary') : undefined
  const isSplit = boundary !== undefined && boundary !== '' && depth < maxDepth
  if (!isSplit) return { Headers, Body, Size: source.length, MIME: null }
  // That of a multipart in a multipart would repeat all of its parts at every depth.
  return { Headers, Body: depth === 0 ? Body : '', Size: source.length, MIME: { Parts: split(boundary) } }

  function split(boundary: string): Record<string, unknown>[] {
    const found: Record<string, unknown>[] = []
    for (const part of Body.split(`--${boundary}`, parts.remaining + 1)) {
      if (part === '') continue
      if (parts.remaining-- <= 0) break
      found.push({ ...toContent(withoutEnding(part.replace(/^[\r\n]+/, ''), '\r\n'), parts, depth + 1) })
    }
    return found
  }
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

// A message has few of both; an answer repeats each part.
const maxParts = 1000
const maxDepth = 10
