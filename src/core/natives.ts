/**
 * Node's own versions of the globals that a DOM environment of a test runner lacks or replaces, taken once when this
 * module is loaded. The build puts them in place of the globals in all sources and bundled packages (`scripts/bundle.mjs`).
 *
 * Jest, and vitest's pools of VMs, run a test in a context of its own: its globals are the DOM's, and those of the process
 * are still Node's. In vitest's other pools the DOM replaces globals of the process itself, so they are taken from modules
 * of Node. Those of `core/web-natives.ts`, which no module has, may be the DOM's there.
 */
import { transferableAbortController } from 'node:util'
import { runInThisContext } from 'node:vm'

/** The globals of the process, also in a context that a test runner made. */
export const processGlobals: typeof globalThis = runInThisContext('globalThis') as typeof globalThis

/** The globals that Node loads when they are first named: `web-natives.ts`, which names them, is loaded later than this. */
const webNames = ['FormData', 'Headers', 'Request', 'Response', 'fetch'] as const
/** How the process had them at first: later, a test may have replaced them. Node's own getters load them when called. */
const firstOnes = new Map(
  webNames.map((name) => [name, Object.getOwnPropertyDescriptor(processGlobals, name)]),
)

/** One of these globals, as it was then. */
export function webNative<N extends (typeof webNames)[number]>(name: N): (typeof globalThis)[N] {
  const { get, value } = firstOnes.get(name) ?? {}
  if (!get) return value
  // Calling Node's getter defines the global anew. So what a test has put there is put back afterwards; and where a test
  // deleted it, it is deleted again.
  const present = Object.getOwnPropertyDescriptor(processGlobals, name)
  if (!present) Object.defineProperty(processGlobals, name, { configurable: true, value: undefined })
  const own = get.call(processGlobals)
  if (!present) Reflect.deleteProperty(processGlobals, name)
  else if (present.get !== get) Object.defineProperty(processGlobals, name, present)
  return own
}

export { Blob, File, atob, btoa } from 'node:buffer'
export { webcrypto as crypto } from 'node:crypto'
export { performance } from 'node:perf_hooks'
export {
  CompressionStream,
  DecompressionStream,
  ReadableStream,
  TextDecoderStream,
  TextEncoderStream,
  TransformStream,
  WritableStream,
} from 'node:stream/web'
export { URL, URLSearchParams } from 'node:url'
export { TextDecoder, TextEncoder } from 'node:util'
export { BroadcastChannel, MessageChannel, MessagePort } from 'node:worker_threads'

export const structuredClone: typeof globalThis.structuredClone = processGlobals.structuredClone

// One by one, because the build reads the names of the exports from their lines.
const abortClasses = readAbortClasses()
export const AbortController = abortClasses.controller as typeof globalThis.AbortController
export const AbortSignal = abortClasses.signal as typeof globalThis.AbortSignal
export const EventTarget = Object.getPrototypeOf(AbortSignal) as typeof globalThis.EventTarget
export const Event = abortClasses.event as typeof globalThis.Event
export const DOMException = abortClasses.reason as typeof globalThis.DOMException

/** The classes that no module exports: those of a controller that `node:util` makes, and of what its abort makes. */
function readAbortClasses(): Record<'controller' | 'signal' | 'event' | 'reason', unknown> {
  const controller = transferableAbortController()
  const { signal } = controller
  let event: object = controller
  signal.addEventListener('abort', (aborted) => (event = aborted))
  controller.abort()
  return {
    controller: controller.constructor,
    signal: signal.constructor,
    event: event.constructor,
    reason: (signal.reason as object).constructor,
  }
}

type Class = abstract new (...given: never[]) => unknown

/**
 * Classes for `instanceof` that know the values of both realms: the build writes `instanceof eitherRealm.Error` for
 * `instanceof Error`. In a context that a test runner made, an error, a promise or an array of bytes is of the context if the
 * sources made it, and of the process if Node did.
 */
export const eitherRealm: Readonly<Record<string, { [Symbol.hasInstance](value: unknown): boolean }>> =
  Object.fromEntries(
    // By these names, because the `name` of a fake Date is another one.
    Object.entries<Class>({
      ArrayBuffer,
      DataView,
      Date,
      Error,
      Float64Array,
      Map,
      Promise,
      RangeError,
      RegExp,
      Set,
      SyntaxError,
      TypeError,
      Uint8Array,
    }).map(([name, own]) => {
      const theirs = Reflect.get(processGlobals, name) as Class
      if (theirs === own) return [name, own]
      const isEither = (value: unknown): boolean => value instanceof own || value instanceof theirs
      return [name, { [Symbol.hasInstance]: isEither }]
    }),
  )
