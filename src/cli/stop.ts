import type { Output } from './output.ts'
import { describeError } from './report.ts'
import { dateNow, setTimeout } from '../core/machine.ts'

/** What a stop needs. */
export interface Stoppable {
  /** Closes what runs, or what is about to. */
  close: () => Promise<void>
  output: Output
}

/**
 * Makes the first SIGINT or SIGTERM close cleanly (exit code 0), a second one end the process at once
 * (130 or 143), and an error that nobody caught close and exit with 1.
 */
export function stopOnSignals({ close, output }: Stoppable): void {
  let since: number | undefined
  for (const [signal, number] of signals) {
    process.on(signal, () => {
      if (since !== undefined) {
        if (dateNow() - since >= echoMs()) process.exit(128 + number)
        return
      }
      since = dateNow()
      output.log(`Stopping (${signal}). A second signal ends it at once.`)
      void closeAndLeave(close, output, 'Stopped. All that was acknowledged is kept.')
    })
  }
  process.once('uncaughtException', (error) => {
    process.exitCode = 1
    output.error(describeError(error))
    // A further one must not end the process before what is acknowledged is finished.
    process.on('uncaughtException', (next) => output.error(describeError(next)))
    setTimeout(() => process.exit(), closeMs).unref()
    void closeAndLeave(close, output)
  })
}

/** Ends the process when its output is written; within a second even if something is left open. */
export function leave(code: number): void {
  // A failure that was noted already outlasts a later clean close.
  process.exitCode = process.exitCode || code
  setTimeout(() => process.exit(), 1000).unref()
}

async function closeAndLeave(close: () => Promise<void>, output: Output, farewell?: string): Promise<void> {
  try {
    await close()
    if (farewell) output.log(farewell)
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

// npm hands a terminal's Ctrl-C on to its child, which the terminal has told already: one press, two signals.
function echoMs(): number {
  return process.env['npm_lifecycle_event'] ? 300 : 0
}
