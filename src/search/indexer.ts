/** Reads submissions in the background, and stores what lists and searches need: snippet, attachment count and text. */
export interface Indexer {
  /** Reads mail that is not read yet. @returns The number of mails that are still not read, or may have a row without text. */
  catchUp(options?: CatchUpOptions): Promise<number>
  /** How many mails have more text than is searched. Forgets those that were removed. Call it after a scan of the column. */
  countCut(): Promise<number>
  /**
   * Stops, after the message that is being read.
   *
   * @returns Whether every row has the text of its mail, as far as this process knows.
   */
  close(): Promise<boolean>
}

export interface CatchUpOptions {
  /** For how long, in milliseconds. Default: {@link catchUpMs}. */
  maxMs?: number
  /** With more unread mails than this it does not wait, because they would take longer. Default: it waits. */
  maxMails?: number
  /**
   * Whether to read all mail that exists now, however long it takes, and to check the rows of an earlier process.
   * Default: false.
   */
  complete?: boolean
  /** Ends the wait. */
  signal?: AbortSignal | undefined
}

/** How long a search waits for mail that is not read yet, where it cannot tell how much is left. */
export const catchUpMs = 5000
