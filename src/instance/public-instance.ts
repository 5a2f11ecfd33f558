import type { Accounts } from '../accounts/accounts.ts'
import { framesOfCaller, withFramesOf } from '../core/caller.ts'
import { invalidOption, LocalpostError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import { keepAlive } from '../core/keep-alive.ts'
import { assertKnownOptions, assertPort } from '../core/known-options.ts'
import type { ResetScope } from '../options/reset-scopes.ts'
import { providerNames } from '../providers/names.ts'
import type { ListenOptions } from '../server/listener.ts'
import type { OpenAccount } from './account.ts'
import type { RunningAccounts } from './accounts.ts'
import type { InstanceHttp } from './http.ts'
import type { Localpost } from './instance.ts'
import type { Snapshot, Snapshots } from './snapshots.ts'
import type { InstanceClock } from './time.ts'
import { publicMembers, expose, publicResources, type MethodsOf } from './public-members.ts'
import { fromCall } from './from-call.ts'
import { assertRealTicks } from './real-ticks.ts'

/** What the public face of an instance calls. */
export interface InstanceParts extends Pick<
  Localpost,
  'apiKey' | 'smtp' | 'smtps' | 'waitTimeoutMs' | 'close'
> {
  main: OpenAccount
  accounts: RunningAccounts
  http: InstanceHttp
  snapshots: Snapshots
  clock: InstanceClock
}

const accountMethods: MethodsOf<Accounts> = {
  create: 1,
  list: 1,
  get: 1,
  update: 1,
  renewPassword: 1,
  remove: 1,
}

/** The instance that the library returns: only what {@link Localpost} has. */
export function publicInstance(parts: InstanceParts): Localpost {
  const { main, accounts, http, snapshots, clock, apiKey, smtp, smtps, waitTimeoutMs } = parts
  const own = publicResources(main)
  let closing: Promise<void> | null = null
  const assertOpen = (): void => {
    if (closing) throw new LocalpostError('closed', 'This instance is closed; create a new one.')
  }
  const called = <Given extends unknown[], T>(
    name: string,
    run: (...given: Given) => Promise<T>,
  ): ((...given: Given) => Promise<T>) => fromCall(name, run, assertOpen)
  async function fetch(request: Request): Promise<Response> {
    try {
      assertOpen()
      assertRealTicks()
      assertRequest(request)
    } catch (error) {
      throw withFramesOf(error, framesOfCaller(fetch))
    }
    return http.fetch(request)
  }
  const baseOf = (name: string): { readonly url: string | null } => ({
    get url() {
      return http.url === null ? null : `${http.url}/${name}`
    },
  })
  const close = (): Promise<void> => (closing ??= keepAlive(() => parts.close()))
  return {
    ...publicMembers((work) => work(own), assertOpen),
    accounts: expose(Object.keys(accountMethods), (work) => work(accounts.resource), assertOpen) as Accounts,
    clock: {
      now() {
        assertOpen()
        return clock.now()
      },
      advance: called('advance', clock.advance),
    },
    account: function account(name) {
      try {
        assertOpen()
        assertAccountName(name)
      } catch (error) {
        throw withFramesOf(error, framesOfCaller(account))
      }
      return publicMembers(
        (work) => accounts.use(name, async (found) => work(publicResources(found))),
        assertOpen,
      )
    },
    apiKey,
    waitTimeoutMs,
    smtp,
    smtps,
    get url() {
      return http.url
    },
    providers: Object.fromEntries(
      providerNames.map((name) => [name, baseOf(name)]),
    ) as Localpost['providers'],
    fetch,
    listen: called('listen', async (options: ListenOptions = {}) => {
      assertKnownOptions(options, ['port', 'host', 'listener'], 'listen()')
      assertPort('port', options.port)
      const bound = await http.listen(options)
      main.deliver()
      return bound
    }),
    reset: called('reset', async (options: { keep?: ResetScope[] } = {}) => {
      assertKnownOptions(options, ['keep'], 'reset()')
      await main.reset(options.keep ?? [])
    }),
    snapshot: called('snapshot', () => snapshots.snapshot()),
    restore: called('restore', (snapshot: Snapshot) => snapshots.restore(snapshot)),
    close,
    [Symbol.asyncDispose]: close,
  }
}

function assertAccountName(name: unknown): void {
  if (typeof name === 'string' && name !== '') return
  const message = `account() takes the name of an account, not ${quote(name)}: post.account('team-a').`
  throw invalidOption(message)
}

// Checked by its members: a Request may come from another realm, such as that of a test environment.
function assertRequest(request: unknown): void {
  const isRequest =
    typeof request === 'object' && request !== null && 'url' in request && 'headers' in request
  if (isRequest) return
  const message = `fetch() takes a Request, not ${quote(request)}: fetch(new Request(url, init)).`
  throw invalidOption(message)
}
