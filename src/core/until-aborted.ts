/** Waits for a result, or for the signal, which calls `onAbort`. @throws the signal's reason; what `result` throws. */
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
