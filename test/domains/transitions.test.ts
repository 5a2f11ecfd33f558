import { expect, it } from 'vitest'
import { blankDomain } from '../../src/domains/senders.ts'
import { beginLookup, endLookup } from '../../src/domains/transitions.ts'

const hour = 60 * 60 * 1000
const pending = beginLookup({ ...blankDomain('dom_x', 'acme.test', 0), version: 1 }, 0)

it.each([
  ['HOST_NOT_FOUND', 71, 'PENDING'],
  ['HOST_NOT_FOUND', 72, 'FAILED'],
  ['TYPE_NOT_FOUND', 72, 'FAILED'],
  ['INVALID_VALUE', 72, 'FAILED'],
  // A server that does not answer gives no information about the records.
  ['DNS_SERVER_ERROR', 200, 'PENDING'],
  ['SERVICE_ERROR', 200, 'PENDING'],
] as const)('with %s after %i hours a pending domain is %s', (error_type, hours, status) => {
  expect(endLookup(pending, { error_type }, hours * hour).status).toBe(status)
})
