import { createPublicKey, createSign, createVerify } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { createDomains, type InnerDomains } from '../../src/domains/domains.ts'
import { openParts, type Parts } from '../support/deps.ts'
import { withFailingKeys } from '../support/new-keys.ts'
import { dns } from './dns-settings.ts'

let parts: Parts
let domains: InnerDomains

beforeEach(async () => {
  parts = await openParts()
  domains = createDomains({ ...parts, dns })
})

describe('signing keys', () => {
  it('belong to the published public key', async () => {
    const { id } = await domains.create({ name: 'acme.com' })
    const key = await domains.signingKey(await domains.ensureDomain('acme.com'))
    expect(key).toMatchObject({ domain: 'acme.com', selector: 'localpost' })
    const { public_key } = await domains.get(id)
    const signature = createSign('sha256').update('x').sign(key.privateKey)
    const publicKey = createPublicKey({ key: Buffer.from(public_key, 'base64'), format: 'der', type: 'spki' })
    expect(createVerify('sha256').update('x').verify(publicKey, signature)).toBe(true)
  })

  it('are parsed once', async () => {
    await domains.create({ name: 'acme.com' })
    const [a, b] = [await domains.ensureDomain('acme.com'), await domains.ensureDomain('acme.com')]
    expect((await domains.signingKey(a)).privateKey).toBe((await domains.signingKey(b)).privateKey)
  })

  it('are shared by all added domains, also after a restart', async () => {
    const [a, b] = [await domains.ensureDomain('a.test'), await domains.ensureDomain('b.test')]
    const [one, two] = await Promise.all([domains.signingKey(a), domains.signingKey(b)])
    expect(one.privateKey).toBe(two.privateKey)
    expect([one.domain, two.domain]).toEqual(['a.test', 'b.test'])
    const [shown, alsoShown] = [await domains.get(a.id), await domains.get(b.id)]
    expect(shown.public_key).toBe(alsoShown.public_key)
    expect(shown.dns_records[0]?.value).toBe(`p=${shown.public_key}`)
    const restarted = createDomains({ ...parts, dns })
    expect((await restarted.get(a.id)).public_key).toBe(shown.public_key)
  })

  it('of instances that keep nothing are made again after an error', async () => {
    // A module of its own: the key of the process may exist already.
    const path = '../../src/domains/dkim-keys.ts?own'
    const { processDkimKey } = (await import(path)) as typeof import('../../src/domains/dkim-keys.ts')
    await withFailingKeys(() => expect(processDkimKey('one')).rejects.toThrow('no memory'))
    const { public_key } = await processDkimKey('one')
    expect(await processDkimKey('two')).toMatchObject({ selector: 'two', public_key })
  })

  it('are shared even if two instances on one store need the first one at the same time', async () => {
    const a = await domains.ensureDomain('a.test')
    const other = createDomains({ ...parts, dns })
    const [one, two] = await Promise.all([domains.get(a.id), other.get(a.id)])
    expect(one.public_key).toBe(two.public_key)
  })
})
