import { describe, expect, it } from 'vitest'
import type { RuleInput } from '../../src/rules/types.ts'
import { openInProcess } from '../server/_face.ts'
import { lastingPlace } from '../support/adapters.ts'
import { startRetrying } from '../support/instance.ts'

describe('rules', () => {
  it('are empty at first, and are answered with all members', async () => {
    const { call, post } = await openInProcess()
    expect(await (await call('GET', '/dev/rules')).json()).toEqual([])
    const given = [
      { match: 'Ada@Example.com', action: 'reject' },
      { match: '*', action: 'reject', code: 452, text: 'Full' },
      { match: 'a.test', action: 'reject', code: 599 },
      { match: '@b.test', action: 'greylist' },
      { match: 'c.test', action: 'delay', delay_ms: 60_000 },
      { match: 'd.test', action: 'drop' },
      { match: 'e.test', action: 'accept' },
    ]
    const filled = [
      {
        match: 'Ada@Example.com',
        action: 'reject',
        code: 550,
        enhanced_code: '5.1.1',
        text: 'Refused by a rule',
      },
      { match: '*', action: 'reject', code: 452, enhanced_code: '4.2.2', text: 'Full' },
      { match: 'a.test', action: 'reject', code: 599, enhanced_code: '5.0.0', text: 'Refused by a rule' },
      { match: '@b.test', action: 'greylist', times: 1 },
      { match: 'c.test', action: 'delay', delay_ms: 60_000 },
      { match: 'd.test', action: 'drop' },
      { match: 'e.test', action: 'accept' },
    ]
    expect(await (await call('PUT', '/dev/rules', { body: given })).json()).toEqual(filled)
    expect(await (await call('GET', '/dev/rules')).json()).toEqual(filled)
    expect(await post.rules.get()).toEqual(filled)
    expect(await post.rules.set([])).toEqual([])
  })

  it.each([
    [{ match: 'x.test', action: 'reject', code: 250 }, '[1].code'],
    [{ match: 'x.test', action: 'reject', code: 600 }, '[1].code'],
    [{ match: 'x.test', action: 'reject', code: 550, enhanced_code: '4.1.1' }, '[1].enhanced_code'],
    [{ match: 'x.test', action: 'reject', enhanced_code: '5.1' }, '[1].enhanced_code'],
    [{ match: 'x.test', action: 'reject', text: 'a\r\n250 b' }, '[1].text'],
    [{ match: 'x.test', action: 'delay' }, '[1].delay_ms'],
    [{ match: 'x.test', action: 'delay', delay_ms: 60_001 }, '[1].delay_ms'],
    [{ match: 'x.test', action: 'greylist', times: 0 }, '[1].times'],
    [{ match: 'a b@x.test', action: 'drop' }, '[1].match'],
    [{ action: 'drop' }, '[1].match'],
    [{ match: 'x.test', action: 'explode' }, '[1].action'],
    [{ match: 'x.test' }, '[1].action'],
    [{ match: 'x.test', action: 'drop', code: 550 }, '[1]'],
    ['x.test', '[1]'],
  ])(
    'are refused where they are invalid, with the position, and change nothing: %j',
    async (wrong, field) => {
      const { call, post } = await openInProcess()
      await post.rules.set([{ match: 'kept.test', action: 'drop' }])
      const response = await call('PUT', '/dev/rules', { body: [{ match: 'a.test', action: 'drop' }, wrong] })
      const body = (await response.json()) as { errors: { field: string; message: string }[] }
      expect([response.status, body]).toMatchObject([422, { name: 'validation_error', errors: [{ field }] }])
      expect(body.errors[0]?.message).toMatch(/\w{4}/)
      expect(await post.rules.get()).toEqual([{ match: 'kept.test', action: 'drop' }])
    },
  )

  it('are refused with the unknown word for an action', async () => {
    const { call } = await openInProcess()
    const answer = await call('PUT', '/dev/rules', { body: [{ match: '*', action: 'graylist' }] })
    expect(await answer.json()).toMatchObject({
      message: '[0].action: must be one of "accept", "reject", "delay", "greylist", "drop", not "graylist"',
    })
  })

  it('survive a restart, and replace those of the options', async () => {
    const place = lastingPlace()
    const rule: RuleInput = { match: 'a.test', action: 'drop' }
    const first = await startRetrying(place)
    await first.rules.set([rule])
    await first.close()
    const second = await startRetrying(place)
    expect(await second.rules.get()).toEqual([rule])
    await second.close()
    const third = await startRetrying({ ...place, rules: [{ match: 'b.test', action: 'accept' }] })
    expect(await third.rules.get()).toEqual([{ match: 'b.test', action: 'accept' }])
    await third.close()
    const fourth = await startRetrying(place)
    expect(await fourth.rules.get()).toEqual([{ match: 'b.test', action: 'accept' }])
    await fourth.close()
    const fifth = await startRetrying({ ...place, rules: [] })
    expect(await fifth.rules.get()).toEqual([])
  })

  it('of the options are validated at the start', async () => {
    const rules = [{ match: 'a.test', action: 'reject', code: 9 }] as RuleInput[]
    await expect(startRetrying({ rules })).rejects.toMatchObject({
      code: 'invalid_option',
      message: expect.stringContaining('"rules[0].code"') as string,
    })
  })

  it('of the options are restored by a reset, unless rules are kept', async () => {
    const given: RuleInput = { match: 'a.test', action: 'drop' }
    const set: RuleInput = { match: 'b.test', action: 'drop' }
    const { call, post } = await openInProcess({ rules: [given] })
    await post.rules.set([set])
    await call('POST', '/dev/reset', { body: { keep: ['rules'] } })
    expect(await post.rules.get()).toEqual([set])
    await post.faults.set({ rate_limit: { requests: 1, per_ms: 1 } })
    await call('POST', '/dev/reset')
    expect([await post.rules.get(), await post.faults.get()]).toEqual([[given], null])
  })
})
