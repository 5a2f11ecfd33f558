import { createPublicKey } from 'node:crypto'
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import { describe, expect, it } from 'vitest'
import type { CreatedDomain, DnsRecord, DomainDetail } from '../../src/domains/types.ts'
import { open, refusalOf, shared, type Face } from './helpers.ts'
import { withNewKeys } from '../support/new-keys.ts'

const face = shared()
const create = (name: string, of: Face = face()): Promise<CreatedDomain> => of.create('/v1/domains', { name })
const detail = (id: string): Promise<DomainDetail> => face().get(`/v1/domains/${id}`)
const refused = async (name: unknown): Promise<object> =>
  refusalOf(await face().call('POST', '/v1/domains', { body: { name } }))

describe('names', () => {
  it('domains.names: they are registered in lower case, as A-labels, without a trailing dot', async () => {
    const names: Record<string, string> = {
      'ACME.Test': 'acme.test',
      'dotted.test.': 'dotted.test',
      'Bücher.test': 'xn--bcher-kva.test',
      'xn--grn-hoa.test': 'xn--grn-hoa.test',
      'news.acme.co.uk': 'news.acme.co.uk',
      'shop.example': 'shop.example',
      '1and1.test': '1and1.test',
      [`${'a'.repeat(63)}.test`]: `${'a'.repeat(63)}.test`,
    }
    await Promise.all(
      Object.entries(names).map(async ([given, name]) => {
        const created = await create(given)
        expect(created.name).toBe(name)
        expect(await detail(created.id)).toMatchObject({ name })
      }),
    )
  })

  it('domains.names: 253 characters in all are accepted, 254 are not', async () => {
    const labels = (last: number): string => [63, 63, 63, last].map((count) => 'a'.repeat(count)).join('.')
    const most = `${labels(56)}.test`
    expect(most).toHaveLength(253)
    expect((await create(most)).name).toBe(most)
    expect(await refused(`${labels(57)}.test`)).toMatchObject({ status: 422 })
  })

  it.each([
    'https://acme.test',
    'acme.test/path',
    'acme.test:25',
    'hi@acme.test',
    '192.0.2.1',
    '[::1]',
    '::1',
    'localhost',
    'acme',
    'com',
    'co.uk',
    `${'a'.repeat(64)}.test`,
    '_dmarc.acme.test',
    'a_b.test',
    '-acme.test',
    'acme-.test',
    'acme..test',
    '.acme.test',
    'acme.test..',
    'ac me.test',
    'acme.test\n',
    '*.acme.test',
    '',
    '.',
  ])('domains.names: %j is 422', async (name) => {
    expect(await refused(name)).toMatchObject({ status: 422, name: 'validation_error', fields: ['name'] })
  })

  it.each([7, null, ['acme.test'], undefined])('domains.names: %j is not a name', async (name) => {
    expect(await refused(name)).toMatchObject({ status: 422, fields: ['name'] })
  })

  it('domains.exists: the same name twice is 409, in whatever form', async () => {
    await create('twice.müller.test')
    for (const name of ['twice.müller.test', 'TWICE.Müller.test.', 'twice.xn--mller-kva.test']) {
      expect(await refused(name)).toMatchObject({ status: 409, name: 'domain_exists' })
    }
  })
})

describe('DNS records', () => {
  /** The four records of a name whose zone is above it by `below`. */
  const records = (key: string, below: string, region = 'us-east-1'): DnsRecord[] => [
    { type: 'TXT', name: `localpost._domainkey${below}`, value: `p=${key}`, required: true, for: 'DKIM' },
    {
      type: 'MX',
      name: `mail${below}`,
      value: `feedback-smtp.${region}.amazonses.com`,
      priority: 10,
      required: true,
      for: 'MAIL FROM domain',
    },
    {
      type: 'TXT',
      name: `mail${below}`,
      value: 'v=spf1 include:amazonses.com ~all',
      required: true,
      for: 'MAIL FROM domain',
    },
    {
      type: 'TXT',
      name: `_dmarc${below}`,
      value: 'v=DMARC1; p=none;',
      required: false,
      for: 'DMARC (highly recommended)',
    },
  ]

  it('domains.records: there are four, in their order, relative to the registrable domain', async () => {
    const below = {
      'plain.test': '',
      'news.zone.test': '.news',
      'a.b.zone.test': '.a.b',
      'plain.co.uk': '',
      'news.zone.co.uk': '.news',
    }
    await Promise.all(
      Object.entries(below).map(async ([name, labels]) => {
        const created = await create(name)
        const { public_key, dns_records } = await detail(created.id)
        expect(dns_records).toEqual(records(public_key, labels))
        expect(created.dns_records).toEqual(dns_records)
      }),
    )
  })

  it('domains.records: hosts, region and selector are options', async () => {
    const european = await open({ dns: { region: 'eu-west-1', selector: 'post' } })
    const [dkim, mx] = (await create('acme.test', european)).dns_records
    expect(dkim?.name).toBe('post._domainkey')
    expect(mx?.value).toBe('feedback-smtp.eu-west-1.amazonses.com')
    const own = await open({ dns: { feedbackHost: 'bounces.acme.test', spfInclude: 'spf.acme.test' } })
    const values = (await create('acme.test', own)).dns_records.map(({ value }) => value)
    expect(values.slice(1, 3)).toEqual(['bounces.acme.test', 'v=spf1 include:spf.acme.test ~all'])
  })
})

describe('the DKIM key', () => {
  it('domains.key: it is RSA-2048, as base64 of the SubjectPublicKeyInfo', async () => {
    const { id } = await create('key.test')
    const { public_key } = await detail(id)
    const der = Buffer.from(public_key, 'base64')
    expect(der.toString('base64')).toBe(public_key)
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' })
    expect(key.asymmetricKeyType).toBe('rsa')
    expect(key.asymmetricKeyDetails?.modulusLength).toBe(2048)
    expect((await detail((await create('other-key.test')).id)).public_key).not.toBe(public_key)
  })

  it('domains.key: mail verifies against the record that the creation returned, and not against PKCS#1', async () => {
    const { id, dns_records } = await create('signed.news.acme.co.uk')
    await face().create(`/dev/domains/${id}/verify`, { status: 'SUCCESS' })
    const [record] = dns_records
    const sent = await face().send({
      from: 'Grüße <hi@signed.news.acme.co.uk>',
      html: '<p>ä\r\n.</p>\n',
      text: 'ä\n.\n..\n\n',
      attachments: [{ filename: 'a.bin', path: 'data:application/octet-stream;base64,AAECAw==' }],
    })
    await face().settled(sent)
    const message = Buffer.from(await face().raw(sent), 'latin1')
    const asked: string[] = []
    const verify = async (value: string): Promise<string[]> => {
      const resolver = async (name: string): Promise<string[][]> => {
        asked.push(name)
        return [[value]]
      }
      const { results } = await dkimVerify(message, { resolver })
      return results.map(({ status }) => status.result)
    }
    expect(await verify(record?.value ?? '')).toEqual(['pass'])
    expect(asked).toEqual([`${record?.name}.acme.co.uk`])
    const key = createPublicKey({
      key: Buffer.from(record?.value.slice(2) ?? '', 'base64'),
      format: 'der',
      type: 'spki',
    })
    const pkcs1 = key.export({ format: 'der', type: 'pkcs1' }).toString('base64')
    expect(await verify(`p=${pkcs1}`)).not.toEqual(['pass'])
  })

  it('domains.key: mail of an unregistered domain verifies with the key it shows', async () => {
    const sent = await face().send({ from: 'hi@mentioned.test' })
    const { domain_id } = await face().settled(sent)
    const { dns_records } = await detail(domain_id)
    const message = Buffer.from(await face().raw(sent), 'latin1')
    const { results } = await dkimVerify(message, { resolver: async () => [[dns_records[0]?.value ?? '']] })
    expect(results.map(({ status }) => status.result)).toEqual(['pass'])
  })

  it('domains.key: it is generated in another thread, and the event loop is not blocked', async () => {
    let turns = 0
    let isDone = false
    const turn = (): void => {
      turns++
      if (!isDone) setImmediate(turn)
    }
    const created = withNewKeys(() =>
      Promise.all(['one', 'two', 'three'].map((label) => create(`${label}.async.test`))),
    )
    setImmediate(turn)
    await created
    isDone = true
    // Three keys one after the other on this thread would leave a handful.
    expect(turns).toBeGreaterThan(100)
  })
})

describe('warming up', () => {
  it('domains.warmed-up-at: null at first, then an integer in milliseconds, which a second call does not change', async () => {
    const { id } = await create('warm.test')
    expect(await detail(id)).toMatchObject({ is_warmed_up: false, warmed_up_at: null })
    const before = Date.now()
    const patch = async (is_warmed_up: boolean): Promise<DomainDetail> => {
      expect((await face().call('PATCH', `/dev/domains/${id}`, { body: { is_warmed_up } })).status).toBe(200)
      return detail(id)
    }
    const { warmed_up_at } = await patch(true)
    expect(Number.isSafeInteger(warmed_up_at)).toBe(true)
    expect(warmed_up_at).toBeGreaterThanOrEqual(before)
    expect(warmed_up_at).toBeLessThanOrEqual(Date.now())
    expect((await patch(true)).warmed_up_at).toBe(warmed_up_at)
    expect((await patch(false)).warmed_up_at).toBeNull()
  })
})
