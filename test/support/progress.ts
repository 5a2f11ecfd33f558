/**
 * Says how far a long series is, at most every ten seconds.
 *
 * @param series  What runs, as the beginning of the line.
 * @returns To be called after each member.
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
