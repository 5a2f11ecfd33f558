import { untilAborted } from './until-aborted.ts'

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
    const controller = new AbortController()
    const shared: Shared = { callers: 0, work, controller, result: Promise.resolve() }
    open.set(key, shared)
    const forget = (): void => {
      if (open.get(key) === shared) open.delete(key)
    }
    shared.result = work(controller.signal).finally(forget)
    controller.signal.addEventListener('abort', forget)
    return shared
  }

  return {
    async run<T>(key: string, work: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
      signal?.throwIfAborted()
      const shared = open.get(key) ?? start(key, work)
      shared.callers++
      // A key stands for one kind of work.
      const result = shared.result as Promise<T>
      // A caller without a signal is never taken off `callers`, so its work is never ended.
      if (!signal) return result
      return untilAborted(result, signal, () => {
        if (--shared.callers === 0) shared.controller.abort(signal.reason)
      })
    },
  }
}

interface Shared {
  callers: number
  work(signal: AbortSignal): Promise<unknown>
  controller: AbortController
  result: Promise<unknown>
}
