import { type TraceContext, readTrace, traceOfFields } from '../core/trace-context.ts'
import { readHeader } from '../mime/headers/headers.ts'

/**
 * The trace of the first of refused requests that names one in its own header fields, or in those of its raw message.
 *
 * @param requests  Not checked: nothing of them needs to be right. A long body of `/v1`, which only the thread parses,
 *   names none.
 */
export function firstTrace(requests: readonly unknown[]): TraceContext | undefined {
  for (const request of requests) {
    const trace = ownTrace(request)
    if (trace) return trace
  }
  return undefined
}

function ownTrace(request: unknown): TraceContext | undefined {
  if (typeof request !== 'object' || request === null) return undefined
  const raw: unknown = Reflect.get(request, 'raw')
  if (typeof raw === 'string') {
    const block = readHeader(Buffer.from(raw.slice(0, maxRawChars), 'base64'))
    return readTrace(block.decoded('traceparent'), block.decoded('tracestate'))
  }
  const headers: unknown = Reflect.get(request, 'headers')
  if (typeof headers !== 'object' || headers === null) return undefined
  const fields = Object.entries(headers).filter(([, value]) => typeof value === 'string')
  return traceOfFields(Object.fromEntries(fields))
}

/** Base64 of the first 66 KB of a message. */
const maxRawChars = 88_000
