import type { OpenAccount } from './account.ts'
import type { AccountResources, Localpost } from './instance.ts'
import type { Sends } from './library-sends.ts'
import { fromCall } from './from-call.ts'

type Contacts = Localpost['audiences']['contacts']
/** All methods of a resource: the compiler names one that is missing. */
export type MethodsOf<Resource> = {
  readonly [Name in keyof Resource as Resource[Name] extends Function ? Name : never]: true
}

/** The public methods of each resource of an account. Its other members are only for other parts of the instance. */
const methods: { readonly [Name in keyof AccountResources]: MethodsOf<AccountResources[Name]> } = {
  emails: { send: true, list: true, get: true, addEvent: true },
  suppressions: { list: true, get: true, add: true, remove: true },
  sending: { send: true, cancel: true, reschedule: true, sendNow: true },
  domains: {
    create: true,
    list: true,
    get: true,
    update: true,
    remove: true,
    verify: true,
    records: true,
    zone: true,
  },
  audiences: { create: true, list: true, get: true, update: true, remove: true },
  broadcasts: { send: true, list: true, get: true },
  templates: { list: true, get: true, put: true, remove: true, versions: true, restore: true },
  inbox: {
    list: true,
    get: true,
    raw: true,
    html: true,
    attachment: true,
    openAttachment: true,
    part: true,
    check: true,
    clientSupport: true,
    preview: true,
    compare: true,
    update: true,
    remove: true,
    removeMatching: true,
    removeAll: true,
    tags: true,
    updateTag: true,
    latest: true,
    mark: true,
    updateMatching: true,
    import: true,
    export: true,
    waitFor: true,
    waitForCount: true,
    expectNone: true,
    explainMissing: true,
    reply: true,
    release: true,
  },
  rules: { get: true, set: true },
  faults: { get: true, set: true, clear: true },
  webhooks: { create: true, list: true, remove: true, deliveries: true, clearDeliveries: true, replay: true },
  requests: { list: true, clear: true },
  smtpSessions: { list: true, get: true, clear: true },
}
const contactMethods: MethodsOf<Contacts> = {
  add: true,
  import: true,
  list: true,
  get: true,
  update: true,
  remove: true,
}
const scheduledMethods: MethodsOf<Sends['scheduled']> = { list: true, get: true }

/**
 * The public resources of an account. Everything else, such as the keys for signing mail, is left out.
 *
 * @param use  Calls a function with the account, which is open until the call ends.
 * @param assertOpen  Throws if the instance is closed; every method calls it first.
 */
export function publicMembers(use: Use<AccountResources>, assertOpen: () => void): AccountResources {
  const exposed = (names: object, find: (account: AccountResources) => object): object =>
    expose(Object.keys(names), (work) => use((account) => work(find(account))), assertOpen)
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

/** Calls `work` with a target that exists until the call ends, and returns what it returns. */
type Use<Target> = (work: (target: Target) => unknown) => unknown

/** Makes an object with these methods of a resource, called as methods of it. Their errors show who called them. */
export function expose(names: readonly string[], use: Use<object>, assertOpen: () => void): object {
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
