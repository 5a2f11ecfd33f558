import type { FaultsState } from '../../src/faults/types.ts'
import type { BounceType, EmailEvent, EventCause, EventStatus } from '../../src/emails/types.ts'
import type { Mail } from '../../src/inbox/types.ts'

/** The icons of all statuses except `sent` and `delivered`. */
export type StatusIcon = 'bounced' | 'failed' | 'complained' | 'delayed' | 'opened' | 'clicked'

/** The meaning of a status, shown as a colour. */
export type Tone = 'quiet' | 'good' | 'info' | 'warn' | 'bad'

/** The label and tone of every status. */
export const statuses: Readonly<Record<EventStatus, { words: string; tone: Tone; icon?: StatusIcon }>> = {
  sent: { words: 'Sent', tone: 'quiet' },
  delivered: { words: 'Delivered', tone: 'good' },
  opened: { words: 'Opened', tone: 'info', icon: 'opened' },
  clicked: { words: 'Clicked', tone: 'info', icon: 'clicked' },
  delivery_delayed: { words: 'Delayed', tone: 'warn', icon: 'delayed' },
  bounced: { words: 'Bounced', tone: 'bad', icon: 'bounced' },
  complained: { words: 'Complaint', tone: 'bad', icon: 'complained' },
  failed: { words: 'Failed', tone: 'bad', icon: 'failed' },
}

/** What a bounce of this type means for the sender. */
export const bounceMeanings: Readonly<Record<BounceType, string>> = {
  Permanent: 'The address does not accept mail; do not try again.',
  Transient: 'The address does not accept mail now; a later try may succeed.',
  Undetermined: 'The reply does not say whether a later try may succeed.',
}

/** The facts of one event, as label and value, in display order. */
export function factsOf(event: EmailEvent): { label: string; value: string; mono?: boolean }[] {
  switch (event.status) {
    case 'sent':
      return []
    case 'complained':
      return causeFact(event)
    case 'delivered':
      return [
        { label: 'Reply', value: event.smtp_response, mono: true },
        { label: 'Server', value: event.reporting_mta, mono: true },
        { label: 'Took', value: `${event.processing_time_millis} ms` },
      ]
    case 'bounced':
      return [
        { label: 'Type', value: `${event.type} / ${event.subtype}` },
        { label: 'Reply', value: event.smtp_response ?? '', mono: true },
        { label: 'Server', value: event.reporting_mta ?? '', mono: true },
        ...causeFact(event),
      ]
    case 'delivery_delayed':
      return [{ label: 'Reply', value: event.smtp_response ?? '', mono: true }, ...causeFact(event)]
    case 'failed':
      return [{ label: 'Reason', value: event.reason }]
    case 'clicked':
      return [{ label: 'Link', value: event.link, mono: true }, ...client(event)]
    case 'opened':
      return client(event)
    default:
      return event satisfies never
  }
}

/** Splits `Ada <ada@acme.com>` into name and address; `name` is `""` if there is only an address. */
export function splitAddress(from: string): { name: string; address: string } {
  const open = from.lastIndexOf('<')
  if (open === -1 || !from.endsWith('>')) return { name: '', address: from.trim() }
  const name = from.slice(0, open).trim().replace(/^"|"$/g, '')
  return { name, address: from.slice(open + 1, -1).trim() }
}

/** Whether the envelope differs from the header fields. */
export function envelopeDiffers(mail: Mail): boolean {
  const fold = (addresses: string[]): string => [...new Set(addresses.map(withAsciiDomain))].sort().join('\n')
  const sender = splitAddress(mail.from).address
  return (
    fold([mail.envelope.mail_from]) !== fold([sender]) ||
    fold(mail.envelope.rcpt_to) !== fold([...mail.to, ...mail.cc, ...mail.bcc])
  )
}

/** An address in lower case with its domain in A-labels, so that two spellings of one mailbox are equal. */
function withAsciiDomain(address: string): string {
  const lower = address.toLowerCase()
  const at = lower.lastIndexOf('@') + 1
  const domain = lower.slice(at)
  // The URL parser also converts numbers and percent signs, so it is used only for domains that need A-labels.
  const url = `http://${domain}`
  const isName = /[^\x00-\x7f]/.test(domain) && /^[\p{L}\p{M}\p{N}.-]+$/u.test(domain)
  return isName && URL.canParse(url) ? lower.slice(0, at) + new URL(url).hostname : lower
}

/** The injected faults in one sentence, so that their failures are not mistaken for real ones; `""` for none. */
export function faultWords({ http, smtp, rate_limit }: FaultsState): string {
  const parts = [
    ...[http, smtp].flatMap((faults, index) => {
      // A fault with a limited number of uses stays in the list when it is used up.
      const count = faults.filter((fault) => fault.count !== 0).length
      return count > 0 ? [`${count} for ${index === 0 ? 'HTTP' : 'SMTP'}`] : []
    }),
    ...(rate_limit ? ['a rate limit'] : []),
  ]
  return parts.length > 0 ? `Faults are on: ${parts.join(', ')}.` : ''
}

/** A size as people read it: `812 B`, `4.2 KB`, `1.3 MB`. */
export function sizeWords(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(bytes < 10_000 ? 1 : 0)} KB`
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}

/** A number with its noun: `1 mail`, `1,204 mails`. */
export function countWords(count: number, one: string, many = `${one}s`, isAtLeast = false): string {
  return `${countText(count, isAtLeast)} ${count === 1 && !isAtLeast ? one : many}`
}

/** A number with `+` if there may be more. */
export function countText(count: number, isAtLeast: boolean): string {
  return `${count.toLocaleString('en-GB')}${isAtLeast ? '+' : ''}`
}

function causeFact({ cause }: { cause?: EventCause }): { label: string; value: string }[] {
  if (!cause) return []
  const value = cause.kind === 'rule' ? `The rule ${cause.match}: ${cause.action}` : 'The simulator'
  return [{ label: 'Cause', value }]
}

function client(event: { ip: string; user_agent: string }): { label: string; value: string }[] {
  return [
    { label: 'From', value: event.ip },
    { label: 'Client', value: event.user_agent },
  ]
}

/**
 * A subject or a name with its bidirectional overrides written out (`Invoice [U+202E]fdp.exe`). The browser would apply
 * them and show the letters in a misleading order.
 */
export function spellOverrides(text: string): string {
  return text.replaceAll(/[\u202d\u202e]/g, (mark) => `[U+${mark.charCodeAt(0).toString(16).toUpperCase()}]`)
}

/** The beginning of a text that would take too much room, with an ellipsis. @param most  Characters that are kept. */
export function beginOf(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text
}
