import { LocalpostError } from './errors.ts'

/**
 * The frames of whoever calls a function, for an error that is thrown after a wait: by then its own stack has nothing of
 * the caller any more.
 */
export function framesOfCaller(callee: Function): string {
  const call: { stack?: string } = {}
  Error.captureStackTrace(call, callee)
  const { stack = '' } = call
  return stack.slice(stack.indexOf('\n') + 1)
}

/** The same error with these frames; only where it is thrown on purpose: of others the place inside is what matters. */
export function withFramesOf(error: unknown, frames: string): unknown {
  if (error instanceof LocalpostError) error.stack = `${error.name}: ${error.message}\n${frames}`
  return error
}
