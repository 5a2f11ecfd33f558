/** Runs at the first call, and again only after an error. */
export function once<T>(run: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null
  return () =>
    (running ??= run().catch((error: unknown) => {
      running = null
      throw error
    }))
}
