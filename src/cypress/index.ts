import { LocalpostError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import { isId } from '../core/ids.ts'
import { assertKnownOptions } from '../core/known-options.ts'
import type { MailQuery } from '../search/query-members.ts'
import { createAccountInbox, type AccountInbox } from '../testing/account-inbox.ts'
import { callServer } from '../testing/server.ts'
import type { MailCommands, MailWaitOptions } from './commands.ts'

/** Where the mails are that the tasks read. */
export interface CypressSettings {
  /** The server. Default: the variable `LOCALPOST_URL`, or `http://127.0.0.1:8025`. */
  url?: string
  /**
   * A key with the scope `full`; its account is the one that is read and emptied. Default: the variable `LOCALPOST_API_KEY`; a
   * server on this machine that is bound to loopback needs none.
   */
  apiKey?: string
}

export type { MailCommands, MailWaitOptions } from './commands.ts'

/** The part of Cypress's `on` that is used. */
export type OnTask = (
  event: 'task',
  tasks: Record<string, (argument?: unknown) => Promise<unknown>>,
) => unknown

/**
 * Registers the tasks that the commands of `localpost/cypress/commands` run in Node: `localpost:waitForMail`,
 * `localpost:waitForMails`, `localpost:expectNoMail`, `localpost:mails` and `localpost:clearMails`.
 *
 * @param on  Of `setupNodeEvents`. Other tasks may be registered by it too.
 * @throws invalid_option
 * @example
 * export default defineConfig({
 *   e2e: {
 *     setupNodeEvents(on) {
 *       localpost(on)
 *     },
 *   },
 * })
 */
export function localpost(on: OnTask, settings: CypressSettings = {}): void {
  assertKnownOptions(settings, ['url', 'apiKey'], 'localpost(on)')
  const inbox = createAccountInbox(callServer(settings), defaultWaitMs)
  const toTask =
    (name: string, { takes, run }: Task) =>
    async (argument: unknown): Promise<unknown> => {
      const given = revived(argument)
      assertKnownOptions(given, takes, `the task ${name}`)
      // Cypress takes undefined for a task that was forgotten.
      return (await run(inbox, given)) ?? null
    }
  const named = Object.entries(tasks).map(([name, task]) => [`localpost:${name}`, task] as const)
  on('task', Object.fromEntries(named.map(([name, task]) => [name, toTask(name, task)])))
}

/** In milliseconds. Longer than in tests of Node: when a command runs, the page may not even have sent its form. */
const defaultWaitMs = 10_000

interface Task {
  takes: readonly string[]
  run(inbox: AccountInbox, given: TaskArgument): Promise<unknown>
}

/** The argument as it should be; the inbox checks the members. */
interface TaskArgument extends MailWaitOptions {
  query?: MailQuery
  count: number
}

/** One for each command, of the same name. */
const tasks: Readonly<Record<keyof MailCommands, Task>> = {
  waitForMail: {
    takes: ['query', 'timeoutMs', 'after'],
    run: async (inbox, { query, ...options }) => inbox.waitFor(query, options),
  },
  waitForMails: {
    takes: ['query', 'count', 'timeoutMs', 'after'],
    run: async (inbox, { query, count, ...options }) => inbox.waitForCount(query, count, options),
  },
  expectNoMail: {
    takes: ['query', 'timeoutMs', 'after'],
    run: async (inbox, { query, ...options }) => inbox.expectNone(query, options),
  },
  mails: {
    takes: ['query'],
    async run(inbox, { query }) {
      if (query !== undefined && typeof query !== 'string')
        throw new LocalpostError(
          'invalid_query',
          `mails() takes a text such as "to:ada@example.com", not ${quote(query)}.`,
        )
      return (await inbox.list({ query, limit: 200 })).items
    },
  },
  clearMails: { takes: [], run: async (inbox) => inbox.removeAll() },
}

/** Makes again what JSON cannot express: dates, and the patterns that the commands wrote as objects. */
function revived(argument: unknown): TaskArgument {
  return JSON.parse(JSON.stringify(argument ?? {}), (name, value: unknown) => {
    if (name === 'after' && typeof value === 'string') return isId('em', value) ? value : new Date(value)
    return isPattern(value) ? compiled(value) : value
  }) as TaskArgument
}

const compiled = (pattern: { source: string; flags: string }): RegExp =>
  new RegExp(pattern.source, pattern.flags)

function isPattern(value: unknown): value is { source: string; flags: string } {
  return typeof value === 'object' && value !== null && 'source' in value && 'flags' in value
}
