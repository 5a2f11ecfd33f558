import { describe, expect, it } from 'vitest'
import { dkimName, domains, id, parts, publish, server, useRecordChecks } from './_record-checks.ts'

useRecordChecks()

const hour = 60 * 60 * 1000

describe('the status of a domain', () => {
  const verify = async (): Promise<string> => (await domains.verify(id)).status

  it('is PENDING during the first look-up', async () => {
    server.answers.set(`${dkimName} TXT`, 'silence')
    const running = domains.verify(id)
    await expect.poll(async () => (await domains.get(id)).status).toBe('PENDING')
    expect((await domains.get(id)).verification_info).toEqual({})
    await running
  })

  it('is PENDING for 72 hours, then FAILED, and SUCCESS once the records are there', async () => {
    expect(await verify()).toBe('PENDING')
    await parts.clock.advance(72 * hour - 1)
    expect(await verify()).toBe('PENDING')
    await parts.clock.advance(1)
    expect(await verify()).toBe('FAILED')
    expect(await verify()).toBe('FAILED')
    publish()
    expect(await verify()).toBe('SUCCESS')
  })

  it('changes between SUCCESS and TEMPORARY_FAILURE when the records disappear and return', async () => {
    publish()
    expect(await verify()).toBe('SUCCESS')
    const first = (await domains.get(id)).verification_info.last_success_timestamp
    await parts.clock.advance(100 * hour)
    server.answers.delete(`${dkimName} TXT`)
    expect(await verify()).toBe('TEMPORARY_FAILURE')
    expect((await domains.get(id)).verification_info).toMatchObject({
      last_success_timestamp: first,
      error_type: 'HOST_NOT_FOUND',
    })
    await expect(domains.resolveSender('news.acme.co.uk')).rejects.toMatchObject({
      code: 'domain_not_verified',
    })
    publish()
    expect(await verify()).toBe('SUCCESS')
    expect((await domains.get(id)).verification_info.error_type).toBeUndefined()
  })

  it('is not restored for a domain that was removed during its look-up', async () => {
    server.answers.set(`${dkimName} TXT`, 'silence')
    const running = domains.verify(id)
    const outcome = expect(running).rejects.toMatchObject({ code: 'not_found' })
    await expect.poll(async () => (await domains.get(id)).status).toBe('PENDING')
    await domains.remove(id)
    await outcome
  })

  it('ignores a look-up of the old key where the domain is registered meanwhile', async () => {
    const mentioned = await domains.resolveSender('late.test')
    // No record exists, which would make it PENDING; registering generates a new key, which is not looked up yet.
    server.answers.set('localpost._domainkey.late.test TXT', 'silence')
    const running = domains.verify(mentioned.id)
    await expect.poll(() => server.asked).toContain('udp localpost._domainkey.late.test TXT')
    await domains.create({ name: 'late.test' })
    await running
    expect(await domains.get(mentioned.id)).toMatchObject({ status: 'NOT_STARTED', verification_info: {} })
  })
})
