import type { OpenAccount } from './account.ts'
import type { AccountResources, Localpost } from './instance.ts'
import type { Sends } from './library-sends.ts'
import { fromCall } from './from-call.ts'

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

/**
 * The public resources of an account. Everything else, such as the keys for signing mail, is left out.
 *
 * @param use  Calls a function with the account, which is open until the call ends.
 * @param assertOpen  Throws if the instance is closed; every method calls it first.
 */
export function publicMembers(
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

export function expose(
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

/** The resources of an account as the library has them. Its sends are logged, and give warnings. */
export function publicResources(account: OpenAccount): AccountResources {
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

export const accountMethods: readonly MethodOf<Localpost['accounts']>[] = [
  'create',
  'list',
  'get',
  'update',
  'renewPassword',
  'remove',
]
