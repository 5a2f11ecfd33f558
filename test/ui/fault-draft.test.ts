import { expect, test } from 'vitest'
import type { FaultsState } from '../../src/faults/types.ts'
import { isStillThere, listedOf } from '../../ui/views/rules/fault-draft.ts'

const state: FaultsState = {
  http: [
    { path: '/v1/emails', status: 503, count: 3 },
    { path: '/v1/domains', delay_ms: 10 },
  ],
  smtp: [{ stage: 'rcpt', code: 451 }],
  rate_limit: { requests: 5, per_ms: 1000 },
  seed: 1,
}

test.each<[what: string, now: FaultsState | null, isThere: boolean[]]>([
  ['nothing has changed', structuredClone(state), [true, true, true, true]],
  [
    'one was used',
    { ...state, http: [{ path: '/v1/emails', status: 503, count: 0 }, ...state.http.slice(1)] },
    [true, true, true, true],
  ],
  ['the first was removed', { ...state, http: state.http.slice(1) }, [false, false, true, true]],
  ['one was changed', { ...state, smtp: [{ stage: 'rcpt', code: 452 }] }, [true, true, false, true]],
  ['the limit was removed', { ...state, rate_limit: null }, [true, true, true, false]],
  ['all were removed', null, [false, false, false, false]],
])('an opened fault is still there or not, where %s', (_, now, isThere) => {
  expect(listedOf(state).map((one) => isStillThere(listedOf(now), one))).toEqual(isThere)
})
