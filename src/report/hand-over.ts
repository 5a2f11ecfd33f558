import { createHash, randomUUID } from 'node:crypto'
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { toMailRecord } from './mail-record.ts'
import type { Reported, ReportedTest } from './reported.ts'
import type { TestRecord } from './data.ts'

/**
 * The variable with the folder into which tests write their mails. The reporter sets it for the workers. The underscore
 * keeps it apart from the variables of options, which begin with `LOCALPOST_`.
 */
export const folderVariable = '_LOCALPOST_REPORT_DIR'

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
    if (count > items.length) record.problem = `Only the last ${items.length} of ${count} mails are shown.`
    let chars = 0
    for (const summary of items.toReversed()) {
      const mail = await toMailRecord(post, summary)
      chars += mail.text.length + mail.snapshot.length + (mail.html?.length ?? 0)
      if (chars > maxChars) {
        record.problem = `Only ${record.mails.length} of ${count} mails are shown: the others are longer than ${maxChars} characters in all.`
        break
      }
      record.mails.push(mail)
    }
  } catch (error) {
    record.problem = `The mails could not be read: ${String(error)}`
  }
  writeRecord(folder, record, attempt)
}

/** Limits of one test: mails, and characters of all its mails. */
const maxMails = 200
const maxChars = 16_000_000

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
