import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Localpost } from '../../src/index.ts'
import * as testing from '../../src/testing/index.ts'
import { matchers, startForTest } from '../../src/testing/index.ts'

let post: Localpost
beforeAll(async () => {
  post = await startForTest({ waitTimeoutMs: 20 })
  await post.emails.send({
    from: 'Acme <hi@acme.test>',
    to: 'Ada <ada@example.com>',
    subject: 'Welcome',
    text: 'Your code is\n481516',
    html: '<p>Only in <b>the HTML</b></p>',
  })
  await post.inbox.waitFor(undefined, { timeoutMs: 10_000 })
})
afterAll(() => post.close())

// Every matcher and assertion that takes an expectation, from what the package exports.
const checks = [
  ...Object.entries(matchers).map(([name, check]) => [name, check] as const),
  ...Object.entries(testing).filter(([name]) => name.startsWith('assert')),
].filter(([name]) => !name.endsWith('UnrenderedPlaceholders'))
const ofAddress = /Sent|Event/
const received = async (name: string): Promise<unknown> =>
  ofAddress.test(name) ? post : (await post.inbox.latest())!
const call = async (name: string, expectation: unknown): Promise<unknown> => {
  const [, check] = checks.find(([one]) => one === name)!
  return Reflect.apply(check as () => unknown, {}, [await received(name), expectation])
}

describe.each(checks.map(([name]) => name))('%s', (name) => {
  const isCode = name.endsWith('Code')
  const member = ofAddress.test(name) ? (name.endsWith('Event') ? 'recipient' : 'to') : 'href'
  const refused: [what: string, expectation: unknown][] = [
    ['an empty member', { [member]: '' }],
    ['an undefined member', { [member]: undefined }],
    ['a function', () => true],
    ['an array', [{ [member]: 'x' }]],
    ['a number', 7],
    ['a Date', new Date(0)],
    ['null', null],
    isCode || member === 'href' ? ['an empty text', ''] : ['a RegExp', /ada/],
  ]
  it.each(refused)('refuses %s', async (_, expectation) => {
    await expect(call(name, expectation)).rejects.toThrow(TypeError)
  })

  it.runIf(ofAddress.test(name))('says what the old name is called now', async () => {
    await expect(call(name, { withinMs: 5 })).rejects.toThrow('"withinMs" is called "timeoutMs" now')
  })
})

describe('the words of queries and of expectations', () => {
  it.each([
    { to: 'Ada <ada@example.com>' },
    { text: 'code is 481516' },
    { body: 'code is 481516' },
    { body: /code is 481516/ },
    { text: 'only in the html' },
    { body: 'only in the html' },
  ])('mean the same: %j', async (query) => {
    expect(await post.inbox.latest(query)).not.toBeNull()
    await testing.assertSent(post, query)
    await expect(testing.assertNotSent(post, query)).rejects.toThrow('one was sent')
  })

  it('say one thing once', async () => {
    await expect(testing.assertSent(post, { text: 'a', body: 'a' })).rejects.toThrow(
      'text and body are the same',
    )
  })
})

describe('the option waitTimeoutMs', () => {
  it('is the time of every wait for what should come', async () => {
    expect(post.waitTimeoutMs).toBe(20)
    const wanted = { to: 'eve@example.com' }
    await expect(post.inbox.waitFor(wanted)).rejects.toThrow('within 20 ms')
    await expect(post.inbox.waitForCount(wanted, 2)).rejects.toThrow('within 20 ms')
    await expect(testing.assertSent(post, wanted)).rejects.toThrow('within 20 ms')
    await expect(testing.assertEvent(post, { status: 'opened' })).rejects.toThrow('within 20 ms')
    await expect(post.inbox.waitFor(wanted, { timeoutMs: 5 })).rejects.toThrow('within 5 ms')
  })

  it('has one name in the inbox too', async () => {
    const old = JSON.parse('{"withinMs":5}')
    for (const wait of [
      () => post.inbox.expectNone('x', old),
      () => post.inbox.waitFor('x', old),
      () => post.inbox.waitForCount('x', 1, old),
    ])
      await expect(wait()).rejects.toThrow('is called "timeoutMs" now')
  })

  it('is refused where it is no time', async () => {
    await expect(startForTest({ waitTimeoutMs: -1 })).rejects.toThrow('milliseconds from 0')
  })
})
