import { runInThisContext } from 'node:vm'
import { LocalpostError } from '../core/errors.ts'

/**
 * Whether this is the process of a test (vitest, Jest or node:test), by what is loaded in it. Environment variables alone
 * do not show it: every program that a test starts has them too, and a server among those must keep running.
 */
export function isTestProcess(): boolean {
  return told || vitestWorker() !== null || isVitestMain() || isJest() || isJestMain() || isNodeTest()
}

/** Declares that this is the process of a test, whatever the runner. Importing `localpost/testing` calls it. */
export function sayTestProcess(): void {
  told = true
}

/**
 * Refuses a faked `process.nextTick`: Node's sockets and files stop working with it, so every call would time out. Jest
 * fakes only that of its copy of the process, which Node does not use.
 *
 * @throws invalid_option with what to fake instead.
 */
export function assertRealTicks(): void {
  if (!Object.hasOwn(host.nextTick, 'clock')) return
  throw new LocalpostError('invalid_option', tickFault)
}

const tickFault =
  "process.nextTick is fake, and Node's sockets and files do not work without the real one. Leave it out: vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] })."

/**
 * Calls a function after the tests of this process, whatever their hooks; it may be called twice.
 *
 * @returns A function that undoes it, as far as the runner allows.
 */
export function atEndOfTests(run: () => void): () => void {
  // Vitest ends its workers without their exit events.
  vitestWorker()?.onCleanup?.(run)
  const process = hostProcess()
  process.on('exit', run)
  return () => void process.off('exit', run)
}

// Once for the process, because a process ends once.
let told = false

interface VitestWorker {
  onCleanup?(run: () => void): void
}

function vitestWorker(): VitestWorker | null {
  return (globalThis as { __vitest_worker__?: VitestWorker }).__vitest_worker__ ?? null
}

// Where a global set-up runs.
function isVitestMain(): boolean {
  return process.env['VITEST'] !== undefined && /[\\/]vitest(?:\.mjs)?$/.test(process.argv[1] ?? '')
}

// Jest gives tests a copy of the process object, which gets no event at the end.
function isJest(): boolean {
  return process.env['JEST_WORKER_ID'] !== undefined && hostProcess() !== process
}

// A global set-up of Jest runs in the main process, outside of every test file.
function isJestMain(): boolean {
  return /[\\/]jest(?:\.js)?$/.test(process.argv[1] ?? '')
}

function hostProcess(): NodeJS.Process {
  return runInThisContext('process') as NodeJS.Process
}

const host = hostProcess()

// The list of Node's own modules that were loaded; also where a test file is run directly, without `--test`.
function isNodeTest(): boolean {
  const loaded: unknown = Reflect.get(process, 'moduleLoadList')
  return Array.isArray(loaded) && loaded.includes('NativeModule test')
}
