/** Promises that callers hold while they wait. */
export interface Pending {
  /** Begins to work. @returns What its caller holds. */
  add<T>(work: () => Promise<T>): Promise<T>
  /**
   * From now on a failure of one of those is not reported: a wait that its caller does not await yet would
   * else be reported as unhandled, over what really went wrong. Who awaits it still gets the error.
   */
  quiet(): void
}

export function createPending(): Pending {
  const open = new Set<Promise<unknown>>()
  return {
    add<T>(work: () => Promise<T>) {
      const run = async (): Promise<T> => {
        try {
          return await work()
        } finally {
          open.delete(promise)
        }
      }
      const promise = run()
      open.add(promise)
      return promise
    },
    quiet() {
      for (const promise of open) promise.catch(() => {})
    },
  }
}
