import type { Clock } from '../core/clock.ts'
import { createZone, type ZoneRecords } from '../domains/zone.ts'
import { reasonOf } from '../net/guarded-request.ts'
import type { HtmlFacts } from './html-facts.ts'
import type { MailCheckOptions } from './options.ts'
import { checkRegistry } from './registry.ts'
import { createReport } from './report.ts'
import type { AskingCheck, CheckedMail, CheckResult, CheckServices } from './subject.ts'
import type { CheckReport } from './types.ts'

/** Dependencies of {@link askChecks} beside the mail. */
export interface AskOptions extends Pick<MailCheckOptions, 'except'> {
  services: CheckServices
  clock: Pick<Clock, 'after'>
  /** Reads the message; called only if a check needs it. Null if it is not written, or too long. */
  raw(): Promise<Uint8Array | null>
  /** Reads the facts from the HTML; called only if a check needs them. */
  facts(): Promise<HtmlFacts>
  signal?: AbortSignal | undefined
  /** Default: no records. */
  records?: ZoneRecords | undefined
  /** Also requests links and images. Default: false. */
  live?: boolean | undefined
  /** For each check. Default: 10 seconds, 30 with requests of links. */
  timeoutMs?: number
}

/** Runs the checks that make requests, all at once. A check without an answer reports why; the others are kept. */
export async function askChecks(
  mail: CheckedMail,
  {
    services,
    clock,
    raw,
    facts,
    records = { records: [], complete: [] },
    signal,
    live = false,
    except = [],
    timeoutMs = live ? 30_000 : 10_000,
  }: AskOptions,
): Promise<CheckReport> {
  let message: Promise<Uint8Array | null> | undefined
  const ended = new AbortController()
  const end = (): void => ended.abort(signal?.reason)
  const cancelDeadline = clock.after(timeoutMs, () =>
    ended.abort(new Error(`no answer within ${timeoutMs / 1000} seconds`)),
  )
  signal?.addEventListener('abort', end, { once: true })
  if (signal?.aborted) end()
  const asked = {
    mail,
    services,
    live,
    zone: createZone(records),
    signal: ended.signal,
    facts,
    raw: () => (message ??= raw()),
  }
  try {
    const rows = checkRegistry.filter((row): row is AskingCheck => 'ask' in row && !except.includes(row.id))
    const results = await Promise.all(rows.map(async (row) => ({ row, result: await answerOf(row, asked) })))
    signal?.throwIfAborted()
    const report = createReport(mail)
    for (const { row, result } of results) report.add(row, result)
    return report.report()
  } finally {
    cancelDeadline()
    signal?.removeEventListener('abort', end)
  }
}

async function answerOf(
  row: AskingCheck,
  asked: Parameters<AskingCheck['ask']>[0],
): Promise<CheckResult | string> {
  try {
    return await row.ask(asked)
  } catch (error) {
    return `The check could not be made: ${reasonOf(asked.signal.aborted ? asked.signal.reason : error)}.`
  }
}
