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
