import type { BaselineIndex, BaselineMail } from './types.ts'

/** A mail in the list of a report; the rest of it is read when it is opened. */
export interface ReportMail extends BaselineMail {
  /** The state of the test, such as `passed` or `failed`. */
  state: string
  from: string
  received: number
  /** Of its recipients, each once. */
  outcome: string
  errors: number
  warnings: number
  /** The result of the comparison with the baseline; null without one. */
  change: 'new' | 'changed' | 'same' | null
}

/** The data of a report without the bodies of the mails. */
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
