import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Localpost, Mail, MailQueryMembers } from '../../src/index.ts'
import { queryMembers } from '../../src/search/query-members.ts'
import { toOpenApi } from '../../src/server/openapi.ts'
import { hollowApp } from '../server/validate-response.ts'
import * as testing from '../../src/testing/index.ts'
import { matchers, startForTest } from '../../src/testing/index.ts'

let post: Localpost
beforeAll(async () => {
  post = await startForTest({ waitTimeoutMs: 20 })
  await post.emails.send({
    from: 'Acme <hi@acme.test>',
    to: 'Ada <ada@example.com>',
    cc: 'Carl <carl@example.com>',
    subject: 'Welcome, hi@acme.test',
    text: 'Your code is\n481516',
    html: '<p>Only in <b>the HTML</b></p>',
  })
  const { id } = await post.inbox.waitFor(undefined, { timeoutMs: 10_000 })
  await post.inbox.update(id, { tags: ['Sign-up'] })
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
})

describe('the words of queries and of expectations', () => {
  it.each([
    { to: 'Ada <ada@example.com>' },
    { text: 'code is 481516' },
    { body: 'code is 481516' },
    { body: /code is 481516/ },
    { text: 'only in the html' },
    { body: 'only in the html' },
  ])('have the same meaning: %j', async (query) => {
    expect(await post.inbox.latest(query)).not.toBeNull()
    await testing.assertSent(post, query)
    await expect(testing.assertNotSent(post, query)).rejects.toThrow('one was sent')
  })

  type Members = MailQueryMembers
  const anHour = 3_600_000
  // For each member of a query, whatever is added to them: what the mail fits, and what it does not.
  const samples: {
    [Name in keyof Required<Members>]: (mail: Mail) => { fits: unknown[]; misses: unknown[] }
  } = {
    to: () => ({
      fits: ['ada@example.com', 'ADA <Ada@Example.com>', 'carl@', /^ada@/g],
      misses: ['da@example.com', 'hi@acme.test', /^example/],
    }),
    cc: () => ({
      fits: ['carl@example.com', 'Carl <carl@example.com>', /^carl/],
      misses: ['ada@example.com', 'arl@example.com', /ada/],
    }),
    from: () => ({
      fits: ['hi@acme.test', 'Somebody <hi@acme.test>', 'acme', /hi@/, /^hi@acme\.test$/],
      misses: ['i@acme.test', 'ada@example.com', /carl/],
    }),
    subject: () => ({
      fits: ['welcome', 'WELCOME, HI', 'i@acme.test', /^Welcome/g],
      misses: ['goodbye', 'ada@example.com', /^welcome/],
    }),
    text: () => ({
      fits: ['code is 481516', 'CODE', 'only in the html', /code is 48/],
      misses: ['no such text', /Code/],
    }),
    body: () => ({
      fits: ['code is 481516', 'CODE', 'only in the html', /code is 48/],
      misses: ['no such text', /Code/],
    }),
    tag: () => ({ fits: ['sign-up', 'Sign-up', /^Sign/], misses: ['sign', /^sign/] }),
    id: ({ id }) => ({ fits: [id], misses: ['em_none', id.slice(0, -1)] }),
    after: ({ received, id }) => ({
      fits: [new Date(received), new Date(received - anHour), `em_${'0'.repeat(22)}`],
      misses: [new Date(received + anHour), id],
    }),
  }

  it('are all the words of queries', () => {
    expect(Object.keys(samples).sort()).toEqual([...queryMembers].sort())
  })

  describe.each(queryMembers)('%s', (name) => {
    const each = async (): Promise<{ fits: unknown[]; misses: unknown[] }> =>
      samples[name]((await post.inbox.latest())!)

    it('has the same meaning in queries, expectations of mail, and expectations of events', async () => {
      const mail = (await post.inbox.latest())!
      const { fits, misses } = await each()
      for (const value of fits) {
        const wanted = { [name]: value }
        expect(await post.inbox.latest(wanted), String(value)).not.toBeNull()
        await testing.assertSent(post, wanted)
        await testing.assertEvent(post, { ...wanted, status: 'delivered' })
        await testing.assertEvent(mail, { ...wanted, status: 'delivered' })
        await expect(testing.assertNotSent(post, wanted), String(value)).rejects.toThrow('one was sent')
        await expect(testing.assertNoEvent(post, wanted)).rejects.toThrow('Expected no event')
        await expect(testing.assertNoEvent(mail, wanted)).rejects.toThrow('Expected no event')
      }
      for (const value of misses) {
        const wanted = { [name]: value }
        expect(await post.inbox.latest(wanted), String(value)).toBeNull()
        await testing.assertNotSent(post, wanted)
        await testing.assertNoEvent(post, wanted)
        await testing.assertNoEvent(mail, wanted)
        const failed = testing.assertSent(post, { ...wanted, timeoutMs: 0 })
        const key = name === 'body' ? 'text' : name
        await expect(failed, String(value)).rejects.toMatchObject({ expected: { [key]: value } })
      }
    })

    it.each([7, [], {}, () => true, null])('refuses %j in each of them', async (value) => {
      const wanted = { [name]: value } as MailQueryMembers
      await expect(post.inbox.latest(wanted)).rejects.toMatchObject({ code: 'invalid_query' })
      await expect(testing.assertSent(post, wanted)).rejects.toThrow(TypeError)
      await expect(testing.assertEvent(post, wanted)).rejects.toThrow(TypeError)
    })
  })

  it('have one name for one thing', async () => {
    await expect(testing.assertSent(post, { text: 'a', body: 'a' })).rejects.toThrow(
      'text and body are the same',
    )
  })
})

describe('the option waitTimeoutMs', () => {
  it('is the time limit of every wait for an arrival', async () => {
    expect(post.waitTimeoutMs).toBe(20)
    const wanted = { to: 'eve@example.com' }
    await expect(post.inbox.waitFor(wanted)).rejects.toThrow('within 20 ms')
    await expect(post.inbox.waitForCount(wanted, 2)).rejects.toThrow('within 20 ms')
    await expect(testing.assertSent(post, wanted)).rejects.toThrow('within 20 ms')
    await expect(testing.assertEvent(post, { status: 'opened' })).rejects.toThrow('within 20 ms')
    await expect(post.inbox.waitFor(wanted, { timeoutMs: 5 })).rejects.toThrow('within 5 ms')
  })

  it('is the default of GET /dev/inbox/wait, and the OpenAPI document states it', async () => {
    const wait = await post.fetch(new Request('http://localpost/dev/inbox/wait?query=to:eve'))
    expect(await wait.json()).toMatchObject({
      name: 'wait_timeout',
      message: expect.stringContaining('within 20 ms'),
    })
    const { paths } = toOpenApi(hollowApp().routes, '0.0.0')
    const { parameters } = JSON.parse(JSON.stringify(paths['/dev/inbox/wait']?.['get']))
    const { schema, description = schema.description } = parameters.find(
      ({ name }: { name: string }) => name === 'timeout_ms',
    )
    const other = await startForTest()
    await other.close()
    expect(description).toBe(
      `Default: the option \`waitTimeoutMs\`, which is ${other.waitTimeoutMs} without it`,
    )
  })

  it('is refused where it is not a duration', async () => {
    await expect(startForTest({ waitTimeoutMs: -1 })).rejects.toThrow('milliseconds from 0')
  })
})
