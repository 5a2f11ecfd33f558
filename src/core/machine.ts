/**
 * The machine's timers and time, taken once when this module is loaded. When a test fakes them, its own code
 * gets the fake ones; an instance keeps the real ones, which its sockets and files need. Everything in `src` imports
 * them from here, and the build gives the same ones to the bundled packages.
 */
import { monitorEventLoopDelay, performance as nodePerformance } from 'node:perf_hooks'
import * as timers from 'node:timers'
import { processGlobals } from './natives.ts'

type Timers = Pick<
  typeof globalThis,
  'setTimeout' | 'clearTimeout' | 'setInterval' | 'clearInterval' | 'setImmediate' | 'clearImmediate'
>

interface HostGlobals extends Timers {
  queueMicrotask: typeof globalThis.queueMicrotask
  Date: DateConstructor & { isFake?: boolean }
}

// The timers may be fake already, for example with Jest's `enableGlobally`: `@sinonjs/fake-timers`, which Jest and
// vitest use, keeps the originals in its clock, as `_setTimeout`; those of the module `timers` in a list.
const fakeClock: Readonly<Record<string, unknown>> = { ...Reflect.get(processGlobals.setTimeout, 'clock') }
const fakedOfModule = (fakeClock['timersModuleMethods'] ?? []) as { methodName: string; original: unknown }[]
const globals: HostGlobals = processGlobals

function original<T extends Function>(name: string, present: T): T {
  const kept = fakeClock[`_${name}`]
  return typeof kept === 'function' ? (kept as T) : present
}

/** A timer of Node's module: the global one may be that of a DOM, which gives numbers. */
function timer<Name extends keyof Timers>(name: Name): Timers[Name] {
  const faked = fakedOfModule.find(({ methodName }) => methodName === name)
  return faked ? (faked.original as Timers[Name]) : (timers as Timers)[name]
}

export const setTimeout: HostGlobals['setTimeout'] = timer('setTimeout')
export const clearTimeout: HostGlobals['clearTimeout'] = timer('clearTimeout')
export const setInterval: HostGlobals['setInterval'] = timer('setInterval')
export const clearInterval: HostGlobals['clearInterval'] = timer('clearInterval')
export const setImmediate: HostGlobals['setImmediate'] = timer('setImmediate')
/** @public The build replaces the global one by it. */
export const clearImmediate: HostGlobals['clearImmediate'] = timer('clearImmediate')
export const queueMicrotask: HostGlobals['queueMicrotask'] = original(
  'queueMicrotask',
  globals.queueMicrotask,
)

// Not written as a member of `process`, because the build would replace that by an import of this module.
const { nextTick: presentTick } = processGlobals.process
export const nextTick: NodeJS.Process['nextTick'] = original('nextTick', presentTick).bind(process)

const now = nodePerformance.now
/** `performance.now`: milliseconds since the process began, independent of changes of the machine's time. */
export const monotonicNow: () => number = () => now.call(nodePerformance)

/** Measures how late timers run; no test fakes it. */
export { monitorEventLoopDelay }

/** When the process began: Unix time in milliseconds. */
export const processStart: number = nodePerformance.timeOrigin

const MachineDate = original('Date', globals.Date)
/** `Date.now`: Unix time in milliseconds. */
export const dateNow: () => number =
  globals.Date.isFake && MachineDate === globals.Date
    ? () => Math.floor(nodePerformance.timeOrigin + monotonicNow())
    : MachineDate.now.bind(MachineDate)

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** Like {@link sleep}, without keeping the process alive. */
export function idleSleep(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms).unref())
}

/** Resolves in a later turn of the event loop, after waiting input was served. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
