import { framesOfCaller, withFramesOf } from '../core/caller.ts'
import { isErrorOf } from '../core/errors.ts'
import { assertArguments } from '../core/known-options.ts'
import type { AccountNouns, Localpost } from './instance.ts'
import { assertRealTicks } from './test-process.ts'

type Nouns = AccountNouns & Pick<Localpost, 'accounts' | 'clock'>

/**
 * The public methods of each resource, with the number of their arguments. The other members of a resource are only for
 * other parts of the instance.
 */
type Methods = { readonly [Noun in keyof Nouns]: Arguments<Nouns[Noun]> }
type Arguments<Noun> = {
  readonly [Name in keyof Noun as Noun[Name] extends Function ? Name : never]: ArgumentsOf<Noun[Name]>
}
type ArgumentsOf<Method> = Method extends (...given: infer Given) => unknown
  ? Required<Given>['length']
  : never

const methods: Methods = {
  accounts: { create: 1, list: 0, get: 1, update: 2, renewPassword: 1, remove: 1 },
  emails: { send: 2, list: 1, get: 1, addEvent: 2 },
  domains: { create: 1, list: 1, get: 1, update: 2, remove: 1, verify: 2, records: 1, zone: 1 },
  audiences: { create: 1, list: 1, get: 1, update: 2, remove: 1 },
  broadcasts: { send: 1, list: 1, get: 1 },
  templates: { list: 1, get: 1, put: 2, remove: 1, versions: 1, restore: 2 },
  inbox: {
    list: 1,
    get: 1,
    raw: 2,
    html: 2,
    attachment: 3,
    openAttachment: 3,
    part: 3,
    check: 2,
    clientSupport: 2,
    preview: 2,
    compare: 3,
    update: 2,
    remove: 1,
    removeMatching: 2,
    removeAll: 0,
    tags: 0,
    updateTag: 2,
    latest: 1,
    mark: 0,
    updateMatching: 3,
    import: 1,
    export: 1,
    waitFor: 2,
    waitForCount: 3,
    expectNone: 2,
    release: 2,
  },
  rules: { get: 0, set: 1 },
  faults: { get: 0, set: 1, clear: 0 },
  webhooks: { create: 1, list: 0, remove: 1, deliveries: 1, replay: 1 },
  requests: { list: 1, clear: 0 },
  smtpSessions: { list: 1, get: 1, clear: 0 },
  clock: { now: 0, advance: 1 },
}
const contactMethods: Arguments<Localpost['audiences']['contacts']> = {
  add: 2,
  import: 3,
  list: 2,
  get: 2,
  update: 3,
  remove: 2,
}

/**
 * The public methods of the parts of an instance. Everything else, such as the keys for signing mail, is left out.
 *
 * @param assertOpen  Throws if the instance is closed; every method calls it first.
 */
export function publicMembers(deps: Nouns, assertOpen: () => void): Nouns {
  const expose = <Name extends keyof Nouns>(name: Name): Nouns[Name] =>
    exposed(deps[name], { name, takes: methods[name] }, assertOpen)
  const contacts = { name: 'audiences.contacts', takes: contactMethods }
  return {
    accounts: expose('accounts'),
    emails: expose('emails'),
    domains: expose('domains'),
    audiences: { ...expose('audiences'), contacts: exposed(deps.audiences.contacts, contacts, assertOpen) },
    broadcasts: expose('broadcasts'),
    templates: expose('templates'),
    inbox: expose('inbox'),
    rules: expose('rules'),
    faults: expose('faults'),
    webhooks: expose('webhooks'),
    requests: expose('requests'),
    smtpSessions: expose('smtpSessions'),
    clock: { ...expose('clock'), now: exposedNow(deps.clock, assertOpen) },
  }
}

/**
 * The public methods of an account that is opened for each call.
 *
 * @param use  Calls a function with the account. Throws not_found.
 */
export function accountMembers(
  use: (work: (account: AccountNouns) => Promise<unknown>) => Promise<unknown>,
  assertOpen: () => void,
): AccountNouns {
  const expose = <Name extends keyof AccountNouns>(name: Name): AccountNouns[Name] =>
    exposed(
      later(methods[name], use, (account) => account[name]),
      { name, takes: methods[name] },
      assertOpen,
    )
  const contacts = { name: 'audiences.contacts', takes: contactMethods }
  const laterContacts = later(contactMethods, use, ({ audiences }) => audiences.contacts)
  return {
    emails: expose('emails'),
    domains: expose('domains'),
    audiences: { ...expose('audiences'), contacts: exposed(laterContacts, contacts, assertOpen) },
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

/** A resource of an account, whose methods find the account when they are called. */
function later<Noun extends object>(
  names: object,
  use: (work: (account: AccountNouns) => Promise<unknown>) => Promise<unknown>,
  find: (account: AccountNouns) => Noun,
): Noun {
  const call =
    (name: string) =>
    (...given: unknown[]): Promise<unknown> =>
      use(async (account) => {
        const noun = find(account)
        const method: unknown = Reflect.get(noun, name)
        if (typeof method !== 'function') throw new TypeError(`There is no method ${name}.`)
        return method.call(noun, ...given)
      })
  return Object.fromEntries(Object.keys(names).map((name) => [name, call(name)])) as Noun
}

function exposedNow(clock: Nouns['clock'], assertOpen: () => void): () => number {
  return (...given: unknown[]) => {
    assertOpen()
    assertArguments(given, methods.clock.now, 'clock.now()')
    return clock.now()
  }
}

function exposed<Noun extends object>(
  noun: Noun,
  { name: of, takes }: { name: string; takes: Readonly<Record<string, number>> },
  assertOpen: () => void,
): Noun {
  const members = Object.entries(takes).map(([name, most]) => {
    const method: unknown = Reflect.get(noun, name)
    if (typeof method !== 'function') throw new TypeError(`There is no method ${name}.`)
    const call = { name, path: `${of}.${name}()`, most }
    return [name, fromCall(call, (...given) => method.call(noun, ...given), assertOpen)]
  })
  return Object.fromEntries(members) as Noun
}

/** A method, its name in errors, and how many arguments it takes. */
interface Called {
  name: string
  path: string
  most: number
}

/**
 * The same method, but its errors show the line that called it. When a promise rejects later, for example after a
 * timeout, the stack no longer contains the caller.
 */
export function fromCall<Given extends unknown[], T>(
  { name, path, most }: Called,
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
        assertArguments(given, most, path, instead[path])
      } catch (error) {
        throw withFramesOf(error, frames)
      }
      try {
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

/** The method to call instead, if the arguments fit another one. */
const instead: Readonly<Record<string, string | undefined>> = {
  'inbox.removeAll()': 'inbox.removeMatching(query) removes what matches.',
}
