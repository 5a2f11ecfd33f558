import { LocalpostError } from './errors.ts'

/** Records spans. */
export interface Tracer {
  /**
   * What a call belongs to: the trace that its request names, else that of the app, if the call is made in its process.
   *
   * @param given  The `traceparent` of its request, as {@link readTraceparent} returns it.
   */
  parentOf(given: string | undefined): string | undefined
  /**
   * Begins a span.
   *
   * @param parent  As `traceparent`; undefined for the first span of a trace.
   * @param began  Unix time in milliseconds. Default: now.
   * @returns null if nobody receives spans.
   */
  begin(name: SpanName, parent: string | undefined, began?: number): Span | null
  /**
   * Opens what serves requests of others outside of the active span: otherwise each request would be in the span in which
   * the port was opened. Default: `open` is called as it is.
   */
  outside?<T>(open: () => T): T
  /** Ends what it does in the background. Default: nothing. */
  close?(): Promise<void>
}

/** A span that has begun. One that is never ended is not recorded. */
export interface Span {
  /** For what is caused by it. */
  readonly traceparent: string | undefined
  /** @param failure  The `error.type` of what failed: a code, never a text. Default: nothing failed. */
  end(attributes: Attributes, failure?: string): void
}

/** The facts of a span. None of them is from the content of a mail. */
export type Attributes = Readonly<Record<string, string | number | boolean>>

/** The spans of an email: what happens within Localpost, and what it calls. */
export const spanKinds = {
  'email accept': 'server',
  'email compose': 'internal',
  'email deliver': 'client',
  'email webhook': 'client',
} as const

/** The name of a span. */
export type SpanName = keyof typeof spanKinds

/** Begins a span of an email; null where none is recorded, also for mail that belongs to no trace. */
export function beginOf(tracer: Tracer | null | undefined, name: SpanName, email: TraceMembers): Span | null {
  if (!tracer) return null
  const parent = traceparentOf(email)
  return parent === undefined ? null : tracer.begin(name, parent)
}

/** The attributes of the span of an accepted email. @param id  Of the email, or of a scheduled one, which has no email yet. */
export function acceptedAs(id: string, source: 'api' | 'smtp', recipients: number): Attributes {
  return {
    [id.startsWith('sch_') ? 'localpost.scheduled.id' : 'localpost.email.id']: id,
    'localpost.source': source,
    'localpost.recipient.count': recipients,
    'network.protocol.name': source === 'api' ? 'http' : 'smtp',
  }
}

/** The `error.type` of an error: its code, without the text, which may quote a mail. */
export function failureOf(error: unknown): string {
  return error instanceof LocalpostError ? error.code : 'internal_error'
}

/** What the record of an email has of its trace: both members, or neither. */
export interface TraceMembers {
  /** The id of the trace: 32 hexadecimal digits. */
  trace_id?: string | undefined
  /** The rest of a `traceparent` for what follows: the id of the span, `-`, and the flags. */
  trace_parent?: string | undefined
}

/**
 * Reads the value of a `traceparent` header.
 *
 * @returns As version 00 writes it; undefined for a value that is to be ignored.
 * @see https://www.w3.org/TR/trace-context/#traceparent-header
 */
export function readTraceparent(value: string | null | undefined): string | undefined {
  if (!value) return undefined
  const [, version, traceId, spanId, flags, rest] = form.exec(value.trim()) ?? []
  // A later version may append fields.
  if (flags === undefined || version === 'ff' || (version === '00' && rest !== '')) return undefined
  if (traceId === noTrace || spanId === noSpan) return undefined
  // Of a later version only the flag `sampled` is known.
  const known = version === '00' ? flags : isSampled(flags) ? '01' : '00'
  return `00-${traceId}-${spanId}-${known}`
}

const form = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(|-.*)$/
const noTrace = '0'.repeat(32)
const noSpan = '0'.repeat(16)

/** The flag of a trace that its beginner records. @param flags  Two hexadecimal digits. */
export const isSampled = (flags: string): boolean => (Number.parseInt(flags, 16) & 1) === 1

/** The id of the trace of a `traceparent` that was read. */
export const traceIdOf = (traceparent: string): string => traceparent.slice(3, 35)

/** The part of a `traceparent` after the id of the trace, which {@link traceparentOf} completes. */
export const traceParentOf = (traceparent: string): string => traceparent.slice(36)

/** The `traceparent` of an email; undefined if it belongs to no trace. */
export function traceparentOf({ trace_id, trace_parent }: TraceMembers): string | undefined {
  return trace_id === undefined ? undefined : `00-${trace_id}-${trace_parent}`
}
