import type { MailAttachment } from '../../../src/inbox/types.ts'

/** What the page can do with an attachment beside a download. */
export type AttachmentKind = 'picture' | 'pdf' | 'message' | 'calendar' | 'report' | 'file'

export function kindOf({ content_type, filename }: MailAttachment): AttachmentKind {
  const type = content_type.trim().toLowerCase()
  if (pictures.has(type)) return 'picture'
  if (type === 'application/pdf') return 'pdf'
  if (type === 'message/rfc822' || type === 'message/global') return 'message'
  if (type === 'message/delivery-status' || type === 'message/global-delivery-status') return 'report'
  const isCalendar = type === 'text/calendar' || type === 'application/ics'
  return isCalendar || /\.ics$/i.test(filename) ? 'calendar' : 'file'
}

/** Whether the page shows its picture: a PDF only up to a size. */
export function hasPicture(file: MailAttachment): boolean {
  const kind = kindOf(file)
  return kind === 'picture' || (kind === 'pdf' && file.size_bytes <= mostPdfBytes)
}

/** Whether the browser shows it in a tab of its own, without scripts and connections. Anything else is a download. */
export function opensInTab(file: MailAttachment): boolean {
  const kind = kindOf(file)
  return kind === 'picture' || kind === 'pdf'
}

/** The first attachment of a kind that is small enough to be read by the page. */
export function firstOf(
  attachments: readonly MailAttachment[],
  kind: AttachmentKind,
): MailAttachment | undefined {
  return attachments.find((file) => kindOf(file) === kind && file.size_bytes <= mostRead)
}

/** The files to show under the body: without the pictures that are in it. */
export function filesBelow(attachments: readonly MailAttachment[], html: string): MailAttachment[] {
  const inBody = html.toLowerCase()
  return attachments.filter(
    ({ content_id }) => content_id === null || !inBody.includes(`cid:${content_id.toLowerCase()}`),
  )
}

// The server serves only these types as pictures.
const pictures: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])
const mostRead = 512 * 1024
const mostPdfBytes = 20 * 1024 * 1024
