/**
 * Reports the progress of a long series, at most every ten seconds.
 *
 * @param series  The name of the series, with which each line begins.
 * @returns A function to call after each member of the series.
 */
export function progressOf(series: string, total: number): () => void {
  let done = 0
  let saidAt = performance.now()
  return () => {
    done++
    const now = performance.now()
    if (now - saidAt < progressMs || done === total) return
    saidAt = now
    process.stderr.write(`${series}: ${done} of ${total}\n`)
  }
}

const progressMs = 10_000
