import { beforeAll, describe, expect, it } from 'vitest'
import type { Localpost } from '../../src/index.ts'
import { startShared } from '../support/instance.ts'

let post: Localpost
beforeAll(async () => {
  const shared = await startShared()
  post = shared.post
  return shared.end
})

const send = (subject: string): Promise<{ id: string }> =>
  post.emails.send({ from: 'Acme <hi@acme.test>', to: 'Ada <ada@x.com>', subject, text: 'Your  code' })

/** Values that mean no query, or one that matches every mail. */
const refused: readonly [string, unknown][] = [
  ['a function', () => true],
  ['a RegExp', /welcome/],
  ['an array', ['to:ada']],
  ['a number', 7],
  ['a boolean', true],
  ['a symbol', Symbol('to')],
  ['null', null],
  ['a Date', new Date()],
  ['a Map', new Map([['to', 'ada']])],
  ['an empty member', { to: '' }],
  ['an undefined member', { to: undefined }],
  ['a member that is null', { subject: null }],
  ['a member that is a number', { tag: 1 }],
  ['an unknown member', { too: 'ada' }],
  ['an id that is a RegExp', { id: /em/ }],
  ['a time that is none', { after: new Date('never') }],
  ['an after that is no id', { after: 'yesterday' }],
  ['text and body', { text: 'a', body: 'b' }],
]

/** Every method that takes a query. */
const methods: Readonly<Record<string, (query: never) => Promise<unknown>>> = {
  waitFor: (query) => post.inbox.waitFor(query, { timeoutMs: 10 }),
  waitForCount: (query) => post.inbox.waitForCount(query, 1, { timeoutMs: 10 }),
  expectNone: (query) => post.inbox.expectNone(query, { timeoutMs: 10 }),
  latest: (query) => post.inbox.latest(query),
  list: (query) => post.inbox.list({ query }),
  export: (query) => post.inbox.export(query),
}

describe.each(Object.entries(methods))('inbox.%s', (_, method) => {
  it.each(refused)('refuses %s', async (_, query) => {
    await expect(method(query as never)).rejects.toMatchObject({ code: 'invalid_query' })
  })
})

describe('a removal or a change by query', () => {
  it.each(refused.filter(([, query]) => query !== null))('refuses %s', async (_, query) => {
    await send('kept')
    const code = expect.stringMatching(/^(?:invalid_option|validation_error)$/)
    await expect(post.inbox.removeMatching(query as never)).rejects.toMatchObject({ code })
    await expect(post.inbox.updateMatching(query as never, { unread: false })).rejects.toMatchObject({ code })
    expect((await post.inbox.list()).count).toBeGreaterThan(0)
    await post.inbox.removeAll()
  })
})

describe('a query by members', () => {
  it('finds by a mailbox with a name, by id, by text in either name, and after a cursor or a time', async () => {
    await post.inbox.removeAll()
    expect(await post.inbox.latest()).toBeNull()
    const start = await post.inbox.mark()
    const one = await send('one')
    const middle = await post.inbox.mark()
    expect(middle).toBe(one.id)
    const two = await send('two')
    for (const query of [
      { to: 'Ada <ada@x.com>' },
      { to: '<ada@x.com>' },
      { text: 'your code' },
      { body: 'your code' },
    ])
      expect((await post.inbox.waitForCount(query, 2)).map(({ id }) => id)).toEqual([two.id, one.id])
    expect((await post.inbox.waitFor({ id: one.id })).subject).toBe('one')
    expect(await post.inbox.waitForCount({ after: start }, 2)).toHaveLength(2)
    expect((await post.inbox.waitFor({ after: middle })).id).toBe(two.id)
    await post.inbox.expectNone({ after: two.id }, { timeoutMs: 10 })
    await post.inbox.expectNone({ after: new Date(Date.now() + 60_000) }, { timeoutMs: 10 })
    expect(await post.inbox.waitForCount({ after: new Date(Date.now() - 60_000) }, 2)).toHaveLength(2)
    await post.inbox.waitFor(undefined, { after: new Date(Date.now() - 60_000) })
    expect((await post.inbox.latest({ subject: 'one' }))?.id).toBe(one.id)
    expect(await post.inbox.removeAll()).toBe(2)
  })
})

describe('an error in the query of a test', () => {
  it('begins with the line of the test, also after a wait', async () => {
    const stackOf = async (call: Promise<unknown>): Promise<string> =>
      call.then(
        () => '',
        (error: Error) => error.stack?.split('\n').find((line) => line.trim().startsWith('at ')) ?? '',
      )
    expect(await stackOf(post.inbox.waitFor({ to: 'nobody@x.com' }, { timeoutMs: 10 }))).toContain(
      'query-members.test.ts',
    )
    expect(await stackOf(post.inbox.get('em_no'))).toContain('query-members.test.ts')
  })
})
