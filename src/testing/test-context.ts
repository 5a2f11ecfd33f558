import { membersOf } from '../core/members.ts'

// What frameworks tell of the test that runs. `context` is what they hand to hooks and tests.

/**
 * What identifies a test: vitest's task, the context of node:test, or the name that Jest gives a concurrent test;
 * undefined if nothing does.
 */
export function keyOf(context: unknown): unknown {
  return isContext(context) ? (taskOf(context) ?? context) : concurrentNameInJest()
}

/** Whether the framework says that a test may run beside others. */
export function isConcurrent(context: unknown): boolean {
  const task = isContext(context) ? taskOf(context) : undefined
  return (
    (task !== undefined && 'concurrent' in task && task.concurrent === true) ||
    concurrentNameInJest() !== undefined
  )
}

/** Whether a framework handed over a context; that of vitest is a function. */
function isContext(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function'
}

function taskOf(context: object): object | undefined {
  const task: unknown = 'task' in context ? context.task : undefined
  return typeof task === 'object' && task !== null ? task : undefined
}

// Jest runs a concurrent test in an AsyncLocalStorage. Depending on its version, the hooks run in it too, or before.
function concurrentNameInJest(): string | undefined {
  const { state } = membersOf(Reflect.get(globalThis, Symbol.for('$$jest-matchers-object')))
  const { currentConcurrentTestName: read } = membersOf(state)
  const name: unknown = typeof read === 'function' ? read() : undefined
  return typeof name === 'string' ? name : undefined
}
