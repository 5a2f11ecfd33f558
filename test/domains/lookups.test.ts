import { describe, expect, it } from 'vitest'
import { recordCheckSchema } from '../../src/domains/schema.ts'
import {
  dkimName,
  domains,
  id,
  key,
  mailName,
  parts,
  publish,
  server,
  useRecordChecks,
} from './_record-checks.ts'
import { dns } from './dns-settings.ts'

useRecordChecks()

describe('looking a domain up in DNS', () => {
  it('verifies it when the records are published', async () => {
    publish()
    const now = new Date(parts.clock.now()).toISOString()
    expect(await domains.verify(id, {})).toMatchObject({
      status: 'SUCCESS',
      verified_for_sending_status: true,
    })
    expect((await domains.get(id)).verification_info).toEqual({
      last_checked_timestamp: now,
      last_success_timestamp: now,
      soa_record: {
        primary_name_server: 'ns1.acme.co.uk',
        admin_email: 'host.master@acme.co.uk',
        serial_number: 2026010203,
      },
    })
  })

  it('reports per record the expected value, the found values and the result', async () => {
    publish()
    server.answers.set(`${mailName} MX`, [
      { preference: 20, exchange: 'mx.other.test' },
      { preference: 10, exchange: dns.feedbackHost },
    ])
    server.answers.delete('_dmarc.news.acme.co.uk TXT')
    const records = await domains.records(id)
    expect(records).toEqual([
      {
        type: 'TXT',
        name: dkimName,
        for: 'DKIM',
        required: true,
        expected: `p=${key}`,
        found: [`p=${key}`],
        verdict: 'ok',
        error_type: null,
        message: null,
      },
      {
        type: 'MX',
        name: mailName,
        for: 'MAIL FROM domain',
        required: true,
        expected: `10 ${dns.feedbackHost}`,
        found: [`10 ${dns.feedbackHost}`, '20 mx.other.test'],
        verdict: 'wrong',
        error_type: 'INVALID_VALUE',
        message: 'there are 2 MX records: this must be the only one of its name',
      },
      {
        type: 'TXT',
        name: mailName,
        for: 'MAIL FROM domain',
        required: true,
        expected: 'v=spf1 include:amazonses.com ~all',
        found: ['v=spf1 include:amazonses.com ~all'],
        verdict: 'ok',
        error_type: null,
        message: null,
      },
      {
        type: 'TXT',
        name: '_dmarc.news.acme.co.uk',
        for: 'DMARC (highly recommended)',
        required: false,
        expected: 'v=DMARC1; p=none;',
        found: [],
        verdict: 'missing',
        error_type: 'HOST_NOT_FOUND',
        message: 'DNS knows no such name: publish the record',
      },
    ])
    for (const record of records) expect(recordCheckSchema.parse(record)).toEqual(record)
    expect((await domains.get(id)).status).toBe('NOT_STARTED')
  })

  it('repeats the query over TCP where an answer does not fit a datagram', async () => {
    publish()
    server.answers.set(`${dkimName} TXT`, [
      [`v=DKIM1; n=${'x'.repeat(200)}; `, `p=${key}`.slice(0, 255), `p=${key}`.slice(255)],
    ])
    expect(await domains.verify(id)).toMatchObject({ status: 'SUCCESS' })
    expect(server.asked).toContain(`udp ${dkimName} TXT`)
    expect(server.asked).toContain(`tcp ${dkimName} TXT`)
  })

  it('is verified without DMARC and SOA', async () => {
    publish()
    server.answers.set('_dmarc.news.acme.co.uk TXT', ['v=DMARC1; p=maybe'])
    server.answers.delete('acme.co.uk SOA')
    const { status, verification_info } = await domains.verify(id)
    expect(status).toBe('SUCCESS')
    expect(Object.keys(verification_info)).toEqual(['last_checked_timestamp', 'last_success_timestamp'])
  })

  it.each(['v=DKIM1; k=rsa; p=KEY', 'p=KEY;', 'k=rsa;t=s;p= KEY ', 'v=DKIM1;p=KEY'])(
    'takes the key as %s',
    async (form) => {
      publish()
      server.answers.set(`${dkimName} TXT`, [form.replace('KEY', key).match(/.{1,255}/g)])
      expect((await domains.records(id))[0]?.verdict).toBe('ok')
    },
  )

  it.each([
    ['a wrong key', ['p=AAAA']],
    ['a revoked key', ['v=DKIM1; p=']],
    ['two keys', ['p=KEY', 'p=AAAA']],
    ['the same key twice', ['p=KEY', 'p=KEY']],
    ['another version', ['v=DKIM2; p=KEY']],
    ['another type of key', ['k=ed25519; p=KEY']],
    ['no key at all', ['hello']],
  ])('treats %s under the DKIM name as invalid', async (_, texts) => {
    publish()
    server.answers.set(
      `${dkimName} TXT`,
      texts.map((text) => text.replace('KEY', key).match(/.{1,255}/g)),
    )
    expect(await domains.verify(id)).toMatchObject({
      status: 'PENDING',
      verification_info: { error_type: 'INVALID_VALUE' },
    })
  })
})
