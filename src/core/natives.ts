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
export const host: typeof globalThis = runInThisContext('globalThis') as typeof globalThis

/** How the process had these globals at first: a test may replace them. Node's own getters load them when called. */
const webNames = ['FormData', 'Headers', 'Request', 'Response', 'fetch'] as const
const firstOnes = new Map(webNames.map((name) => [name, Object.getOwnPropertyDescriptor(host, name)]))

/** One of these globals, as it was then. */
export function webNative<N extends (typeof webNames)[number]>(name: N): (typeof globalThis)[N] {
  const { get, value } = firstOnes.get(name) ?? {}
  if (!get) return value
  // Calling Node's getter defines the global anew. So what a test has put there is put back afterwards; and where a test
  // deleted it, it is deleted again.
  const present = Object.getOwnPropertyDescriptor(host, name)
  if (!present) Object.defineProperty(host, name, { configurable: true, value: undefined })
  const own = get.call(host)
  if (!present) Reflect.deleteProperty(host, name)
  else if (present.get !== get) Object.defineProperty(host, name, present)
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

export const structuredClone: typeof globalThis.structuredClone = host.structuredClone

// No module exports these classes, but `node:util` makes a controller, and the rest follows from it.
const controller = transferableAbortController()
let abortEvent: object = controller
controller.signal.addEventListener('abort', (event) => (abortEvent = event))
controller.abort()
const classOf = (value: object): unknown => value.constructor
export const AbortController = classOf(controller) as typeof globalThis.AbortController
export const AbortSignal = classOf(controller.signal) as typeof globalThis.AbortSignal
export const EventTarget = Object.getPrototypeOf(AbortSignal) as typeof globalThis.EventTarget
export const Event = classOf(abortEvent) as typeof globalThis.Event
export const DOMException = classOf(controller.signal.reason as object) as typeof globalThis.DOMException

type Class = abstract new (...given: never[]) => unknown

/**
 * For `instanceof`, which the build lets look here: an error, a promise or an array of bytes may be of the context, as all
 * values that the sources make, or of the process, as those of Node.
 */
export const eitherRealm: Readonly<Record<string, { [Symbol.hasInstance](value: unknown): boolean }>> =
  Object.fromEntries(
    // By these names: a fake Date has another one.
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
      const theirs = Reflect.get(host, name) as Class
      if (theirs === own) return [name, own]
      const isEither = (value: unknown): boolean => value instanceof own || value instanceof theirs
      return [name, { [Symbol.hasInstance]: isEither }]
    }),
  )
