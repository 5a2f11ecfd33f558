import { describe, expect, it } from 'vitest'
import { LocalpostError } from '../../src/core/errors.ts'
import { createFailedLogins } from '../../src/keys/failed-logins.ts'
import { spellingsOf } from '../net/_spellings.ts'
import { openInProcess, openOverSocket } from '../server/_face.ts'

const wrong = new LocalpostError('invalid_api_key', 'There is no such key.')
const at = (time: { now: number }) => createFailedLogins({ now: () => time.now })

describe('wrong keys', () => {
  it('are counted per address, for a minute', () => {
    const time = { now: 0 }
    const failed = at(time)
    for (let i = 0; i < 100; i++) expect(failed.countFailure('192.0.2.1', wrong)).toBe(wrong)
    expect(failed.countFailure('192.0.2.1', wrong)).toMatchObject({
      code: 'rate_limit_exceeded',
      headers: { 'retry-after': '60' },
    })
    expect(failed.countFailure('192.0.2.2', wrong)).toBe(wrong)
    time.now = 60_000
    expect(failed.countFailure('192.0.2.1', wrong)).toBe(wrong)
  })

  it.each([
    ['2001:db8::1', '2001:db8:0:0:ffff::2', true],
    ['2001:db8:1:2:3:4:5:6', '2001:0db8:0001:0002::', true],
    ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
    ['fe80::1%eth0', 'fe80::2', true],
    ['::1', '127.0.0.2', true],
    ['::ffff:192.0.2.1', '::ffff:192.0.2.2', false],
  ])('count an IPv6 address by its first 64 bits: %s and %s', (one, other, isSame) => {
    const failed = at({ now: 0 })
    for (let i = 0; i < 100; i++) failed.countFailure(one, wrong)
    expect(failed.countFailure(other, wrong).code).toBe(isSame ? 'rate_limit_exceeded' : 'invalid_api_key')
  })

  it('count an IPv4 address as one in every spelling', () => {
    for (const spelling of spellingsOf('192.0.2.1')) {
      const failed = at({ now: 0 })
      for (let i = 0; i < 100; i++) failed.countFailure(spelling, wrong)
      expect([spelling, failed.countFailure('192.0.2.1', wrong).message]).toEqual([
        spelling,
        expect.stringContaining(' 192.0.2.1 '),
      ])
      expect(failed.countFailure('::ffff:192.0.2.2', wrong)).toBe(wrong)
    }
  })

  it('of more addresses than the table holds replace the oldest', () => {
    const failed = at({ now: 0 })
    for (let i = 0; i < 101; i++) failed.countFailure('192.0.2.1', wrong)
    for (let i = 0; i < 10_000; i++) failed.countFailure(`10.0.${i >> 8}.${i & 255}`, wrong)
    expect(failed.countFailure('192.0.2.1', wrong)).toBe(wrong)
  })

  it('are answered 429 on every route, and a good key is still accepted', async () => {
    const { call } = await openOverSocket()
    const statuses: number[] = []
    for (let i = 0; i < 101; i++) statuses.push((await call('GET', '/v1/emails', { key: 'wrong' })).status)
    expect(statuses.slice(-2)).toEqual([401, 429])
    const refused = await call('GET', '/v1/emails', { key: 'wrong' })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await call('POST', '/dev/session', { body: { key: 'wrong' } })).status).toBe(429)
    expect((await call('GET', '/v1/emails')).status).toBe(200)
  })

  it('are not counted in process', async () => {
    const { call } = await openInProcess()
    for (let i = 0; i < 110; i++) expect((await call('GET', '/v1/emails', { key: 'wrong' })).status).toBe(401)
  })
})
