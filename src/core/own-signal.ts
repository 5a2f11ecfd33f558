/** A signal as Node's own functions take it: that of a DOM, which a test gives, is another class. */
export function ownSignal(signal: AbortSignal): AbortSignal {
  if (signal instanceof AbortSignal) return signal
  const foreign: AbortSignal = signal
  const controller = new AbortController()
  const abort = (): void => controller.abort(foreign.reason)
  if (foreign.aborted) abort()
  else foreign.addEventListener('abort', abort, { once: true })
  return controller.signal
}
