import { type Attributes, type SpanName, spanKinds } from '../core/tracer.ts'
import { version } from '../core/version.ts'

interface SpanFacts {
  readonly name: SpanName
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly traceState: string | undefined
  /** Unix time in milliseconds. */
  readonly start: number
  readonly end: number
}

/** A `Span` of OTLP as JSON. */
export function toSpan(
  { name, start, end, ...ids }: SpanFacts,
  attributes: Attributes,
  failure: string | undefined,
): object {
  const all = failure === undefined ? attributes : { ...attributes, 'error.type': failure }
  return {
    ...ids,
    name,
    kind: kinds[spanKinds[name]],
    startTimeUnixNano: toNano(start),
    endTimeUnixNano: toNano(end),
    attributes: toAttributes(all),
    status: failure === undefined ? {} : { code: statusError },
  }
}

const kinds = { internal: 1, server: 2, client: 3 }
const statusError = 2

const toNano = (ms: number): string => BigInt(Math.round(ms * 1e6)).toString()

function toAttributes(attributes: Attributes): object[] {
  return Object.entries(attributes).map(([key, value]) => {
    if (typeof value === 'string') return { key, value: { stringValue: value } }
    return { key, value: typeof value === 'number' ? { intValue: String(value) } : { boolValue: value } }
  })
}

/** An `ExportTraceServiceRequest` of OTLP as JSON. */
export function requestOf(spans: readonly object[]): object {
  const resource = { attributes: toAttributes({ 'service.name': 'localpost', 'service.version': version }) }
  return { resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'localpost', version }, spans }] }] }
}
