/** New mails since the last notification. */
export interface Gathered {
  count: number
  /** The id of the newest of them. */
  newest: string
}

/**
 * Gathers new mails, so that a burst leads to only a few notifications: one a second after its first mail, then at most
 * one every five seconds while more arrive.
 *
 * @param later  Calls a function after this many milliseconds; returns a function that cancels it.
 */
export function createGathering(
  tell: (gathered: Gathered) => void,
  later: (work: () => void, ms: number) => () => void = afterTime,
): {
  add(ids: Iterable<string>): void
  stop(): void
} {
  let gathered: Gathered | null = null
  let cancel: (() => void) | undefined

  function flush(): void {
    cancel = undefined
    if (gathered === null) return
    const told = gathered
    gathered = null
    cancel = later(flush, pauseMs)
    tell(told)
  }
  return {
    add(ids) {
      for (const id of ids) {
        const { count, newest } = gathered ?? { count: 0, newest: '' }
        // Ids of mails sort by time.
        gathered = { count: count + 1, newest: id > newest ? id : newest }
      }
      if (gathered !== null) cancel ??= later(flush, firstMs)
    },
    stop() {
      cancel?.()
      gathered = null
    },
  }
}

const firstMs = 1000
const pauseMs = 5000

function afterTime(work: () => void, ms: number): () => void {
  const timer = setTimeout(work, ms)
  return () => clearTimeout(timer)
}
