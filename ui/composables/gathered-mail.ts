/** New mails since a person was told last. */
export interface Gathered {
  count: number
  /** The id of the newest of them. */
  newest: string
}

/**
 * Gathers new mails, so that a person is told of a burst once: a second after its first mail, then every five seconds at
 * most, while more arrive.
 *
 * @param later  Does something once, after so many milliseconds; returns what cancels that.
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
