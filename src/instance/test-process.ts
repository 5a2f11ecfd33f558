import { processGlobals } from '../core/natives.ts'

// Once for the process, because a process ends once.
let isDeclared = false

/**
 * Whether this is the process of a test (vitest, Jest or node:test), by what is loaded in it. Environment variables alone
 * do not show it: every program that a test starts has them too, and a server among those must keep running.
 */
export function isTestProcess(): boolean {
  return isDeclared || vitestWorker() !== null || isVitestMain() || isJest() || isJestMain() || isNodeTest()
}

/** Declares that this is the process of a test, whatever the runner. Importing `localpost/testing` calls it. */
export function declareTestProcess(): void {
  isDeclared = true
}

/**
 * Calls a function after the tests of this process, whatever their hooks; it may be called twice.
 *
 * @returns A function that undoes it, as far as the runner allows.
 */
export function atEndOfTests(run: () => void): () => void {
  // Vitest ends its workers without their exit events.
  vitestWorker()?.onCleanup?.(run)
  // Not the copy that Jest gives tests, which gets no event at the end.
  processGlobals.process.on('exit', run)
  return () => void processGlobals.process.off('exit', run)
}

interface VitestWorker {
  onCleanup?(run: () => void): void
}

function vitestWorker(): VitestWorker | null {
  return (globalThis as { __vitest_worker__?: VitestWorker }).__vitest_worker__ ?? null
}

// Where a global set-up runs. The program may be another one of that name, without the variable.
function isVitestMain(): boolean {
  return process.env['VITEST'] !== undefined && /[\\/]vitest(?:\.mjs)?$/.test(process.argv[1] ?? '')
}

// Jest gives tests a copy of the process object.
function isJest(): boolean {
  return process.env['JEST_WORKER_ID'] !== undefined && processGlobals.process !== process
}

// A global set-up of Jest runs in the main process, outside of every test file. Jest sets its variable in its workers only.
function isJestMain(): boolean {
  return /[\\/]jest(?:\.js)?$/.test(process.argv[1] ?? '')
}

// The list of Node's own modules that were loaded; also where a test file is run directly, without `--test`.
function isNodeTest(): boolean {
  const loaded: unknown = Reflect.get(process, 'moduleLoadList')
  return Array.isArray(loaded) && loaded.includes('NativeModule test')
}
