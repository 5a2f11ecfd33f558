/** The content of a delivery status report for one recipient (RFC 3464). */
export interface ReportedRecipient {
  recipient: string
  /** `failed`, `delayed`, `delivered`, `relayed` or `expanded`, in lower case; `""` if it is missing. */
  action: string
  /** The enhanced status code, `5.1.1`. */
  status: string
  /** The server's reply. */
  diagnostic: string
  remote: string
  retryUntil: string
}

export interface DeliveryReport {
  /** The server that reports. */
  reporter: string
  recipients: ReportedRecipient[]
  /** How many further recipients are not listed. */
  more: number
}

/**
 * Reads the body of a `message/delivery-status` part.
 *
 * @see RFC 3464 section 2.1
 */
export function readDeliveryStatus(text: string): DeliveryReport {
  const [about, ...groups] = text
    .slice(0, mostRead)
    .split(/\r?\n[ \t]*\r?\n/)
    .map(fieldsOf)
    .filter((fields) => fields.size > 0)
  // Some servers leave out the fields of the message.
  const hasAbout = about !== undefined && !about.has('final-recipient')
  const all = hasAbout || about === undefined ? groups : [about, ...groups]
  const reported = all.filter((fields) => fields.has('final-recipient') || fields.has('original-recipient'))
  return {
    reporter: hasAbout ? valueOf(about, 'reporting-mta') : '',
    recipients: reported.slice(0, mostRecipients).map((fields) => ({
      recipient: valueOf(fields, 'original-recipient') || valueOf(fields, 'final-recipient'),
      action: (fields.get('action') ?? '').toLowerCase(),
      status: fields.get('status') ?? '',
      diagnostic: valueOf(fields, 'diagnostic-code'),
      remote: valueOf(fields, 'remote-mta'),
      retryUntil: fields.get('will-retry-until') ?? '',
    })),
    more: Math.max(0, reported.length - mostRecipients),
  }
}

function fieldsOf(group: string): Map<string, string> {
  const fields = new Map<string, string>()
  for (const line of group.replaceAll(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)) {
    const colon = line.indexOf(':')
    if (colon < 1) continue
    const name = line.slice(0, colon).trim().toLowerCase()
    if (!fields.has(name)) fields.set(name, line.slice(colon + 1).trim())
  }
  return fields
}

/** A value without its type: `rfc822; ada@example.com`. */
function valueOf(fields: ReadonlyMap<string, string>, name: string): string {
  return (fields.get(name) ?? '').replace(/^[\w-]{1,40};\s*/, '')
}

const mostRead = 512 * 1024
const mostRecipients = 100
