/** Reads submissions in the background, and stores what lists and searches need: snippet, attachment count and text. */
export interface Indexer {
  /**
   * Reads mail that is not read yet, for a limited time.
   *
   * @param options.maxMs  The time in milliseconds. Default: {@link catchUpMs}.
   * @param options.maxMails  Does not wait if more mails than this are not read, because they would take longer. Default: it waits.
   * @param options.complete  Reads all mail that exists now, without a time limit, and checks the rows of an earlier process,
   *   which a scan does otherwise. Default: false.
   * @param options.signal  Ends the wait.
   * @returns The number of mails that are still not read, or may have a row without text.
   */
  catchUp(options?: CatchUpOptions): Promise<number>
  /** How many mails have more text than is searched. Call it after a scan of the column. */
  countCut(): Promise<number>
  /**
   * Stops, after the message that is being read.
   *
   * @returns Whether every row has the text of its mail, as far as this process knows.
   */
  close(): Promise<boolean>
}

export interface CatchUpOptions {
  maxMs?: number
  maxMails?: number
  complete?: boolean
  signal?: AbortSignal | undefined
}

/** How long a search waits for mail that is not read yet, where it cannot tell how much is left. */
export const catchUpMs = 5000
export const unlimited: number = Number.POSITIVE_INFINITY
