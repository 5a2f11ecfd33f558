import { LocalpostError } from './errors.ts'

/**
 * The stack frames of the caller of a function, for an error that is thrown after a wait: its own stack no longer
 * contains the caller.
 */
export function framesOfCaller(callee: Function): string {
  const call: { stack?: string } = {}
  Error.captureStackTrace(call, callee)
  const { stack = '' } = call
  return stack.slice(stack.indexOf('\n') + 1)
}

/** Gives an error these frames if it was thrown on purpose. Other errors keep their own, which show the fault. */
export function withFramesOf(error: unknown, frames: string): unknown {
  if (error instanceof LocalpostError) error.stack = `${error.name}: ${error.message}\n${frames}`
  return error
}
