import { framesOfCaller, withFramesOf } from '../core/caller.ts'
import { isErrorOf, LocalpostError, quote } from '../core/errors.ts'
import { keepAlive } from '../core/keep-alive.ts'
import { assertKnownOptions, assertPort } from '../core/known-options.ts'
import type { ResetScope } from '../options/reset-scopes.ts'
import type { ListenOptions } from '../server/listener.ts'
import type { OpenAccount } from './account.ts'
import type { RunningAccounts } from './accounts.ts'
import type { InstanceHttp } from './http.ts'
import type { AccountResources, Localpost } from './instance.ts'
import type { Snapshot, Snapshots } from './snapshots.ts'
import { assertRealTicks } from './test-process.ts'
import type { RunningTime } from './time.ts'

type Resources = AccountResources & Pick<Localpost, 'accounts' | 'clock'>
type Contacts = Localpost['audiences']['contacts']
type MethodOf<Resource> = {
  [Name in keyof Resource]: Resource[Name] extends Function ? Name : never
}[keyof Resource]

/** The public methods of each resource. Its other members are only for other parts of the instance. */
const methods: { readonly [Name in keyof Resources]: readonly MethodOf<Resources[Name]>[] } = {
  accounts: ['create', 'list', 'get', 'update', 'renewPassword', 'remove'],
  emails: ['send', 'list', 'get', 'addEvent'],
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
    'release',
  ],
  rules: ['get', 'set'],
  faults: ['get', 'set', 'clear'],
  webhooks: ['create', 'list', 'remove', 'deliveries', 'replay'],
  requests: ['list', 'clear'],
  smtpSessions: ['list', 'get', 'clear'],
  clock: ['now', 'advance'],
}
const contactMethods: readonly MethodOf<Contacts>[] = ['add', 'import', 'list', 'get', 'update', 'remove']

/**
 * The public methods of the parts of an instance. Everything else, such as the keys for signing mail, is left out.
 *
 * @param assertOpen  Throws if the instance is closed; every method calls it first.
 */
function publicMembers(parts: Resources, assertOpen: () => void): Resources {
  const expose = <Name extends keyof Resources>(name: Name): Resources[Name] =>
    exposed(parts[name], methods[name], assertOpen)
  return {
    ...accountParts(expose, exposed(parts.audiences.contacts, contactMethods, assertOpen)),
    accounts: expose('accounts'),
    clock: {
      ...expose('clock'),
      now() {
        assertOpen()
        return parts.clock.now()
      },
    },
  }
}

/**
 * The public methods of an account that is opened for each call.
 *
 * @param use  Calls a function with the account. Throws not_found.
 */
function accountMembers(use: UseAccount, assertOpen: () => void): AccountResources {
  const expose = <Name extends keyof AccountResources>(name: Name): AccountResources[Name] =>
    exposed(
      later(methods[name], use, (account) => account[name]),
      methods[name],
      assertOpen,
    )
  const contacts = later(contactMethods, use, ({ audiences }) => audiences.contacts)
  return accountParts(expose, exposed(contacts, contactMethods, assertOpen))
}

function accountParts(
  expose: <Name extends keyof AccountResources>(name: Name) => AccountResources[Name],
  contacts: Contacts,
): AccountResources {
  return {
    emails: expose('emails'),
    domains: expose('domains'),
    audiences: { ...expose('audiences'), contacts },
    broadcasts: expose('broadcasts'),
    templates: expose('templates'),
    inbox: expose('inbox'),
    rules: expose('rules'),
    faults: expose('faults'),
    webhooks: expose('webhooks'),
    requests: expose('requests'),
    smtpSessions: expose('smtpSessions'),
  }
}

/** Calls a function with an account, which is open until the call ends. */
type UseAccount = (work: (account: AccountResources) => Promise<unknown>) => Promise<unknown>

/** A resource of an account, whose methods find the account when they are called. */
function later<Resource extends object>(
  names: readonly string[],
  use: UseAccount,
  find: (account: AccountResources) => Resource,
): Resource {
  const call =
    (name: string) =>
    (...given: unknown[]): Promise<unknown> =>
      use(async (account) => methodOf(find(account), name)(...given))
  return Object.fromEntries(names.map((name) => [name, call(name)])) as Resource
}

function exposed<Resource extends object>(
  resource: Resource,
  names: readonly string[],
  assertOpen: () => void,
): Resource {
  const members = names.map((name) => [name, fromCall(name, methodOf(resource, name), assertOpen)])
  return Object.fromEntries(members) as Resource
}

function methodOf(resource: object, name: string): (...given: unknown[]) => unknown {
  const method: unknown = Reflect.get(resource, name)
  if (typeof method !== 'function') throw new TypeError(`There is no method ${name}.`)
  return (...given) => method.call(resource, ...given)
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
export interface InstanceParts extends Omit<Resources, 'accounts' | 'clock'> {
  accounts: RunningAccounts
  apiKey: string
  smtp: Localpost['smtp']
  smtps: Localpost['smtps']
  http: InstanceHttp
  snapshots: Snapshots
  time: RunningTime
  waitTimeoutMs: number
  /** Begins to deliver, if that waited for the listener; harmless afterwards. */
  deliver(): void
  reset(keep: readonly ResetScope[]): Promise<void>
  close(): Promise<void>
}

/** The instance that the library returns: only what {@link Localpost} has. */
export function publicInstance(parts: InstanceParts): Localpost {
  const { accounts, http, snapshots, time } = parts
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
  const close = (): Promise<void> => (closing ??= keepAlive(() => parts.close()))
  return {
    ...publicMembers({ ...parts, accounts: accounts.resource, clock: time.clock }, assertOpen),
    account: function account(name) {
      try {
        assertOpen()
        assertAccountName(name)
      } catch (error) {
        throw withFramesOf(error, framesOfCaller(account))
      }
      return accountMembers(
        (work) => accounts.use(name, async (found) => work(publicResources(found))),
        assertOpen,
      )
    },
    apiKey: parts.apiKey,
    waitTimeoutMs: parts.waitTimeoutMs,
    smtp: parts.smtp,
    smtps: parts.smtps,
    get url() {
      return http.url
    },
    fetch,
    listen: called('listen', async (options: ListenOptions = {}) => {
      assertKnownOptions(options, ['port', 'host', 'listener'], 'listen()')
      assertPort('port', options.port)
      const bound = await http.listen(options)
      parts.deliver()
      return bound
    }),
    reset: called('reset', async (options: { keep?: ResetScope[] } = {}) => {
      assertKnownOptions(options, ['keep'], 'reset()')
      await parts.reset(options.keep ?? [])
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

/** The public resources of an account. Sends of the library are logged, and give warnings. */
export function publicResources<Given extends OpenAccount>(
  account: Given,
): Omit<Given, 'emails' | 'broadcasts' | 'smtpSessions'> & AccountResources {
  const { library, log, smtpSessions } = account
  return {
    ...account,
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
