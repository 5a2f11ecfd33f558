/** How many resets a session may have without a message before they stop counting as progress. */
const maxBegun = 100

/** How many commands a session may have without a message: several times those of the largest envelope. */
export const maxWithoutMessage = 10_000

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
  /** How many commands came before the last message that was taken. */
  #before = 0

  /**
   * Counts a command that came.
   *
   * @param taken  How many messages were taken so far.
   * @returns Whether more came since the last message than any honest client needs.
   */
  come(taken: number): boolean {
    if (taken !== this.#taken) {
      this.#taken = taken
      this.#begun = 0
      this.#before = this.all
    }
    return ++this.all - this.#before > maxWithoutMessage
  }

  /**
   * Counts a command that was carried out and not refused.
   *
   * @param name  In upper case.
   */
  accept(name: string): void {
    if (name === 'RCPT' || name === 'DATA' || ++this.#begun <= maxBegun) this.useful++
  }
}
