import { isErrorOf, LocalpostError } from '../core/errors.ts'
import type { Localpost } from './instance.ts'

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

/** The methods of each noun, all of them: what else a noun has is for the other parts of an instance. */
type Methods = { readonly [Noun in keyof Nouns]: Readonly<Record<MethodsOf<Nouns[Noun]>, true>> }
type MethodsOf<Noun> = { [Name in keyof Noun]: Noun[Name] extends Function ? Name : never }[keyof Noun]

const methods: Methods = {
  emails: { send: true, list: true, get: true, addEvent: true },
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
  broadcasts: { send: true },
  templates: { list: true, get: true, put: true, remove: true },
  inbox: {
    list: true,
    get: true,
    raw: true,
    html: true,
    attachment: true,
    openAttachment: true,
    part: true,
    check: true,
    update: true,
    remove: true,
    removeMatching: true,
    removeAll: true,
    latest: true,
    mark: true,
    updateMatching: true,
    import: true,
    export: true,
    waitFor: true,
    waitForCount: true,
    expectNone: true,
    release: true,
  },
  rules: { get: true, set: true },
  faults: { get: true, set: true, clear: true },
  webhooks: { create: true, list: true, remove: true, deliveries: true, replay: true },
  requests: { list: true, clear: true },
  clock: { now: true, advance: true },
}
const contactMethods: Readonly<Record<keyof Localpost['audiences']['contacts'], true>> = {
  add: true,
  import: true,
  list: true,
  get: true,
  update: true,
  remove: true,
}

/**
 * What the user of an instance gets of its parts: their public methods and nothing else, such as the keys that mail is
 * signed with.
 *
 * @param assertOpen  Throws where the instance is closed; every method asks it first.
 */
export function publicMembers(deps: Nouns, assertOpen: () => void): Nouns {
  const expose = <Noun extends object>(noun: Noun, names: object): Noun => exposed(noun, names, assertOpen)
  return {
    emails: expose(deps.emails, methods.emails),
    domains: expose(deps.domains, methods.domains),
    audiences: {
      ...expose(deps.audiences, methods.audiences),
      contacts: expose(deps.audiences.contacts, contactMethods),
    },
    broadcasts: expose(deps.broadcasts, methods.broadcasts),
    templates: expose(deps.templates, methods.templates),
    inbox: expose(deps.inbox, methods.inbox),
    rules: expose(deps.rules, methods.rules),
    faults: expose(deps.faults, methods.faults),
    webhooks: expose(deps.webhooks, methods.webhooks),
    requests: expose(deps.requests, methods.requests),
    clock: { ...expose(deps.clock, { advance: true }), now: exposedNow(deps.clock, assertOpen) },
  }
}

function exposedNow(clock: Nouns['clock'], assertOpen: () => void): () => number {
  return () => {
    assertOpen()
    return clock.now()
  }
}

function exposed<Noun extends object>(noun: Noun, names: object, assertOpen: () => void): Noun {
  const members = Object.keys(names).map((name) => {
    const method: unknown = Reflect.get(noun, name)
    if (typeof method !== 'function') throw new TypeError(`There is no method ${name}.`)
    return [name, fromCall(name, (...given) => method.call(noun, ...given), assertOpen)]
  })
  return Object.fromEntries(members) as Noun
}

/**
 * The same method, whose error shows the line that called it: by the time of a refusal, such as that of a wait that is
 * over, the stack has nothing of the caller any more.
 */
export function fromCall<Given extends unknown[], T>(
  name: string,
  run: (...given: Given) => T | Promise<T>,
  assertOpen: () => void,
): (...given: Given) => Promise<T> {
  const method = (...given: Given): Promise<T> => {
    const call: { stack?: string } = {}
    Error.captureStackTrace(call, method)
    let answered: Promise<T> | undefined
    const answer = async (): Promise<T> => {
      try {
        assertOpen()
      } catch (error) {
        throw withStackOf(error, call.stack)
      }
      try {
        return await run(...given)
      } catch (error) {
        // The end of the instance ends what its caller has not come to await: that is no unhandled rejection.
        if (isErrorOf(error, 'closed')) answered?.catch(() => {})
        throw withStackOf(error, call.stack)
      }
    }
    answered = answer()
    return answered
  }
  return Object.defineProperty(method, 'name', { value: name })
}

// Only of errors that are thrown on purpose: of others the place inside is what matters.
function withStackOf(error: unknown, stack: string | undefined): unknown {
  if (!(error instanceof LocalpostError) || stack === undefined) return error
  const frames = stack.slice(stack.indexOf('\n') + 1)
  error.stack = `${error.name}: ${error.message}\n${frames}`
  return error
}
