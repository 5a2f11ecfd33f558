import { keepNoProcessAlive, takeOpened } from '../opened.ts'

/** Says on stderr which instances are open still, each once: the only thing here that anything is written to. */
export function warnOfUnclosed(): void {
  for (const place of takeOpened())
    process.stderr.write(
      `localpost: an instance was not closed. It was started ${place}; call its close() when the test is over.\n`,
    )
}

// Whoever imports this runs tests: what they leave open must not keep their process, and is told at its end.
keepNoProcessAlive()
process.on('exit', warnOfUnclosed)
