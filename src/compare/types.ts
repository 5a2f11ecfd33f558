// Written by `npm run types` from the schemas of this folder. Change those, not this file.

/** One line of a comparison. */
export interface ComparedLine {
  /** In both mails, only in the other one, or only in the mail itself. */
  kind: 'same' | 'removed' | 'added'
  /** At most 2,000 characters. */
  text: string
}

/** How one part of two mails differs. */
export interface ComparedSection {
  name: 'headers' | 'structure' | 'text' | 'html' | 'attachments'
  same: boolean
  /** Lines that only the mail itself has. */
  added: number
  /** Lines that only the other one has. */
  removed: number
  /** All lines of both, in order; at most 5,000. */
  lines: ComparedLine[]
  /** Whether there are more lines than are listed. */
  clipped: boolean
}

/** How two mails differ. */
export interface MailComparison {
  id: string
  /** The id of the mail that it is compared with. */
  other: string
  /** Whether no part differs. */
  same: boolean
  sections: ComparedSection[]
}
