/** How many resets a session may have without a message before they stop counting as progress. */
const maxBegun = 100

/**
 * Counts the commands of a session, and those that brought it forward. A transaction that is begun over and over does
 * not: it must not keep a connection that another client needs.
 */
export class CommandCount {
  /** How many came. */
  all: number = 0
  /** How many of them brought the session forward. */
  useful: number = 0
  /** EHLO and MAIL since the last message that was taken. */
  #begun = 0
  #taken = 0

  /**
   * Counts a command that was carried out and not refused.
   *
   * @param name  In upper case.
   * @param taken  How many messages were taken so far.
   */
  accept(name: string, taken: number): void {
    if (taken !== this.#taken) {
      this.#taken = taken
      this.#begun = 0
    }
    if (name === 'RCPT' || name === 'DATA' || ++this.#begun <= maxBegun) this.useful++
  }
}
