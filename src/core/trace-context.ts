import { fieldOf } from './header-fields.ts'
import { withoutEnding } from './text.ts'

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

/** Reads the trace of the headers of a request. */
export const traceOfRequest = (headers: Pick<Headers, 'get'>): TraceContext | undefined =>
  readTrace(headers.get('traceparent'), headers.get('tracestate'))

/** Reads the trace of header fields by their names, which may have any case. */
export function traceOfFields(fields: Readonly<Record<string, string>>): TraceContext | undefined {
  const entries = Object.entries(fields)
  return readTrace(fieldOf(entries, 'traceparent'), fieldOf(entries, 'tracestate'))
}

// A `traceparent` is `00-<trace id: 32>-<span id: 16>-<flags: 2>`.

/** The id of a trace. */
export const traceIdOf = ({ traceparent }: TraceContext): string => traceparent.slice(3, 35)

/** The part of its `traceparent` after the id of the trace, which {@link traceOf} completes. */
export const traceParentOf = ({ traceparent }: TraceContext): string => traceparent.slice(36)

/** The trace of an email; undefined if it belongs to none. */
export function traceOf({ trace_id, trace_parent, trace_state }: TraceMembers): TraceContext | undefined {
  if (trace_id === undefined) return undefined
  return { traceparent: `00-${trace_id}-${trace_parent}`, tracestate: trace_state }
}

/** Reads a `traceparent`, as version 00 writes it. @see https://www.w3.org/TR/trace-context/#traceparent-header */
export function readTraceparent(value: string | null | undefined): string | undefined {
  if (!value) return undefined
  const [, version, traceId, spanId, flags, rest] = parentForm.exec(value.trim()) ?? []
  // A later version may append fields.
  if (flags === undefined || version === 'ff' || (version === '00' && rest !== '')) return undefined
  if (traceId === noTrace || spanId === noSpan) return undefined
  if (version === '00') return `00-${traceId}-${spanId}-${flags}`
  // Of a later version only the flag `sampled` is known.
  return `00-${traceId}-${spanId}-${isSampled(flags) ? '01' : '00'}`
}

const parentForm = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(|-.*)$/
const noTrace = '0'.repeat(32)
const noSpan = '0'.repeat(16)

/** The flag of a trace that its beginner records. @param flags  Two hexadecimal digits. */
export const isSampled = (flags: string): boolean => (Number.parseInt(flags, 16) & 1) === 1

/**
 * Reads the value of a `tracestate` header, which tracers keep beside `traceparent` for themselves.
 *
 * @param value  Of several headers all values, in order, with commas between them.
 * @returns Its entries without space around them. Of a long one only some: at most 512 characters, without the entries of
 *   more than 128 characters first, then without the last ones. Undefined for none, and for a value that is to be ignored.
 * @see https://www.w3.org/TR/trace-context/#tracestate-header
 */
export function readTracestate(value: string | null | undefined): string | undefined {
  if (!value || value.length > maxReadLength) return undefined
  const entries = value
    .split(',')
    .map((entry) => withoutEnding(entry.replace(/^[ \t]+/, ''), ' \t'))
    .filter((entry) => entry !== '')
  const keys = new Set(entries.map((entry) => entry.slice(0, entry.indexOf('='))))
  if (entries.length > maxEntries || keys.size < entries.length) return undefined
  if (!entries.every((entry) => entryForm.test(entry))) return undefined
  return shortened(entries).join(',') || undefined
}

function shortened(entries: readonly string[]): readonly string[] {
  const lengthOf = (some: readonly string[]): number => some.join(',').length
  if (lengthOf(entries) <= maxStateLength) return entries
  const kept = [...entries]
  for (let at = kept.length - 1; at >= 0 && lengthOf(kept) > maxStateLength; at--)
    if ((kept[at] ?? '').length > longEntryLength) kept.splice(at, 1)
  while (lengthOf(kept) > maxStateLength) kept.pop()
  return kept
}

const entryForm = /^[a-z\d][a-z\d_*/@-]{0,255}=[ -+\--<>-~]{0,255}[!-+\--<>-~]$/
const maxEntries = 32
const maxStateLength = 512
const longEntryLength = 128
/** 32 entries of the greatest length, with space around them. */
const maxReadLength = 32 * 520
