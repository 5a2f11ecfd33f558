/** Resolves when the page has nothing else to do, after at most 0.3 seconds. */
export function idle(): Promise<void> {
  return new Promise((resolve) => {
    // Safari lacks this function.
    if ('requestIdleCallback' in globalThis) requestIdleCallback(() => resolve(), { timeout: mostMs })
    else setTimeout(resolve, mostMs)
  })
}

const mostMs = 300
