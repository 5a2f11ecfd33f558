import { createCall, type Calls } from '../client/call.ts'
import { createClient, type Client, type CreatedAccount } from '../client/index.ts'
import { withoutEnding } from '../core/text.ts'
import { framesOfCaller, withFramesOf } from '../core/caller.ts'
import { isErrorOf, LocalpostError, messageOf } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import { assertKnownOptions, assertWaitMs } from '../core/known-options.ts'
import { hostOfUrl, isLoopback } from '../net/hosts.ts'
import type { ResetScope } from '../options/reset-scopes.ts'
import { optionTable } from '../options/table.ts'
import { nodeFetch } from './node-fetch.ts'
import { createAccountInbox, type AccountInbox } from './account-inbox.ts'
import { callServer } from './server.ts'
import { fromCall } from '../instance/from-call.ts'
import { expose } from '../instance/public-members.ts'

/** Where an account is opened, and for how long. */
export interface AccountSettings {
  /** The server. Default: the variable `LOCALPOST_URL`, or `http://127.0.0.1:8025`. */
  url?: string
  /**
   * A key of the account `default` with the scope `full`. Default: the variable `LOCALPOST_API_KEY`; a server on this machine
   * that is bound to loopback needs none.
   */
  apiKey?: string
  /**
   * The server removes the account this long after its last use, in milliseconds, if the test process did not.
   * Default: an hour.
   */
  ttlMs?: number
  /** How long waits, matchers and assertions wait, in milliseconds. Default: 3,000. */
  waitTimeoutMs?: number
}

/** An account of a test, on a server that runs elsewhere. It has some members of an instance. */
export interface TestAccount extends Pick<Client, 'emails' | 'domains' | 'audiences'> {
  readonly name: string
  /** Base URL of the server. */
  readonly url: string
  /** The key of the account, for `/v1` and `/dev`. */
  readonly apiKey: string
  /** Where mail is submitted, as this account; fits `nodemailer.createTransport(account.smtp)`. */
  readonly smtp: {
    readonly host: string
    readonly port: number
    readonly auth: { readonly user: string; readonly pass: string }
  }
  readonly inbox: AccountInbox
  readonly waitTimeoutMs: number
  /**
   * Sends a request to the server with the key of the account, for everything that has no method here:
   * `account.fetch(new Request('http://localhost/dev/rules'))`. Path and query of the URL count.
   */
  fetch(request: Request): Promise<Response>
  /** Empties the account, except its keys and what `keep` names. */
  reset(options?: { keep?: ResetScope[] }): Promise<void>
  /** Removes the account with everything in it. A second call returns the promise of the first. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Opens an account on a server that runs elsewhere: the isolation of an instance, where many test processes share one
 * server. The server removes it after `ttlMs` if the test does not.
 *
 * @throws invalid_option, request_failed if no server answers, or the error of the server: invalid_api_key,
 *   insufficient_scope, too_many_accounts.
 * @example
 * const account = await openAccount()
 * t.after(() => account.close())
 * await signUp('ada@example.com', { smtp: account.smtp })
 * await assertSent(account, { to: 'ada@example.com' })
 */
export async function openAccount(settings?: AccountSettings): Promise<TestAccount> {
  const frames = framesOfCaller(openAccount)
  try {
    return await open(settings ?? {})
  } catch (error) {
    throw withFramesOf(error, frames)
  }
}

/** The names of {@link AccountSettings}. */
export const accountSettingNames = ['url', 'apiKey', 'ttlMs', 'waitTimeoutMs'] as const

async function open(settings: AccountSettings): Promise<TestAccount> {
  assertKnownOptions(settings, accountSettingNames, 'an account')
  const { ttlMs = hourMs, waitTimeoutMs = optionTable.waitTimeoutMs.default, ...place } = settings
  assertWaitMs('waitTimeoutMs', waitTimeoutMs)
  const admin = callServer(place)
  const created = await admin.ask<CreatedAccount>('POST', ['accounts'], { body: { ttl_ms: ttlMs } })
  const url = withoutEnding(admin.url, '/')
  return accountOf(created, { url, waitTimeoutMs, remove: () => removeAccount(admin, created.name) })
}

const hourMs = 60 * 60 * 1000

// A failed removal must not fail a test that passed: the server removes the account later.
async function removeAccount({ ask }: Pick<Calls, 'ask'>, name: string): Promise<void> {
  try {
    await ask('DELETE', ['accounts', name])
  } catch (error) {
    if (isErrorOf(error, 'not_found')) return
    const reason = messageOf(error)
    process.stderr.write(
      `localpost: the account ${quote(name)} of a test was not removed; it goes when its time is over. ${reason}\n`,
    )
  }
}

/** What an account needs besides the answer of the server. */
interface Opened {
  url: string
  waitTimeoutMs: number
  remove(): Promise<void>
}

function accountOf(
  { name, api_key: apiKey, smtp }: CreatedAccount,
  { url, waitTimeoutMs, remove }: Opened,
): TestAccount {
  const calls = createCall({ url, apiKey, fetch: nodeFetch })
  const { emails, domains, audiences } = createClient({ url, apiKey, fetch: nodeFetch })
  let closing: Promise<void> | null = null

  function assertOpen(): void {
    if (closing) throw new LocalpostError('closed', `The account ${quote(name)} of this test was removed.`)
  }
  const close = (): Promise<void> => (closing ??= remove())
  const reset = async (options: { keep?: ResetScope[] } = {}): Promise<void> => {
    assertKnownOptions(options, ['keep'], 'reset()')
    await calls.ask('POST', ['reset'], { body: options })
  }
  const inbox = createAccountInbox(calls, waitTimeoutMs)
  return {
    name,
    url,
    apiKey,
    smtp: {
      host: hostOfSmtp(smtp.host, url),
      port: smtp.port,
      auth: { user: smtp.username, pass: smtp.password },
    },
    emails,
    domains,
    audiences,
    // `createAccountInbox` returns an object literal, so its keys are those of AccountInbox.
    inbox: expose(Object.keys(inbox), (work) => work(inbox), assertOpen) as AccountInbox,
    waitTimeoutMs,
    async fetch(request) {
      assertOpen()
      const { pathname, search } = new URL(request.url)
      const there = new Request(`${url}${pathname}${search}`, request)
      there.headers.set('authorization', `Bearer ${apiKey}`)
      return nodeFetch(there)
    },
    reset: fromCall('reset', reset, assertOpen),
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** The SMTP host. If the server names a loopback address but has another URL, it is the host of the URL. */
function hostOfSmtp(host: string, url: string): string {
  const own = hostOfUrl(new URL(url))
  return isLoopback(host) && !isLoopback(own) ? own : host
}
