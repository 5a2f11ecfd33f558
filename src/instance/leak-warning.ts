import { writeSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { atEndOfTests } from './test-process.ts'

/**
 * Notes that an instance of a test is open. Instances that are still open after the tests are reported on stderr.
 *
 * @param place  Where it was started, from {@link callSiteOf}.
 * @returns A function to call when the instance is closed.
 */
export function noteOpened(place: string): () => void {
  const opened = { place }
  if (open.size === 0) forgetEnd = atEndOfTests(warnOfUnclosed)
  open.add(opened)
  return () => {
    if (open.delete(opened) && open.size === 0) forgetEnd()
  }
}

/**
 * Where a function was called: `/app/file.js:3:9`. Calls within this package and within Node are skipped: its user did not
 * write them.
 */
export function callSiteOf(callee: Function): string {
  const trace: { stack?: string } = {}
  Error.captureStackTrace(trace, callee)
  // The first line is the message of the error.
  const line = trace.stack
    ?.split('\n')
    .slice(1)
    .find((call) => !own.some((part) => call.includes(part)))
  // `at name (place)`, `at place` or `at async place`.
  const call = line?.trim().replace(/^at (?:async )?/, '') ?? 'a place that is not known'
  const named = call.indexOf(' (')
  return call.endsWith(')') && named !== -1 ? call.slice(named + 2, -1) : call
}

// A stack shows paths either as they are or URL-encoded.
const folder = new URL('..', import.meta.url)
const own = ['node:', fileURLToPath(folder), folder.href]

// One list for the process, because the warning comes once, at its end.
const open = new Set<{ place: string }>()
let forgetEnd = (): void => {}

function warnOfUnclosed(): void {
  const lines = [...open].map(
    ({ place }) =>
      `localpost: an instance was not closed. It was started at ${place}; call its close() at the end of the test.\n`,
  )
  open.clear()
  if (lines.length === 0) return
  try {
    // Synchronous, because a thread that is ended loses the output that its stream has not written yet.
    writeSync(2, lines.join(''))
  } catch {
    // stderr is closed.
  }
}
