import type { BaselineIndex, BaselineMail } from './types.ts'

/** A mail in the list of a report; the rest of it is read when it is opened. */
export interface ReportMail extends BaselineMail {
  /** Of the test, as `passed` or `failed`. */
  state: string
  from: string
  received: number
  /** Of its recipients, each once. */
  outcome: string
  errors: number
  warnings: number
  /** Against the baseline; null without one. */
  change: 'new' | 'changed' | 'same' | null
}

/** The data of a report, but for the bodies of the mails. */
export interface ReportIndex extends BaselineIndex {
  /** Unix time in milliseconds. */
  written: number
  mails: ReportMail[]
  /** Mails of the baseline that are not in this run. */
  gone: Pick<BaselineMail, 'file' | 'test' | 'to' | 'subject'>[]
  /** Why something is missing. */
  problems: string[]
  /** Name of the file of the baseline; null without one. */
  baseline: string | null
}
