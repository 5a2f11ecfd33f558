import { mailLines, toText } from '../compare/mail-text.ts'
import { joinSentences } from '../core/text.ts'
import { outcomeOf } from '../emails/events.ts'
import type { Mail, MailSummary } from '../inbox/types.ts'
import type { Localpost } from '../instance/instance.ts'
import type { MailRecord } from './data.ts'
import type { Reported } from './reported.ts'

/** A mail as the report shows it. It is read from an open instance. */
export async function toMailRecord(post: Reported, { id }: MailSummary): Promise<MailRecord> {
  // A test may end before its last mail is delivered. After a second a mail is shown as it is.
  const mail = await post.inbox.waitFor({ id }, { timeoutMs: deliveryWaitMs }).catch(() => post.inbox.get(id))
  const { findings } = await post.inbox.check(mail)
  const html = mail.html === '' ? null : await inboxPageHtml(post, id)
  const isLong = html !== null && html.length > maxHtml
  const snapshot = toText(mailLines(mail))
  const problems = [
    mail.problem,
    isLong ? `The HTML is not shown: it is longer than ${maxHtml} characters.` : null,
    mail.text.length > maxText ? `Only the first ${maxText} characters of the text are shown.` : null,
    snapshot.length > maxSnapshot
      ? `Only the first ${maxSnapshot} characters of the snapshot are compared.`
      : null,
  ]
  return {
    id,
    received: mail.received,
    from: mail.from,
    to: mail.envelope.rcpt_to.length > 0 ? mail.envelope.rcpt_to : mail.to,
    subject: mail.subject,
    size_bytes: mail.size_bytes,
    recipients: mail.recipients.map(toRecipient),
    attachments: mail.attachments.map(({ filename, content_type, size_bytes }) => ({
      filename,
      content_type,
      size_bytes,
    })),
    html: isLong ? null : html,
    text: mail.text.slice(0, maxText),
    snapshot: snapshot.slice(0, maxSnapshot),
    findings: findings.map(({ id: check, severity, message, fix, place }) => ({
      id: check,
      severity,
      message,
      fix,
      line: place?.line ?? null,
    })),
    problem: joinSentences(problems),
  }
}

/** The HTML as the inbox page shows it: with its inline images, and without anything that would open a connection. */
async function inboxPageHtml({ fetch }: Pick<Localpost, 'fetch'>, id: string): Promise<string | null> {
  const response = await fetch(new Request(`http://localhost/dev/inbox/${encodeURIComponent(id)}/html`))
  return response.ok ? response.text() : null
}

function toRecipient({ recipient, events }: Mail['recipients'][number]): MailRecord['recipients'][number] {
  const last = events.at(-1)
  const reply = last && 'smtp_response' in last ? (last.smtp_response ?? null) : null
  return { recipient, outcome: outcomeOf(events) ?? 'queued', reply }
}

const deliveryWaitMs = 1000
/** Limits of one mail, in characters. */
const maxHtml = 2_000_000
const maxSnapshot = 2_000_000
const maxText = 200_000
