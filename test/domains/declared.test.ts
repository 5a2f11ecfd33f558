import { beforeEach, describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { createDomains, type InnerDomains } from '../../src/domains/domains.ts'
import { verifyInputSchema } from '../../src/domains/schema.ts'
import { openParts, type Parts } from '../support/deps.ts'
import { dns } from './dns-settings.ts'

let parts: Parts
let domains: InnerDomains

beforeEach(async () => {
  parts = await openParts()
  domains = createDomains({ ...parts, dns })
})

describe('declaring a state', () => {
  it('verifies a domain by hand', async () => {
    const { id } = await domains.create({ name: 'acme.com' })
    const now = new Date(parts.clock.now()).toISOString()
    expect(await domains.verify(id, { status: 'SUCCESS' })).toMatchObject({
      status: 'SUCCESS',
      verified_for_sending_status: true,
      verification_info: { last_checked_timestamp: now, last_success_timestamp: now },
    })
    expect(now).toMatch(/\.\d{3}Z$/)
  })

  it('keeps the last success during a failure, and clears the error with the next success', async () => {
    const { id } = await domains.create({ name: 'acme.com' })
    const first = new Date(parts.clock.now()).toISOString()
    await domains.verify(id, { status: 'SUCCESS' })
    await parts.clock.advance(60_000)
    const failed = await domains.verify(id, { status: 'TEMPORARY_FAILURE', error_type: 'HOST_NOT_FOUND' })
    const second = new Date(parts.clock.now()).toISOString()
    expect(failed.verified_for_sending_status).toBe(false)
    expect(failed.verification_info).toEqual({
      last_checked_timestamp: second,
      last_success_timestamp: first,
      error_type: 'HOST_NOT_FOUND',
    })
    const again = await domains.verify(id, { status: 'SUCCESS' })
    expect(again.verification_info).toEqual({
      last_checked_timestamp: second,
      last_success_timestamp: second,
    })
  })

  it('clears every check with NOT_STARTED', async () => {
    const { id } = await domains.create({ name: 'acme.com' })
    const fresh = await domains.get(id)
    await domains.verify(id, { status: 'FAILED', error_type: 'INVALID_VALUE' })
    expect(await domains.verify(id, { status: 'NOT_STARTED' })).toEqual(fresh)
  })

  it.each([
    [{ status: 'SUCCESS', error_type: 'HOST_NOT_FOUND' }, 'error_type'],
    [{ status: 'NOT_STARTED', error_type: 'HOST_NOT_FOUND' }, 'error_type'],
    [{ error_type: 'HOST_NOT_FOUND' }, 'error_type'],
    [{ status: 'VERIFIED' }, 'status'],
    [{ status: 'FAILED', error_type: 'OTHER' }, 'error_type'],
    [[], 'body'],
  ])('refuses %j because of %s', async (declared, field) => {
    const { id } = await domains.ensureDomain('acme.com')
    await expect(Reflect.apply(domains.verify, undefined, [id, declared])).rejects.toMatchObject({
      code: 'validation_error',
      errors: [{ field }],
    })
  })

  it.each(['PENDING', 'FAILED', 'TEMPORARY_FAILURE'])('allows an error type for %s', (status) => {
    const schema: z.ZodType = verifyInputSchema
    expect(schema.safeParse({ status, error_type: 'DNS_SERVER_ERROR' }).success).toBe(true)
  })
})
