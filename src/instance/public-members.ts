import type { OpenAccount } from './account.ts'
import type { AccountResources, Localpost } from './instance.ts'
import type { Sends } from './library-sends.ts'
import { fromCall } from './from-call.ts'

type Contacts = Localpost['audiences']['contacts']
/** A member for each method of a resource: the compiler names one that is missing. */
export type MethodsOf<Resource> = {
  readonly [Name in keyof Resource as Resource[Name] extends Function ? Name : never]: 1
}

/** The public methods of each resource of an account. Its other members are only for other parts of the instance. */
const methods: { readonly [Name in keyof AccountResources]: MethodsOf<AccountResources[Name]> } = {
  emails: { send: 1, list: 1, get: 1, addEvent: 1 },
  suppressions: { list: 1, get: 1, add: 1, remove: 1 },
  sending: { send: 1, cancel: 1, reschedule: 1, sendNow: 1 },
  domains: { create: 1, list: 1, get: 1, update: 1, remove: 1, verify: 1, records: 1, zone: 1 },
  audiences: { create: 1, list: 1, get: 1, update: 1, remove: 1 },
  broadcasts: { send: 1, list: 1, get: 1 },
  templates: { list: 1, get: 1, put: 1, remove: 1, versions: 1, restore: 1 },
  inbox: {
    list: 1,
    get: 1,
    raw: 1,
    html: 1,
    attachment: 1,
    openAttachment: 1,
    part: 1,
    check: 1,
    clientSupport: 1,
    preview: 1,
    compare: 1,
    update: 1,
    remove: 1,
    removeMatching: 1,
    removeAll: 1,
    tags: 1,
    updateTag: 1,
    latest: 1,
    mark: 1,
    updateMatching: 1,
    import: 1,
    export: 1,
    waitFor: 1,
    waitForCount: 1,
    expectNone: 1,
    explainMissing: 1,
    reply: 1,
    release: 1,
  },
  rules: { get: 1, set: 1 },
  faults: { get: 1, set: 1, clear: 1 },
  webhooks: { create: 1, list: 1, remove: 1, deliveries: 1, clearDeliveries: 1, replay: 1 },
  requests: { list: 1, clear: 1 },
  smtpSessions: { list: 1, get: 1, clear: 1 },
}
const contactMethods: MethodsOf<Contacts> = { add: 1, import: 1, list: 1, get: 1, update: 1, remove: 1 }
const scheduledMethods: MethodsOf<Sends['scheduled']> = { list: 1, get: 1 }

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
