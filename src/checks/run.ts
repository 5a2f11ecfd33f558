import { createLineAt } from '../core/line-at.ts'
import { monotonicNow } from '../core/machine.ts'
import { paced } from '../core/yield.ts'
import { scannedLength } from '../mime/scan-html.ts'
import { htmlFactSteps, noFacts } from './html-facts.ts'
import type { MailCheckOptions } from './options.ts'
import { checkRegistry } from './registry.ts'
import type { CheckedMail, CheckRow, Found, FoundPlace, CheckResult, Subject } from './subject.ts'
import type { CheckReport, CheckRun, Finding, Place } from './types.ts'

/**
 * Runs the checks on a mail. Nothing is fetched. The work yields to the event loop at intervals. A check that takes
 * longer than its budget ends and reports that; the results of the others are kept.
 *
 * @param options  Checked by `assertCheckOptions`.
 * @param budgetMs  For each check. Default: 2 seconds.
 */
export async function checkMail(
  mail: CheckedMail,
  options: MailCheckOptions = {},
  budgetMs: number = 2000,
): Promise<CheckReport> {
  return paced(checkSteps(mail, options, budgetMs))
}

function* checkSteps(
  mail: CheckedMail,
  { except = [], clients }: MailCheckOptions,
  budgetMs: number,
): Generator<undefined, CheckReport> {
  const html = (yield* within(htmlFactSteps(mail.html), budgetMs)) ?? noFacts()
  const subject: Subject = { mail, html, clients: clients && clients.length > 0 ? clients : null }
  const place = createPlaces(mail)
  const findings: Finding[] = []
  const checks: CheckRun[] = []
  for (const row of checkRegistry) {
    if (except.includes(row.id)) continue
    const made = row.run(subject)
    const result = isSteps(made) ? yield* within(made, budgetMs) : made
    if (result === null) continue
    checks.push(toRun(row, result, budgetMs))
    if (!isFound(result)) continue
    for (const found of sorted(result, row).slice(0, maxFindings)) {
      yield
      findings.push(toFinding(found, row, place))
    }
  }
  return { findings: sorted(findings), checks }
}

/** Findings of one check that are listed. */
const maxFindings = 50

/** Runs work in its own budget. @returns Its result; undefined where it ran out of time. */
function* within<T>(work: Iterator<undefined, T>, budgetMs: number): Generator<undefined, T | undefined> {
  const deadline = monotonicNow() + budgetMs
  for (let steps = 1; ; steps++) {
    const step = work.next()
    if (step.done) return step.value
    // Looking at the clock costs more than most steps.
    if ((steps & 15) === 0 && monotonicNow() > deadline) return undefined
    yield
  }
}

function isSteps(made: ReturnType<CheckRow['run']>): made is Generator<undefined, CheckResult> {
  return made !== null && 'next' in made
}

function isFound(result: CheckResult | undefined): result is readonly Found[] {
  return Array.isArray(result)
}

function toRun(row: CheckRow, result: CheckResult | undefined, budgetMs: number): CheckRun {
  const { id, title, group } = row
  const about = { id, title, group, severity: null, count: 0 }
  if (result === undefined)
    return {
      ...about,
      outcome: 'gave_up',
      message: `The check took longer than ${budgetMs} ms and was ended.`,
    }
  if (!isFound(result)) return { ...about, outcome: 'skipped', message: result?.skipped ?? null }
  if (result.length === 0) return { ...about, outcome: 'passed', message: null }
  const [worst] = sorted(result, row)
  return {
    ...about,
    outcome: 'found',
    severity: worst?.severity ?? row.severity,
    count: result.length,
    message: null,
  }
}

function sorted<T extends Pick<Found, 'severity'>>(found: readonly T[], row?: CheckRow): T[] {
  const rank = ({ severity = row?.severity ?? 'note' }: T): number => severities.indexOf(severity)
  return found.toSorted((a, b) => rank(a) - rank(b))
}

const severities: readonly string[] = ['error', 'warning', 'note']

function toFinding(found: Found, row: CheckRow, placeOf: (place: FoundPlace) => Place): Finding {
  return {
    id: row.id,
    severity: found.severity ?? row.severity,
    message: cut(found.message, 500),
    place: found.place ? placeOf(found.place) : null,
    fix: found.fix ?? row.fix,
    link: found.link ?? row.link,
    clients: found.clients ?? null,
  }
}

/** @returns A function that finds the line and the snippet of a place. */
function createPlaces({ html, text, headers }: CheckedMail): (place: FoundPlace) => Place {
  // Made at the first finding: most mails have none in a body.
  let htmlLines: ((offset: number) => number) | undefined
  let textLines: ((offset: number) => number) | undefined
  return (place) => {
    if ('header' in place) {
      const value = headers.find(([name]) => name.toLowerCase() === place.header.toLowerCase())?.[1]
      const snippet = place.snippet ?? value
      return {
        part: 'header',
        header: place.header,
        line: null,
        snippet: snippet === undefined ? null : cut(oneLine(snippet), 160),
      }
    }
    if ('html' in place) {
      htmlLines ??= createLineAt(html.slice(0, scannedLength))
      const snippet = place.snippet ?? tagAt(html, place.html)
      return { part: 'html', header: null, line: htmlLines(place.html), snippet: cut(oneLine(snippet), 160) }
    }
    textLines ??= createLineAt(text.slice(0, scannedLength))
    const offset = place.text ?? Math.max(0, text.indexOf(place.snippet))
    return { part: 'text', header: null, line: textLines(offset), snippet: cut(oneLine(place.snippet), 160) }
  }
}

/** The tag whose name is at an offset. */
function tagAt(html: string, offset: number): string {
  const written = html.slice(Math.max(0, offset - 1), offset + 300)
  const end = written.indexOf('>')
  return end === -1 ? written : written.slice(0, end + 1)
}

function oneLine(text: string): string {
  return text.slice(0, 1000).replace(/\s+/g, ' ').trim()
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text
}
