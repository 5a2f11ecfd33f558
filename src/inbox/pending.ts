/** Promises that callers hold while they wait. */
export interface Pending {
  /** Starts the work. @returns The promise for the caller. */
  add<T>(work: () => Promise<T>): Promise<T>
  /**
   * Keeps Node from reporting failures of these promises as unhandled, which would hide the error that ended the test.
   * Callers that await them still get the error.
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
