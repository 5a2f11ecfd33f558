import { randomBytes } from 'node:crypto'
import { systemClock } from '../core/clock.ts'
import { withoutEnding } from '../core/text.ts'
import { dateNow, monotonicNow } from '../core/machine.ts'
import type { Tracer } from '../core/tracer.ts'
import { isSampled } from '../core/trace-context.ts'
import { version } from '../core/version.ts'
import { readBeginning } from '../core/read-beginning.ts'
import { guardedRequest, reasonOf } from '../net/guarded-request.ts'
import { createOncePerMinute } from '../net/once-per-minute.ts'
import { toSpan, requestOf } from './otlp-json.ts'

/**
 * Records spans, and posts them to a collector, which may be slow or gone: at most 2,048 spans wait, and a request may take
 * five seconds. What is not taken is dropped, with a warning at most once per minute.
 *
 * @param endpoint  The base URL of the collector: `http://127.0.0.1:4318`.
 * @see https://opentelemetry.io/docs/specs/otlp/#otlphttp
 */
export function openOtlp(
  endpoint: string,
  { onWarning, timeoutMs = 5000 }: { onWarning(message: string): void; timeoutMs?: number },
): Tracer & Required<Pick<Tracer, 'close'>> {
  const url = new URL(endpoint)
  url.pathname = `${withoutEnding(url.pathname, '/')}/v1/traces`
  const queue = createSpanQueue(url, timeoutMs, onWarning)
  return {
    parentOf: (given) => given,
    begin(name, parent, began) {
      const [, traceId = randomBytes(16).toString('hex'), parentSpanId, flags] =
        parent?.traceparent.split('-') ?? []
      // The service that began the trace decided not to record it.
      if (flags !== undefined && !isSampled(flags)) return null
      const spanId = randomBytes(8).toString('hex')
      const start = began ?? dateNow()
      const since = monotonicNow() - (dateNow() - start)
      return {
        trace: { traceparent: `00-${traceId}-${spanId}-01`, tracestate: parent?.tracestate },
        end(attributes, failure) {
          const end = start + monotonicNow() - since
          const ids = { traceId, spanId, parentSpanId, traceState: parent?.tracestate }
          queue.add(toSpan({ name, ...ids, start, end }, attributes, failure))
        },
      }
    },
    close: queue.close,
  }
}

/** Collects spans and posts them in the background. */
function createSpanQueue(
  url: URL,
  timeoutMs: number,
  onWarning: (message: string) => void,
): { add(span: object): void; close(): Promise<void> } {
  const losses = new Losses(url, onWarning)
  let running: AbortController | null = null
  let waiting: object[] = []
  /** The one loop that sends; it ends when no span waits. */
  let sending: Promise<void> | null = null
  /** Ends the wait for more spans; null if none waits, or a request is full. */
  let cancelTimer: (() => void) | null = null
  let isClosed = false

  function send(): void {
    cancelTimer?.()
    cancelTimer = null
    sending ??= sendAll().finally(() => (sending = null))
  }

  async function sendAll(): Promise<void> {
    while (waiting.length > 0) {
      const spans = waiting.slice(0, maxPerRequest)
      waiting = waiting.slice(maxPerRequest)
      const request = (running = new AbortController())
      const late = new Error(`no answer within ${timeoutMs} ms`)
      const cancel = systemClock.after(timeoutMs, () => request.abort(late))
      const problem = await postSpans(url, spans, request.signal)
      cancel()
      running = null
      if (problem !== null) losses.add(spans.length, problem)
    }
  }

  return {
    add(span) {
      if (isClosed) return
      if (waiting.length >= maxWaiting) return losses.add(1, `more than ${maxWaiting} spans wait for it`)
      waiting.push(span)
      if (waiting.length >= maxPerRequest) send()
      else cancelTimer ??= systemClock.after(delayMs, send)
    },
    async close() {
      send()
      const cancel = systemClock.after(graceMs, () => {
        losses.add(waiting.length, closingReason)
        waiting = []
        running?.abort(new Error(closingReason))
      })
      isClosed = true
      await sending
      cancel()
      // What was lost within a minute of a warning.
      losses.tell()
    },
  }
}

/** Counts the spans that are lost, and warns of them, at most once per minute. */
class Losses {
  readonly #url: URL
  readonly #onWarning: (message: string) => void
  readonly #mayWarn = createOncePerMinute()
  /** How many were lost since the last warning. */
  #count = 0
  #lastReason = ''

  constructor(url: URL, onWarning: (message: string) => void) {
    this.#url = url
    this.#onWarning = onWarning
  }

  add(count: number, reason: string): void {
    this.#count += count
    this.#lastReason = reason
    if (this.#mayWarn('')) this.tell()
  }

  /** Warns at once of those that no warning has named, if there are any. */
  tell(): void {
    if (this.#count > 0)
      this.#onWarning(
        `The collector of traces at ${this.#url.host} does not get ${this.#count} spans: ${this.#lastReason}.`,
      )
    this.#count = 0
  }
}

/** Never throws. @returns Why the collector did not take the spans; null if it did. */
async function postSpans(url: URL, spans: readonly object[], signal: AbortSignal): Promise<string | null> {
  try {
    const answer = await guardedRequest(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': `localpost/${version}` },
      body: JSON.stringify(requestOf(spans)),
      signal,
      // The operator named it.
      problemOf: () => null,
    })
    const { statusCode = 0 } = answer
    await readBeginning(answer, 1024)
    return statusCode >= 200 && statusCode < 300 ? null : `it answered ${statusCode}`
  } catch (error) {
    return reasonOf(signal.aborted ? signal.reason : error)
  }
}

/** How many spans may wait. */
const maxWaiting = 2048
/** How many spans a request has at most. */
const maxPerRequest = 512
const delayMs = 1000
const graceMs = 2000
const closingReason = 'Localpost is closing'
