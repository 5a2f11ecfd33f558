import { beforeEach, describe, expect, it } from 'vitest'
import { createDomains, type InnerDomains } from '../../src/domains/domains.ts'
import { openParts, type Parts } from '../support/deps.ts'
import { dns } from './dns-settings.ts'
import { withNewKeys } from '../support/new-keys.ts'

let parts: Parts
let domains: InnerDomains

beforeEach(async () => {
  parts = await openParts()
  domains = createDomains({ ...parts, dns })
})

describe('sending from a domain', () => {
  it('is refused while a registered domain is not verified, with what to do', async () => {
    const { id } = await domains.create({ name: 'acme.com' })
    await expect(domains.resolveSender('acme.com')).rejects.toMatchObject({
      code: 'domain_not_verified',
      status: 403,
      message: expect.stringMatching(new RegExp(`"acme.com".*NOT_STARTED.*POST /dev/domains/${id}/verify`)),
    })
    await domains.verify(id, { status: 'SUCCESS' })
    expect(await domains.resolveSender('ACME.com')).toMatchObject({ id, registered: true })
    await domains.verify(id, { status: 'TEMPORARY_FAILURE' })
    await expect(domains.resolveSender('acme.com')).rejects.toMatchObject({ code: 'domain_not_verified' })
  })

  it('adds an unknown domain as verified, once for any number of simultaneous sends', async () => {
    const found = await Promise.all(
      ['new.test', 'New.test', 'new.test.', 'new.test'].flatMap((name) => [
        Promise.resolve(domains.resolveSender(name)),
        Promise.resolve(domains.ensureDomain(name)),
      ]),
    )
    expect(new Set(found.map(({ id }) => id)).size).toBe(1)
    expect(found[0]).toMatchObject({ name: 'new.test', status: 'SUCCESS', registered: false, version: 1 })
    expect(await domains.list()).toMatchObject({
      count: 1,
      items: [{ verified_for_sending_status: true, verification_info: {} }],
    })
  })

  it('adds one record for several instances on one store', async () => {
    const instances = Array.from({ length: 10 }, () => createDomains({ ...parts, dns }))
    const found = await Promise.all(instances.map(async (instance) => instance.resolveSender('new.test')))
    expect(new Set(found.map(({ id }) => id)).size).toBe(1)
  })

  it('does not inherit from the parent domain', async () => {
    await domains.create({ name: 'acme.com' })
    expect(await domains.resolveSender('mail.acme.com')).toMatchObject({
      registered: false,
      status: 'SUCCESS',
    })
  })

  it('registers an added domain under the same id, with a key of its own', async () => {
    const mentioned = await domains.resolveSender('new.test')
    const before = await domains.get(mentioned.id)
    await parts.clock.advance(5000)
    // One of the keys that tests share could be the key of the process.
    const created = await withNewKeys(() => domains.create({ name: 'new.test' }))
    expect(created).toMatchObject({ id: mentioned.id, status: 'NOT_STARTED' })
    const after = await domains.get(mentioned.id)
    expect(after.created).toBe(before.created)
    expect(after.public_key).not.toBe(before.public_key)
    await expect(domains.resolveSender('new.test')).rejects.toMatchObject({ code: 'domain_not_verified' })
    await expect(domains.create({ name: 'new.test' })).rejects.toMatchObject({ code: 'domain_exists' })
  })

  it('is limited to registered domains with strict', async () => {
    const strict = createDomains({ ...parts, dns, strict: true })
    await domains.ensureDomain('mentioned.test')
    for (const name of ['new.test', 'mentioned.test']) {
      await expect(strict.resolveSender(name)).rejects.toMatchObject({
        code: 'domain_not_registered',
        status: 403,
      })
    }
    expect((await domains.list()).count).toBe(1)
    const { id } = await domains.create({ name: 'acme.com' })
    await domains.verify(id, { status: 'SUCCESS' })
    expect(await strict.resolveSender('acme.com')).toMatchObject({ id })
  })

  it.each(['localhost', '', '127.0.0.1', 'co.uk'])('refuses %j as field from', async (name) => {
    await expect(domains.resolveSender(name)).rejects.toMatchObject({
      code: 'validation_error',
      errors: [{ field: 'from' }],
    })
  })

  it('accepts submissions whatever the status of the domain, and those without a sender as localpost.test', async () => {
    const { id } = await domains.create({ name: 'acme.com' })
    expect(await domains.ensureDomain('acme.com')).toMatchObject({ id, status: 'NOT_STARTED' })
    const names = ['localhost', '', '[127.0.0.1]', '::1', 'localpost.test']
    const nowhere = await Promise.all(names.map((name) => Promise.resolve(domains.ensureDomain(name))))
    expect(new Set(nowhere.map(({ name }) => name))).toEqual(new Set(['localpost.test']))
    expect(new Set(nowhere.map((domain) => domain.id)).size).toBe(1)
    expect(nowhere[0]).toMatchObject({ registered: false, status: 'SUCCESS' })
  })

  it('reads the domain once for many mails, and again after every change', async () => {
    let looks = 0
    const store: typeof parts.store = {
      ...parts.store,
      find: (...query) => {
        looks++
        return parts.store.find(...query)
      },
    }
    domains = createDomains({ ...parts, store, dns })
    const { id } = await domains.create({ name: 'acme.com' })
    await domains.ensureDomain('acme.com')
    looks = 0
    for (let i = 0; i < 5; i++) expect(await domains.ensureDomain('Acme.com')).toMatchObject({ id })
    expect(looks).toBe(0)
    await domains.verify(id, { status: 'SUCCESS' })
    expect(await domains.ensureDomain('acme.com')).toMatchObject({ id, status: 'SUCCESS' })
    looks = 0
    for (let i = 0; i < 5; i++) expect(await domains.resolveSender('Acme.com')).toMatchObject({ id })
    expect(looks).toBe(0)
    await domains.verify(id, { status: 'TEMPORARY_FAILURE' })
    await expect(domains.resolveSender('acme.com')).rejects.toMatchObject({ code: 'domain_not_verified' })
    await domains.remove(id)
    const added = await domains.ensureDomain('acme.com')
    expect(added).toMatchObject({ registered: false })
    expect(added.id).not.toBe(id)
  })

  it('does not cache a result that was read before a change', async () => {
    const { id } = await domains.create({ name: 'acme.com' })
    const [before] = await Promise.all([
      domains.ensureDomain('acme.com'),
      domains.verify(id, { status: 'SUCCESS' }),
    ])
    expect(before).toMatchObject({ id })
    expect(await domains.ensureDomain('acme.com')).toMatchObject({ id, status: 'SUCCESS' })
  })
})
