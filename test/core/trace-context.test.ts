import { expect, test } from 'vitest'
import {
  readTrace,
  traceIdOf,
  traceOf,
  traceOfFields,
  traceOfRequest,
  traceParentOf,
} from '../../src/core/trace-context.ts'
import { otherTraceparent, spanId, traceId, traceparent } from '../telemetry/_trace.ts'

test('the members of a record make its trace again', () => {
  for (const tracestate of [undefined, 'a=1']) {
    const trace = { traceparent, tracestate }
    const members = {
      trace_id: traceIdOf(trace),
      trace_parent: traceParentOf(trace),
      trace_state: trace.tracestate,
    }
    expect(members).toEqual({ trace_id: traceId, trace_parent: `${spanId}-01`, trace_state: tracestate })
    expect(traceOf(members)).toEqual(trace)
  }
  expect(traceOf({})).toBeUndefined()
})

test('a tracestate counts only beside a valid traceparent, and a wrong one leaves it alone', () => {
  expect(readTrace(traceparent, 'a=1')).toEqual({ traceparent, tracestate: 'a=1' })
  expect(readTrace(traceparent, 'wrong')).toEqual({ traceparent })
  expect(readTrace(traceparent, null)).toEqual({ traceparent })
  expect(readTrace('wrong', 'a=1')).toBeUndefined()
  expect(readTrace(undefined, 'a=1')).toBeUndefined()
})

test('several headers of a request are one list, and names of fields may have any case', () => {
  const headers = new Headers({ traceparent })
  headers.append('tracestate', 'a=1')
  headers.append('tracestate', 'b=2')
  expect(traceOfRequest(headers)).toEqual({ traceparent, tracestate: 'a=1,b=2' })
  headers.append('traceparent', otherTraceparent)
  expect(traceOfRequest(headers)).toBeUndefined()
  expect(traceOfFields({ 'X-Other': '1', TraceParent: traceparent, TRACESTATE: 'a=1' })).toEqual({
    traceparent,
    tracestate: 'a=1',
  })
  expect(traceOfFields({})).toBeUndefined()
})
