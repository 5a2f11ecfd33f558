/** Resolves when the page has nothing else to do, after at most 0.3 seconds. */
export function idle(): Promise<void> {
  return new Promise((resolve) => {
    // Safari lacks this function.
    if ('requestIdleCallback' in globalThis) requestIdleCallback(() => resolve(), { timeout: mostMs })
    else setTimeout(resolve, 1)
  })
}

/** Resolves after the next paint, or after 0.3 seconds where nothing is painted, as in a hidden tab. */
export function painted(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, mostMs)
    requestAnimationFrame(() => setTimeout(resolve))
  })
}

const mostMs = 300
