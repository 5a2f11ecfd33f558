import { LocalpostError } from './errors.ts'
import { traceOf, type TraceContext, type TraceMembers } from './trace-context.ts'

/** Makes spans, for the tracer of the app or for a collector. */
export interface Tracer {
  /** The trace that a call belongs to: that of its request, if it names one, else that of the app in this process. */
  parentOf(given: TraceContext | undefined): TraceContext | undefined
  /**
   * Begins a span.
   *
   * @param parent  Undefined for the first span of a trace.
   * @param began  Unix time in milliseconds. Default: now.
   * @returns null if no tracer receives spans.
   */
  begin(name: SpanName, parent: TraceContext | undefined, began?: number): Span | null
  /** Opens a port outside of the active span, to which its requests would belong. Default: `open` is just called. */
  outside?<T>(open: () => T): T
  /** Ends what it does in the background. Default: nothing. */
  close?(): Promise<void>
}

/** A span that has begun. One that is never ended is not recorded. */
export interface Span {
  /** For what is caused by it. */
  readonly trace: TraceContext | undefined
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

export type SpanName = keyof typeof spanKinds

/** Begins a span of an email; null where none is recorded, also for mail that belongs to no trace. */
export function beginOf(tracer: Tracer | null | undefined, name: SpanName, email: TraceMembers): Span | null {
  if (!tracer) return null
  const parent = traceOf(email)
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
