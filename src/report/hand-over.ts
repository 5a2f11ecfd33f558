import { createHash, randomUUID } from 'node:crypto'
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { mailLines, toText } from '../compare/mail-text.ts'
import { joinSentences } from '../core/text.ts'
import { outcomeOf } from '../emails/events.ts'
import type { Inbox } from '../inbox/methods.ts'
import type { Mail, MailSummary } from '../inbox/types.ts'
import type { Localpost } from '../instance/instance.ts'
import type { MailRecord, TestRecord } from './types.ts'

/**
 * The variable with the folder into which tests write their mails. The reporter sets it for the workers. The underscore
 * keeps it apart from the variables of options, which begin with `LOCALPOST_`.
 */
export const folderVariable = '_LOCALPOST_REPORT_DIR'

/** The test whose mails are written. */
export interface ReportedTest extends Pick<TestRecord, 'file' | 'name'> {
  /** How many times the test ran before; only the mails of its last run are shown. */
  attempt: number
}

/** The part of an instance that the mails are read from. */
interface Reported extends Pick<Localpost, 'fetch'> {
  readonly inbox: Pick<Inbox, 'list' | 'get' | 'waitFor' | 'check'>
}

/**
 * Writes the mails of a test to a file for the reporter, because tests run in other processes and threads. Does nothing
 * without a reporter. Never fails a test: the report shows what could not be written.
 *
 * @param post  The instance of the test, still open.
 */
export async function handOverMails(post: Reported, { attempt, ...test }: ReportedTest): Promise<void> {
  const folder = process.env[folderVariable]
  if (!folder) return
  const record: TestRecord = { ...test, mails: [], problem: null }
  try {
    const { items, count } = await post.inbox.list({ limit: maxMails })
    let bytes = 0
    for (const summary of items.toReversed()) {
      const mail = await toRecord(post, summary)
      bytes += mail.text.length + mail.snapshot.length + (mail.html?.length ?? 0)
      if (bytes > maxBytes) {
        record.problem = `Only ${record.mails.length} of ${count} mails are shown: the others are longer than ${maxBytes} characters in all.`
        break
      }
      record.mails.push(mail)
    }
    if (count > items.length) record.problem = `Only the last ${items.length} of ${count} mails are shown.`
  } catch (error) {
    record.problem = `The mails could not be read: ${String(error)}`
  }
  writeRecord(folder, record, attempt)
}

/** Limits of one test: mails, and characters of all its mails. */
const maxMails = 200
const maxBytes = 16_000_000
const patienceMs = 1000
/** Limits of one mail, in characters. */
const maxHtml = 2_000_000
const maxText = 200_000

async function toRecord(post: Reported, { id }: MailSummary): Promise<MailRecord> {
  // A test may end before its last mail is delivered. After a second a mail is shown as it is.
  const mail = await post.inbox.waitFor({ id }, { timeoutMs: patienceMs }).catch(() => post.inbox.get(id))
  const { findings } = await post.inbox.check(mail)
  const html = mail.html === '' ? null : await framed(post, id)
  const isLong = html !== null && html.length > maxHtml
  const problems = [
    mail.problem,
    isLong ? `The HTML is not shown: it is longer than ${maxHtml} characters.` : null,
    mail.text.length > maxText ? `Only the first ${maxText} characters of the text are shown.` : null,
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
    snapshot: toText(mailLines(mail)).slice(0, maxHtml),
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
async function framed({ fetch }: Pick<Localpost, 'fetch'>, id: string): Promise<string | null> {
  const response = await fetch(new Request(`http://localhost/dev/inbox/${encodeURIComponent(id)}/html`))
  return response.ok ? response.text() : null
}

function toRecipient({ recipient, events }: Mail['recipients'][number]): MailRecord['recipients'][number] {
  const last = events.at(-1)
  const reply = last && 'smtp_response' in last ? (last.smtp_response ?? null) : null
  return { recipient, outcome: outcomeOf(events) ?? 'queued', reply }
}

/** The file name contains test and attempt, so that the reporter reads only the files that it shows. */
function writeRecord(folder: string, record: TestRecord, attempt: number): void {
  const test = createHash('sha256').update(`${record.file}\n${record.name}`).digest('hex').slice(0, 32)
  const path = join(folder, `${test}.${attempt}.${randomUUID()}`)
  try {
    // Renamed when it is complete: the reporter reads only files with this extension.
    writeFileSync(path, JSON.stringify(record), { flag: 'wx', mode: 0o600 })
    renameSync(path, `${path}.json`)
  } catch (error) {
    process.stderr.write(`localpost: the mails of "${record.name}" are not in the report: ${String(error)}\n`)
  }
}
