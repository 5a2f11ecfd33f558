import type { Inbox } from '../inbox/methods.ts'
import type { Localpost } from '../instance/instance.ts'

/** The part of an instance that the mails of a report are read from. */
export interface Reported extends Pick<Localpost, 'fetch'> {
  readonly inbox: Pick<Inbox, 'list' | 'get' | 'waitFor' | 'check'>
}

/** The test whose mails are written. */
export interface ReportedTest {
  /** Path of the test file. */
  file: string
  /** Suites and test, joined by ` > `. */
  name: string
  /** How many times the test ran before; only the mails of its last run are shown. */
  attempt: number
}
