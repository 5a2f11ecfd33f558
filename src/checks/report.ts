import { shorten } from '../core/quote.ts'
import { fieldOf } from '../core/header-fields.ts'
import { createLineAt } from '../core/line-at.ts'
import { scannedLength } from '../mime/html/scan-html.ts'
import { checkRegistry } from './registry.ts'
import type { CheckedMail, CheckResult, Found, FoundPlace, RegisteredCheck } from './check.ts'
import type { CheckReport, CheckRun, Finding, Place, Severity } from './types.ts'

/** A check, and its result; a string is the reason why it ended early. */
export type CheckOutcome = readonly [row: RegisteredCheck, result: CheckResult | string]

/** The report of checks; those whose result is null are left out. */
export function toReport(mail: CheckedMail, outcomes: readonly CheckOutcome[]): CheckReport {
  const place = createPlaces(mail)
  const findings: Finding[] = []
  const checks: CheckRun[] = []
  for (const [row, result] of outcomes) {
    if (result === null) continue
    checks.push(toRun(row, result))
    for (const found of bySeverity(foundOf(result), row.severity).slice(0, maxFindings))
      findings.push(toFinding(found, row, place))
  }
  return { findings: bySeverity(findings), checks }
}

/** Merges two reports: checks in the order of the table, and the worst findings first. */
export function joinReports(one: CheckReport, other: CheckReport): CheckReport {
  const rank = ({ id }: { id: string }): number => checkRegistry.findIndex((row) => row.id === id)
  return {
    findings: bySeverity([...one.findings, ...other.findings].toSorted((a, b) => rank(a) - rank(b))),
    checks: [...one.checks, ...other.checks].toSorted((a, b) => rank(a) - rank(b)),
  }
}

/** Findings of one check that are listed. */
const maxFindings = 50

function foundOf(result: NonNullable<CheckResult> | string): readonly Found[] {
  if (typeof result === 'string' || 'skipped' in result) return []
  return 'found' in result ? result.found : result
}

function toRun(row: RegisteredCheck, result: NonNullable<CheckResult> | string): CheckRun {
  const { id, title, headline, group } = row
  const base = { id, title, headline: title, group, severity: null, count: 0 }
  if (typeof result === 'string') return { ...base, outcome: 'gave_up', message: result }
  if ('skipped' in result) return { ...base, outcome: 'skipped', message: result.skipped }
  const message = 'found' in result ? result.message : null
  const found = foundOf(result)
  if (found.length === 0) return { ...base, outcome: 'passed', message }
  const severity = bySeverity(found, row.severity)[0]?.severity ?? row.severity
  return { ...base, headline, outcome: 'found', severity, count: found.length, message }
}

/** The worst first. @param fallback  The severity of those without one. Default: `note`. */
function bySeverity<T extends Pick<Found, 'severity'>>(found: readonly T[], fallback?: Severity): T[] {
  const rank = ({ severity = fallback ?? 'note' }: T): number => severities.indexOf(severity)
  return found.toSorted((a, b) => rank(a) - rank(b))
}

const severities: readonly Severity[] = ['error', 'warning', 'note']

function toFinding(found: Found, row: RegisteredCheck, placeOf: (place: FoundPlace) => Place): Finding {
  return {
    id: row.id,
    severity: found.severity ?? row.severity,
    message: shorten(found.message, 500),
    place: found.place ? placeOf(found.place) : null,
    fix: found.fix ?? row.fix,
    link: found.link ?? row.link,
    clients: found.clients ?? null,
  }
}

/** @returns A function that finds the line and the snippet of a place. */
function createPlaces({ html, text, headers }: CheckedMail): (place: FoundPlace) => Place {
  // Computed at the first finding: most mails have none in a body.
  let htmlLines: ((offset: number) => number) | undefined
  let textLines: ((offset: number) => number) | undefined
  return (place) => {
    if ('header' in place) {
      const written = place.snippet ?? fieldOf(headers, place.header)
      const snippet = written === undefined ? null : toSnippet(written)
      return { part: 'header', header: place.header, line: null, snippet }
    }
    if ('html' in place) {
      htmlLines ??= createLineAt(html.slice(0, scannedLength))
      const snippet = place.snippet ?? tagAt(html, place.html)
      return { part: 'html', header: null, line: htmlLines(place.html), snippet: toSnippet(snippet) }
    }
    textLines ??= createLineAt(text.slice(0, scannedLength))
    const offset = place.text ?? Math.max(0, text.indexOf(place.snippet))
    return { part: 'text', header: null, line: textLines(offset), snippet: toSnippet(place.snippet) }
  }
}

/** The tag whose name is at an offset. */
function tagAt(html: string, offset: number): string {
  const written = html.slice(Math.max(0, offset - 1), offset + 300)
  const end = written.indexOf('>')
  return end === -1 ? written : written.slice(0, end + 1)
}

/** A text in one line. */
function toSnippet(text: string): string {
  return shorten(text.slice(0, 1000).replace(/\s+/g, ' ').trim(), 160)
}
