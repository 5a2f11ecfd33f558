import { createRequire } from 'node:module'
import type { Span as ApiSpan, SpanContext, Tracer as ApiTracer, TraceState } from '@opentelemetry/api'
import { type Span, spanKinds, type Tracer } from '../core/tracer.ts'
import { traceIdOf, type TraceContext } from '../core/trace-context.ts'
import { version } from '../core/version.ts'

/**
 * Records spans with the tracer provider that the app registered with `@opentelemetry/api`, at any time.
 *
 * @param requirer  A file that may require the package. Default: this one.
 * @returns null if the package is not installed.
 */
export function openTelemetry(requirer: string = import.meta.url): Tracer | null {
  const api = loadApi(requirer)
  if (!api) return null
  const { context, trace, ROOT_CONTEXT, SpanKind, SpanStatusCode, createTraceState, isSpanContextValid } = api
  const kinds = { server: SpanKind.SERVER, internal: SpanKind.INTERNAL, client: SpanKind.CLIENT }

  /** Undefined while no provider is registered. The API's own tracer would make spans that are not received. */
  function registered(): ApiTracer | undefined {
    const provider = trace.getTracerProvider()
    if ('getDelegateTracer' in provider)
      return (provider as Delegating).getDelegateTracer('localpost', version)
    return provider.getTracer('localpost', version)
  }

  return {
    parentOf(given) {
      const active = trace.getActiveSpan()?.spanContext()
      if (!active || !isSpanContextValid(active)) return given
      // A server that the app instruments has a span of its own between the request and this.
      return given === undefined || traceIdOf(given) === active.traceId ? toTrace(active) : given
    },
    outside: (open) => context.with(ROOT_CONTEXT, open),
    begin(name, parent, began) {
      const tracer = registered()
      if (!tracer) return null
      const parentContext =
        parent === undefined
          ? ROOT_CONTEXT
          : trace.setSpanContext(ROOT_CONTEXT, toContext(parent, createTraceState))
      const startTime = began === undefined ? {} : { startTime: new Date(began) }
      return toSpan(tracer.startSpan(name, { kind: kinds[spanKinds[name]], ...startTime }, parentContext))
    },
  }

  function toSpan(span: ApiSpan): Span {
    const context = span.spanContext()
    return {
      trace: isSpanContextValid(context) ? toTrace(context) : undefined,
      end(attributes, failure) {
        span.setAttributes(attributes)
        if (failure !== undefined) {
          span.setAttribute('error.type', failure)
          span.setStatus({ code: SpanStatusCode.ERROR })
        }
        span.end()
      },
    }
  }
}

type Api = typeof import('@opentelemetry/api')

/** The API's provider before and after the registration of another. */
interface Delegating {
  getDelegateTracer(name: string, version: string): ApiTracer | undefined
}

// Required, not imported: Jest imports nothing in CommonJS without a flag.
function loadApi(requirer: string): Api | null {
  const requireThere = createRequire(requirer)
  try {
    return requireThere('@opentelemetry/api') as Api
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND') return null
    throw error
  }
}

function toTrace({ traceId, spanId, traceFlags, traceState }: SpanContext): TraceContext {
  return {
    traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
    tracestate: traceState?.serialize() || undefined,
  }
}

function toContext(
  { traceparent, tracestate }: TraceContext,
  createState: (text: string) => TraceState,
): SpanContext {
  const [, traceId = '', spanId = '', flags = ''] = traceparent.split('-')
  const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true }
  return tracestate === undefined ? context : { ...context, traceState: createState(tracestate) }
}
