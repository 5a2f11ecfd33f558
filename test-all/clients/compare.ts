import { readFileSync } from 'node:fs'
import type { Kind } from './kinds.ts'

/** A captured mail, as `GET /dev/inbox/{id}` answers it. */
export interface Captured {
  id: string
  subject: string
  from: string
  to: string[]
  envelope: { mail_from: string; rcpt_to: string[] }
  text: string
  html: string | null
  attachments: { filename: string | null; content_type: string; content_id?: string | null }[]
}

const address = (one: string): string => /<([^>]*)>/.exec(one)?.[1] ?? one
/** Clients end a text with any number of line breaks. */
const lines = (text: string | null): string => (text ?? '').replaceAll('\r\n', '\n').trim()

/**
 * Says in which ways a captured mail is not the mail that was to be sent.
 *
 * @param read  Returns the bytes of the attachment of this index.
 */
export async function differences(
  kind: Kind,
  mail: Captured,
  read: (index: number) => Promise<Buffer>,
): Promise<string[]> {
  const found: string[] = []
  const same = (what: string, got: unknown, wanted: unknown): void => {
    if (JSON.stringify(got) !== JSON.stringify(wanted))
      found.push(`${what}: ${JSON.stringify(got)} instead of ${JSON.stringify(wanted)}`)
  }
  const to = kind.to.map(address)
  same('subject', mail.subject, kind.subject)
  same('from', address(mail.from), address(kind.from))
  // Some clients keep the recipients as a set.
  same('to', mail.to.map(address).toSorted(), to.toSorted())
  same('RCPT TO', mail.envelope.rcpt_to.toSorted(), to.toSorted())
  same('text', lines(mail.text), lines(kind.text))
  const inline = kind.inline ?? []
  if (kind.html !== undefined) {
    // A client may make its own Content-ID; the attachment of that name is compared below.
    const ownId = /="cid:[^"]*"/g
    same('html', lines(mail.html).replaceAll(ownId, '="cid:"'), lines(kind.html).replaceAll(ownId, '="cid:"'))
  }
  const contents = await Promise.all(mail.attachments.map((_, index) => read(index)))
  for (const [name, path, type] of kind.attachments ?? []) {
    const index = mail.attachments.findIndex(({ filename }) => filename === name)
    if (index < 0)
      same(
        'names',
        mail.attachments.map(({ filename }) => filename),
        name,
      )
    else {
      // The line breaks of a text become those of mail on the way.
      const form = (bytes: Buffer | undefined): string =>
        (type.startsWith('text/') ? lines(bytes?.toString('utf8') ?? null) : bytes?.toString('base64')) ?? ''
      same(`bytes of ${name}`, form(contents[index]), form(readFileSync(path)))
      same(`type of ${name}`, mail.attachments[index]?.content_type.replace(/;.*/, ''), type)
    }
  }
  for (const [, path] of inline)
    same(
      'image',
      contents.some((bytes) => bytes.equals(readFileSync(path))),
      true,
    )
  if (kind.calendar !== undefined) {
    const invitation = mail.attachments.findIndex(({ content_type }) =>
      content_type.startsWith('text/calendar'),
    )
    const wanted = readFileSync(kind.calendar, 'utf8')
    same('invitation', lines(contents[invitation]?.toString('utf8') ?? null), lines(wanted))
  }
  return found
}
