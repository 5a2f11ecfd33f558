import { framesOfCaller, withFramesOf } from '../core/caller.ts'
import { isErrorOf, LocalpostError, quote } from '../core/errors.ts'
import { keepAlive } from '../core/keep-alive.ts'
import { assertKnownOptions, assertPort } from '../core/known-options.ts'
import type { ResetScope } from '../options/reset-scopes.ts'
import { providerNames } from '../providers/names.ts'
import type { ListenOptions } from '../server/listener.ts'
import type { OpenAccount } from './account.ts'
import type { RunningAccounts } from './accounts.ts'
import type { InstanceHttp } from './http.ts'
import type { AccountResources, Localpost } from './instance.ts'
import type { Sends } from './library-sends.ts'
import type { Snapshot, Snapshots } from './snapshots.ts'
import { assertRealTicks } from './real-ticks.ts'
import type { InstanceClock } from './time.ts'

type Contacts = Localpost['audiences']['contacts']
type MethodOf<Resource> = {
  [Name in keyof Resource]: Resource[Name] extends Function ? Name : never
}[keyof Resource]

/** The public methods of each resource of an account. Its other members are only for other parts of the instance. */
const methods: { readonly [Name in keyof AccountResources]: readonly MethodOf<AccountResources[Name]>[] } = {
  emails: ['send', 'list', 'get', 'addEvent'],
  suppressions: ['list', 'get', 'add', 'remove'],
  sending: ['send', 'cancel', 'reschedule', 'sendNow'],
  domains: ['create', 'list', 'get', 'update', 'remove', 'verify', 'records', 'zone'],
  audiences: ['create', 'list', 'get', 'update', 'remove'],
  broadcasts: ['send', 'list', 'get'],
  templates: ['list', 'get', 'put', 'remove', 'versions', 'restore'],
  inbox: [
    'list',
    'get',
    'raw',
    'html',
    'attachment',
    'openAttachment',
    'part',
    'check',
    'clientSupport',
    'preview',
    'compare',
    'update',
    'remove',
    'removeMatching',
    'removeAll',
    'tags',
    'updateTag',
    'latest',
    'mark',
    'updateMatching',
    'import',
    'export',
    'waitFor',
    'waitForCount',
    'expectNone',
    'explainMissing',
    'reply',
    'release',
  ],
  rules: ['get', 'set'],
  faults: ['get', 'set', 'clear'],
  webhooks: ['create', 'list', 'remove', 'deliveries', 'clearDeliveries', 'replay'],
  requests: ['list', 'clear'],
  smtpSessions: ['list', 'get', 'clear'],
}
const contactMethods: readonly MethodOf<Contacts>[] = ['add', 'import', 'list', 'get', 'update', 'remove']
const scheduledMethods: readonly MethodOf<Sends['scheduled']>[] = ['list', 'get']
const accountMethods: readonly MethodOf<Localpost['accounts']>[] = [
  'create',
  'list',
  'get',
  'update',
  'renewPassword',
  'remove',
]

/**
 * The public resources of an account. Everything else, such as the keys for signing mail, is left out.
 *
 * @param use  Calls a function with the account, which is open until the call ends.
 * @param assertOpen  Throws if the instance is closed; every method calls it first.
 */
function publicMembers(
  use: (work: (account: AccountResources) => unknown) => unknown,
  assertOpen: () => void,
): AccountResources {
  const exposed = (names: readonly string[], find: (account: AccountResources) => object): object =>
    expose(names, (work) => use((account) => work(find(account))), assertOpen)
  const members = Object.entries(methods).map(([name, names]) => [
    name,
    exposed(names, (account) => Reflect.get(account, name) as object),
  ])
  const resources = Object.fromEntries(members) as AccountResources
  const contacts = exposed(contactMethods, ({ audiences }) => audiences.contacts) as Contacts
  const scheduled = exposed(scheduledMethods, ({ sending }) => sending.scheduled) as Sends['scheduled']
  return {
    ...resources,
    audiences: { ...resources.audiences, contacts },
    sending: { ...resources.sending, scheduled },
  }
}

function expose(
  names: readonly string[],
  use: (work: (resource: object) => unknown) => unknown,
  assertOpen: () => void,
): object {
  const members = names.map((name) => {
    const call = (...given: unknown[]): unknown =>
      use((resource) => {
        const method: unknown = Reflect.get(resource, name)
        if (typeof method !== 'function') throw new TypeError(`There is no method ${name}.`)
        return method.call(resource, ...given)
      })
    return [name, fromCall(name, call, assertOpen)]
  })
  return Object.fromEntries(members) as object
}

/**
 * The same method, but its errors show the line that called it. When a promise rejects later, for example after a
 * timeout, the stack no longer contains the caller.
 */
export function fromCall<Given extends unknown[], T>(
  name: string,
  run: (...given: Given) => T | Promise<T>,
  assertOpen: () => void,
): (...given: Given) => Promise<T> {
  const method = (...given: Given): Promise<T> => {
    const frames = framesOfCaller(method)
    let answered: Promise<T> | undefined
    const answer = async (): Promise<T> => {
      try {
        assertOpen()
        assertRealTicks()
        return await run(...given)
      } catch (error) {
        // When the instance closes, promises that nobody awaits yet reject; that must not count as unhandled rejections.
        if (isErrorOf(error, 'closed')) answered?.catch(() => {})
        throw withFramesOf(error, frames)
      }
    }
    answered = answer()
    return answered
  }
  return Object.defineProperty(method, 'name', { value: name })
}

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
    accounts: expose(accountMethods, (work) => work(accounts.resource), assertOpen) as Localpost['accounts'],
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
  throw new LocalpostError('invalid_option', message)
}

// Checked by its members: a Request may come from another realm, such as that of a test environment.
function assertRequest(request: unknown): void {
  const isRequest =
    typeof request === 'object' && request !== null && 'url' in request && 'headers' in request
  if (isRequest) return
  const message = `fetch() takes a Request, not ${quote(request)}: fetch(new Request(url, init)).`
  throw new LocalpostError('invalid_option', message)
}

/** The resources of an account as the library has them. Its sends are logged, and give warnings. */
function publicResources(account: OpenAccount): AccountResources {
  const { library, log, smtpSessions, sending } = account
  return {
    ...account,
    sending: { ...sending.scheduled, scheduled: sending.scheduled, send: library.sendWhole },
    emails: { ...account.emails, send: library.send },
    broadcasts: { ...account.broadcasts, send: library.broadcast },
    requests: { list: async (query) => log.list(query), clear: async () => log.clear() },
    smtpSessions: {
      list: async (query) => smtpSessions.list(query),
      get: async (id) => smtpSessions.get(id),
      clear: async () => smtpSessions.clear(),
    },
  }
}
