import { readTraceparent } from './traceparent.ts'
import { readTracestate } from './tracestate.ts'

/** The trace that something belongs to, and its span that is the parent of what follows: the headers of W3C Trace Context. */
export interface TraceContext {
  readonly traceparent: string
  /** What tracers passed on for themselves. */
  readonly tracestate?: string | undefined
}

/** What the record of an email has of its trace: the first two members, or none. */
export interface TraceMembers {
  /** The id of the trace: 32 hexadecimal digits. */
  trace_id?: string | undefined
  /** The rest of a `traceparent` for what follows: the id of the span, `-`, and the flags. */
  trace_parent?: string | undefined
  /** The `tracestate` for what follows. */
  trace_state?: string | undefined
}

/** Reads the two headers; undefined without a valid `traceparent`. A wrong `tracestate` is ignored. */
export function readTrace(
  traceparent: string | null | undefined,
  tracestate: string | null | undefined,
): TraceContext | undefined {
  const parent = readTraceparent(traceparent)
  if (parent === undefined) return undefined
  const state = readTracestate(tracestate)
  return { traceparent: parent, ...(state !== undefined && { tracestate: state }) }
}

/** Reads the trace of a request. */
export const traceOfRequest = (headers: Pick<Headers, 'get'>): TraceContext | undefined =>
  readTrace(headers.get('traceparent'), headers.get('tracestate'))

/** Reads the trace of header fields by their names, which may have any case. */
export function traceOfFields(fields: Readonly<Record<string, string>>): TraceContext | undefined {
  const of = (wanted: string): string | undefined =>
    Object.entries(fields).find(([name]) => name.toLowerCase() === wanted)?.[1]
  return readTrace(of('traceparent'), of('tracestate'))
}

/** The id of a trace. */
export const traceIdOf = ({ traceparent }: TraceContext): string => traceparent.slice(3, 35)

/** The part of its `traceparent` after the id of the trace, which {@link traceOf} completes. */
export const traceParentOf = ({ traceparent }: TraceContext): string => traceparent.slice(36)

/** The trace of an email; undefined if it belongs to none. */
export function traceOf({ trace_id, trace_parent, trace_state }: TraceMembers): TraceContext | undefined {
  if (trace_id === undefined) return undefined
  return { traceparent: `00-${trace_id}-${trace_parent}`, tracestate: trace_state }
}
