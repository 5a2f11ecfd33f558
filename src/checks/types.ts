// Written by `npm run types` from the schemas of this folder. Change those, not this file.

/** The severity of a finding: recipients are affected, may be affected, or it is good to know. */
export type Severity = 'error' | 'warning' | 'note'

/** Where a finding is in a mail. */
export interface Place {
  part: 'header' | 'html' | 'text'
  /** The name of the header field; null in the bodies. */
  header: string | null
  /** Line of the body, from 1 on; null in the header. */
  line: number | null
  /** What is written there, at most 160 characters. */
  snippet: string | null
}

/** Something that a check found in a mail. */
export interface Finding {
  /** The id of the check, as in docs/checks.md. */
  id: string
  severity: Severity
  /** What is wrong, in a sentence. */
  message: string
  /** Null if it concerns the whole mail. */
  place: Place | null
  /** What to do, in a sentence. */
  fix: string
  /** A page that explains the check. */
  link: string
  /** The mail clients that are affected; null if it does not depend on the client. */
  clients: {
    /** The keys of the mail clients that ignore it. */
    unsupported: string[]
    /** The keys of the mail clients that support it partly. */
    partial: string[]
  } | null
}

/** A check that ran. */
export interface CheckRun {
  id: string
  /** What a mail that passes has. */
  title: string
  /** What is wrong, in a few words; the title if it found nothing. */
  headline: string
  /** A heading for checks of the same kind. */
  group: string
  /** `skipped`: it needs what is not known here. `gave_up`: it took too long. */
  outcome: 'passed' | 'found' | 'skipped' | 'gave_up'
  /** The worst of its findings; null if there is none. */
  severity: Severity | null
  /** How many findings there are; at most 50 of them are listed. */
  count: number
  /** Why it was skipped or gave up, or what it measured; null otherwise. */
  message: string | null
}

/** The findings of the checks of a mail. */
export interface CheckReport {
  /** The worst first. */
  findings: Finding[]
  /** The checks that apply to the mail. */
  checks: CheckRun[]
}
