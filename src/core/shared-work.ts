/** Shares work between callers that ask for the same at the same time. */
export interface SharedWork {
  /**
   * Starts the work, or joins the running work of the same key.
   *
   * @param work  Gets a signal that ends it when no caller waits for it any more.
   * @param signal  Ends the call. The work continues for the other callers. Default: the call is never ended.
   * @throws the signal's reason; what `work` throws.
   */
  run<T>(key: string, work: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T>
}

export function createSharedWork(): SharedWork {
  const open = new Map<string, Shared>()

  function start(key: string, work: Shared['work']): Shared {
    const ended = new AbortController()
    const shared: Shared = { callers: 0, work, ended, result: Promise.resolve() }
    open.set(key, shared)
    const forget = (): void => {
      if (open.get(key) === shared) open.delete(key)
    }
    shared.result = work(ended.signal).finally(forget)
    ended.signal.addEventListener('abort', forget)
    return shared
  }

  return {
    async run<T>(key: string, work: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
      signal?.throwIfAborted()
      const shared = open.get(key) ?? start(key, work)
      shared.callers++
      // A key stands for one kind of work.
      const result = shared.result as Promise<T>
      if (!signal) return result
      return untilAborted(result, signal, () => {
        if (--shared.callers === 0) shared.ended.abort(signal.reason)
      })
    },
  }
}

interface Shared {
  callers: number
  work(signal: AbortSignal): Promise<unknown>
  ended: AbortController
  result: Promise<unknown>
}

/**
 * Waits for a result, or for the signal.
 *
 * @param onAbort  Called if the signal comes first.
 * @throws the signal's reason; what `result` throws.
 */
export function untilAborted<T>(
  result: Promise<T>,
  signal: AbortSignal | undefined,
  onAbort: () => void = () => {},
): Promise<T> {
  if (!signal) return result
  return new Promise<T>((resolve, reject) => {
    const end = (): void => {
      onAbort()
      reject(signal.reason)
    }
    if (signal.aborted) end()
    else signal.addEventListener('abort', end, { once: true })
    result.then(resolve, reject).finally(() => signal.removeEventListener('abort', end))
  })
}

/** Makes a function that runs work one after the other, in the order of its calls. An error does not stop what follows. */
export function createSequence(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const next = last.then(work)
    last = next.catch(() => {})
    return next
  }
}

/** Runs at the first call, and again only after an error. */
export function once<T>(run: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null
  return () =>
    (running ??= run().catch((error: unknown) => {
      running = null
      throw error
    }))
}
