// Written by `npm run types` from the schemas of this folder. Change those, not this file.

/** A mail as a test hands it over: what its page, its list and a comparison show. */
export interface MailRecord {
  id: string
  /** Unix time in milliseconds. */
  received: number
  from: string
  /** The recipients of the envelope. */
  to: string[]
  subject: string
  size_bytes: number
  recipients: {
    recipient: string
    outcome: string
    reply: string | null
  }[]
  attachments: {
    filename: string
    content_type: string
    size_bytes: number
  }[]
  /** For a frame, with its images inside; null if there is none or it is too long. */
  html: string | null
  text: string
  /** The mail as its snapshot shows it. */
  snapshot: string
  findings: {
    id: string
    severity: string
    message: string
    fix: string
    line: number | null
  }[]
  /** What is not shown, and why; null if all is. */
  problem: string | null
}

/** The data that one test passes to the reporter. */
export interface TestRecord {
  /** Path of the test file. */
  file: string
  /** Suites and test, joined by ` > `. */
  name: string
  mails: MailRecord[]
  /** What is not shown, and why; null if all is. */
  problem: string | null
}

/** A mail in the list of a report of an earlier run. */
export interface BaselineMail {
  /** The same in every run: test file, test, recipients, and a number. */
  key: string
  file: string
  test: string
  to: string[]
  subject: string
  /** Checksum of the snapshot. */
  digest: string
}

/** The data that is read from the report of an earlier run. */
export interface BaselineIndex {
  version: 1
  mails: BaselineMail[]
}
