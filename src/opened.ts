import { sep } from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * Notes that an instance is open.
 *
 * @param place  Where it was started, of {@link placeOf}.
 * @returns Says that it is closed.
 */
export function noteOpened(place: string): () => void {
  const opened = { place }
  open.add(opened)
  return () => void open.delete(opened)
}

/** The places where instances were started that are open still; they are not told of again. */
export function takeOpened(): string[] {
  const places = [...open].map(({ place }) => place)
  open.clear()
  return places
}

/**
 * Where a function was called, as a line of a stack names it: `at file.js:3:9`. What belongs to the package or to Node
 * says nothing to its user.
 */
export function placeOf(callee: Function): string {
  const trace: { stack?: string } = {}
  Error.captureStackTrace(trace, callee)
  // The first line is the error's own.
  const line = trace.stack
    ?.split('\n')
    .slice(1)
    .find((line) => !own.some((part) => line.includes(part)))
  return line?.trim() ?? 'at a place that is not known'
}

/** From now on an instance keeps the process alive only where it is told to: the process is that of a test. */
export function keepNoProcessAlive(): void {
  ofProcess.keptAlive = false
}

/** Whether an instance keeps the process alive by itself. */
export const keepsProcessAlive = (): boolean => ofProcess.keptAlive

// A path with a space stands in a stack as it is, or as the URL has it.
const own = ['node:', import.meta.dirname + sep, `${pathToFileURL(import.meta.dirname).href}/`]

// Of the process, as its end is; nothing but a warning and what is still held at that end depends on it.
const open = new Set<{ place: string }>()
const ofProcess = { keptAlive: true }
