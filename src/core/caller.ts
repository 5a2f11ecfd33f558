import { LocalpostError } from './errors.ts'

/** The stack frames of a function's caller, for an error that is thrown after a wait: its own stack lacks them. */
export function framesOfCaller(callee: Function): string {
  const call: { stack?: string } = {}
  Error.captureStackTrace(call, callee)
  const { stack = '' } = call
  return stack.slice(stack.indexOf('\n') + 1)
}

/** Gives an error these frames if it was thrown on purpose. Other errors keep their own, which show the fault. */
export function withFramesOf(error: unknown, frames: string): unknown {
  const isDeliberate = error instanceof LocalpostError || error instanceof UsageError
  if (isDeliberate && frames !== '') error.stack = `${error.name}: ${error.message}\n${frames}`
  return error
}

/** A wrong argument of a check in a test: thrown by `expectMail` and others. */
export class UsageError extends TypeError {}
