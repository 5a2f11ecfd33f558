/** How often EHLO, MAIL and the like may be repeated without a message before they no longer count as progress. */
const maxBegun = 100

/** How many commands a session may send without a message: several times as many as the largest envelope needs. */
export const maxWithoutMessage = 10_000

/**
 * Counts the commands of a session, and those that made progress. Starting a transaction again and again is no progress,
 * so that such a client cannot keep a connection that another client needs.
 */
export class CommandCount {
  /** Number of commands received. */
  all: number = 0
  /** Number of commands that made progress. */
  useful: number = 0
  /** Number of accepted commands other than RCPT and DATA since the last accepted message. */
  #begun = 0
  #taken = 0
  /** Number of commands up to the last accepted message. */
  #before = 0

  /**
   * Counts a received command.
   *
   * @param taken  Number of messages accepted so far.
   * @returns Whether the session sent more than {@link maxWithoutMessage} commands since its last message.
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
   * Counts a command that was accepted.
   *
   * @param name  In upper case.
   */
  accept(name: string): void {
    if (name === 'RCPT' || name === 'DATA' || ++this.#begun <= maxBegun) this.useful++
  }
}
