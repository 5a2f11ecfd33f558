import { framesOfCaller, withFramesOf } from '../core/caller.ts'
import { isErrorOf } from '../core/errors.ts'
import { assertArguments } from '../core/known-options.ts'
import type { Localpost } from './instance.ts'
import { assertRealTicks } from './test-process.ts'

type Nouns = Pick<
  Localpost,
  | 'emails'
  | 'domains'
  | 'audiences'
  | 'broadcasts'
  | 'templates'
  | 'inbox'
  | 'rules'
  | 'faults'
  | 'webhooks'
  | 'requests'
  | 'clock'
>

/**
 * The public methods of each noun, with the number of arguments that each takes. Other members of a noun are for other
 * parts of the instance only.
 */
type Methods = { readonly [Noun in keyof Nouns]: Arguments<Nouns[Noun]> }
type Arguments<Noun> = {
  readonly [Name in keyof Noun as Noun[Name] extends Function ? Name : never]: ArgumentsOf<Noun[Name]>
}
type ArgumentsOf<Method> = Method extends (...given: infer Given) => unknown
  ? Required<Given>['length']
  : never

const methods: Methods = {
  emails: { send: 2, list: 1, get: 1, addEvent: 2 },
  domains: { create: 1, list: 1, get: 1, update: 2, remove: 1, verify: 2, records: 1, zone: 1 },
  audiences: { create: 1, list: 1, get: 1, update: 2, remove: 1 },
  broadcasts: { send: 1 },
  templates: { list: 1, get: 1, put: 2, remove: 1 },
  inbox: {
    list: 1,
    get: 1,
    raw: 2,
    html: 2,
    attachment: 2,
    openAttachment: 2,
    part: 2,
    check: 2,
    clientSupport: 2,
    compare: 3,
    update: 2,
    remove: 1,
    removeMatching: 2,
    removeAll: 0,
    tags: 0,
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
 * What the user of an instance gets of its parts: their public methods and nothing else, such as the keys that mail is
 * signed with.
 *
 * @param assertOpen  Throws where the instance is closed; every method asks it first.
 */
export function publicMembers(deps: Nouns, assertOpen: () => void): Nouns {
  const expose = <Name extends keyof Nouns>(name: Name): Nouns[Name] =>
    exposed(deps[name], { name, takes: methods[name] }, assertOpen)
  const contacts = { name: 'audiences.contacts', takes: contactMethods }
  return {
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
    clock: { ...expose('clock'), now: exposedNow(deps.clock, assertOpen) },
  }
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
 * The same method, whose error shows the line that called it: by the time of a refusal, such as that of a wait that is
 * over, the stack has nothing of the caller any more.
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
        // The end of the instance ends what its caller has not come to await: that is no unhandled rejection.
        if (isErrorOf(error, 'closed')) answered?.catch(() => {})
        throw withFramesOf(error, frames)
      }
    }
    answered = answer()
    return answered
  }
  return Object.defineProperty(method, 'name', { value: name })
}

/** Which method to call instead, where arguments fit another one. */
const instead: Readonly<Record<string, string | undefined>> = {
  'inbox.removeAll()': 'inbox.removeMatching(query) removes what matches.',
}
