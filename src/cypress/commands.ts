import type { Mail, MailSummary } from '../inbox/types.ts'
import type { MailQuery } from '../search/query-members.ts'

/** How long a command waits, and for which mail. */
export interface MailWaitOptions {
  /** In milliseconds, at most 300,000. Default: 10,000; for `expectNoMail` 1,000. */
  timeoutMs?: number
  /** Only mail after this one (the id of a mail, which may be removed), or not before this time. */
  after?: Date | string
}

/**
 * The commands that an import of `localpost/cypress/commands` adds to `cy`. They need the tasks that `localpost(on)` of
 * `localpost/cypress` registers. If a command fails, so does the test; its message
 * lists the mails that came closest.
 *
 * @example
 * // cypress/support/e2e.js
 * import 'localpost/cypress/commands'
 * // In a test:
 * cy.waitForMail({ to: 'ada@example.com' }).its('codes.0').then((code) => cy.get('[name=code]').type(code))
 */
export interface MailCommands {
  /**
   * The newest match that already exists, otherwise the next match to arrive.
   *
   * @param query  As the page searches, or by members. Default: any mail.
   */
  waitForMail(query?: MailQuery, options?: MailWaitOptions): Cypress.Chainable<Mail>
  /** Waits until there are `count` matches, and yields them, newest first. */
  waitForMails(
    query: MailQuery | undefined,
    count: number,
    options?: MailWaitOptions,
  ): Cypress.Chainable<Mail[]>
  /** Passes if no match exists or arrives for a while. */
  expectNoMail(query?: MailQuery, options?: MailWaitOptions): Cypress.Chainable<null>
  /**
   * What the list of the inbox shows of the mails that are there now: the newest 200, newest first.
   *
   * @param query  As the page searches. Default: all mail.
   */
  mails(query?: string): Cypress.Chainable<MailSummary[]>
  /** Removes all mail. Yields how many there were. */
  clearMails(): Cypress.Chainable<number>
}

declare global {
  // oxlint-disable-next-line typescript/no-namespace -- that of Cypress
  namespace Cypress {
    // The parameter repeats that of Cypress.
    interface Chainable<Subject> extends MailCommands {}
  }
}

// What is used of the globals of a test. This module imports nothing, because it runs in the browser.
declare const Cypress: {
  Commands: { add(name: string, run: (...given: never[]) => unknown): void }
}
declare const cy: { task(name: string, argument: object, options: { timeout: number }): unknown }

const commands: {
  [Name in keyof MailCommands]: (...given: Parameters<MailCommands[Name]>) => unknown
} = {
  waitForMail: (query, options) => run('waitForMail', query, options),
  waitForMails: (query, count, options) => run('waitForMails', query, { ...options, count }),
  expectNoMail: (query, options) => run('expectNoMail', query, options),
  mails: (query) => run('mails', query),
  clearMails: () => run('clearMails'),
}

for (const [name, command] of Object.entries(commands)) Cypress.Commands.add(name, command)

/** Cypress waits longer than a task, whose error says more. */
const graceMs = 60_000

function run(
  name: keyof MailCommands,
  query?: MailQuery,
  options: MailWaitOptions & { count?: number } = {},
): unknown {
  const argument = { ...options, ...(query !== undefined && { query: toJson(query) }) }
  return cy.task(`localpost:${name}`, argument, { timeout: (options.timeoutMs ?? 0) + graceMs })
}

/**
 * A task gets JSON. It has no patterns, so these become objects. JSON drops members that are undefined, and then any mail
 * would match; null instead is refused by the task.
 */
function toJson(query: MailQuery): unknown {
  if (typeof query !== 'object' || query === null) return query
  return Object.fromEntries(
    Object.entries(query).map(([name, value]: [string, unknown]) => [
      name,
      isPattern(value) ? { source: value.source, flags: value.flags } : (value ?? null),
    ]),
  )
}

// By the tag: the test may have the RegExp of another frame.
const isPattern = (value: unknown): value is RegExp =>
  Object.prototype.toString.call(value) === '[object RegExp]'
