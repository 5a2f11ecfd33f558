/**
 * The page of a trace.
 *
 * @param template  The option `traceUrl`; null without one.
 */
export function traceLink(template: string | null | undefined, traceId: string): string | null {
  return template ? template.replaceAll('{trace_id}', encodeURIComponent(traceId)) : null
}
