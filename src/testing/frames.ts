import { fileURLToPath } from 'node:url'
import { framesOfCaller, withFramesOf } from '../core/caller.ts'
import { isErrorOf, LocalpostError } from '../core/errors.ts'

/**
 * The stack of a call, beginning with the line of the test: without the frames of this package, the framework and Node
 * above it.
 *
 * @param callee  The function that the test calls.
 * @returns The frames without the message of the error; all frames if none belongs to a test.
 */
export function framesOfTest(callee: Function): string {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = mostFrames
  const frames = framesOfCaller(callee).split('\n')
  Error.stackTraceLimit = stackTraceLimit
  const first = frames.findIndex((frame) => !isForeign(frame))
  return frames.slice(Math.max(first, 0)).join('\n')
}

/** Frameworks call a matcher through up to twenty frames of their own, which count. */
const mostFrames = 30

// A path with a space may be URL-encoded in a stack.
const folder = new URL('..', import.meta.url)
const foreign = [
  'node:',
  '/node_modules/',
  '\\node_modules\\',
  '(native)',
  fileURLToPath(folder),
  folder.href,
]

function isForeign(frame: string): boolean {
  return foreign.some((part) => frame.includes(part)) || !/:\d+:\d+\)?$/.test(frame)
}

/**
 * Runs a check of a test. An error that is thrown on purpose shows the line of the test first.
 *
 * @param callee  The function that the test calls.
 * @param run  Gets the frames of the test.
 */
export async function withFrames<T>(callee: Function, run: (frames: string) => T | Promise<T>): Promise<T> {
  const frames = framesOfTest(callee)
  try {
    return await run(frames)
  } catch (error) {
    throw withFramesOf(isErrorOf(error, 'closed') ? notAwaited(error) : error, frames)
  }
}

// The usual reason why a check meets a closed instance: the test did not wait for it, and ended.
function notAwaited({ message }: LocalpostError): LocalpostError {
  return new LocalpostError(
    'closed',
    `${message} If this check began before that, its \`await\` is missing: await expect(localpost).toHaveSent(…).`,
  )
}

/** {@link withFrames} for a check that does not wait. */
export function withFramesNow<T>(callee: Function, run: (frames: string) => T): T {
  const frames = framesOfTest(callee)
  try {
    return run(frames)
  } catch (error) {
    throw withFramesOf(error, frames)
  }
}
