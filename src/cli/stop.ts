import type { Output } from './output.ts'
import { describeError } from './error-text.ts'
import { monotonicNow, setTimeout } from '../core/machine.ts'

/**
 * Makes the first SIGINT or SIGTERM close cleanly (exit code 0), a second one end the process at once
 * (130 or 143), and an uncaught error close and exit with 1.
 *
 * @param given.close  Closes the instance, even if it is still starting.
 * @param given.farewell  Returns the message to print after the instance was closed.
 */
export function stopOnSignals({
  close,
  output,
  farewell,
}: {
  close: () => Promise<void>
  output: Output
  farewell: () => string
}): void {
  let stoppingSince: number | undefined
  for (const [signal, number] of signals) {
    process.on(signal, () => {
      if (stoppingSince !== undefined) {
        if (monotonicNow() - stoppingSince >= echoMs()) process.exit(128 + number)
        return
      }
      stoppingSince = monotonicNow()
      output.log(`Stopping (${signal}). A second signal stops it immediately.`, { what: 'stopping', signal })
      void closeAndLeave(close, output, farewell)
    })
  }
  process.once('uncaughtException', (error) => {
    process.exitCode = 1
    output.error(describeError(error))
    // A second error must not end the process before acknowledged work is finished.
    process.on('uncaughtException', (next) => output.error(describeError(next)))
    setTimeout(() => process.exit(), closeMs).unref()
    void closeAndLeave(close, output)
  })
}

/**
 * Calls a function at the first Ctrl+C or SIGTERM, so that a command can end cleanly. A second signal of the same kind ends
 * the process.
 *
 * @returns A function that undoes it.
 */
export function onInterrupt(run: () => void): () => void {
  process.once('SIGINT', run).once('SIGTERM', run)
  return () => void process.off('SIGINT', run).off('SIGTERM', run)
}

/** Ends the process when its output is written, and at the latest after a second. */
export function leave(code: number): void {
  // An earlier failure decides, even if the close succeeds.
  process.exitCode = process.exitCode || code
  setTimeout(() => process.exit(), 1000).unref()
}

async function closeAndLeave(
  close: () => Promise<void>,
  output: Output,
  farewell?: () => string,
): Promise<void> {
  const began = monotonicNow()
  try {
    await close()
    if (farewell) output.log(farewell(), { what: 'stopped', duration_ms: monotonicNow() - began })
    leave(0)
  } catch (error) {
    output.error(describeError(error))
    leave(1)
  }
}

const signals = [
  ['SIGINT', 2],
  ['SIGTERM', 15],
] as const

// How long a close after an unexpected error may take.
const closeMs = 5000

// The terminal sends Ctrl-C to npm and to this process, and npm passes it on: one key press gives two signals.
const echoMs = (): number => (process.env['npm_lifecycle_event'] ? 300 : 0)
