import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { parseTestRecord, type TestRecord } from './data.ts'

/** The maximum size of a report. */
export interface ReportLimits {
  mails: number
  /** The size of all files that the tests wrote. */
  bytes: number
}

/** Enough for large runs: 1,000 mails take some megabytes. */
export const reportLimits: ReportLimits = { mails: 10_000, bytes: 512 * 1024 * 1024 }

/**
 * Reads the records that the tests of a run wrote, one test at a time. Only the last attempt of each test counts.
 *
 * @param onProblem  Called with a sentence for each problem: mails that are not shown, and why.
 */
export async function* readRecords(
  folder: string,
  { mails, bytes }: ReportLimits,
  onProblem: (said: string) => void,
): AsyncGenerator<TestRecord> {
  const names = await readdir(folder)
  const found = names.flatMap((name) => {
    const [, test = '', attempt = ''] = fileForm.exec(name) ?? []
    return test === '' ? [] : [{ name, test, attempt: Number(attempt) }]
  })
  const last = new Map<string, number>()
  for (const { test, attempt } of found) last.set(test, Math.max(attempt, last.get(test) ?? 0))
  let [restMails, restBytes] = [mails, bytes]
  for (const { name, test, attempt } of found) {
    if (attempt !== last.get(test)) continue
    const path = join(folder, name)
    const { size } = await stat(path)
    restBytes -= size
    if (restBytes < 0 || restMails <= 0) {
      onProblem(
        `The mails of some tests are not shown: a report has at most ${mails} mails and ${bytes} bytes.`,
      )
      return
    }
    const record = await readTestRecord(path)
    if (!record) {
      onProblem('The mails of a test are not shown: its file cannot be read.')
      continue
    }
    if (record.problem !== null) onProblem(`${record.name}: ${record.problem}`)
    const shown = record.mails.slice(0, restMails)
    restMails -= shown.length
    yield { ...record, mails: shown }
  }
}

const fileForm = /^([\da-f]{32})\.(\d{1,6})\.[\da-f-]{36}\.json$/

async function readTestRecord(path: string): Promise<TestRecord | null> {
  try {
    return parseTestRecord(await readFile(path, 'utf8'))
  } catch {
    return null
  }
}
