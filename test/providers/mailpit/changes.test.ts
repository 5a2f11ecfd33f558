import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { list, search, submitAll } from './_mails.ts'
import { openMailpit, type MailpitServer } from './_server.ts'

let server: MailpitServer
beforeAll(async () => {
  server = await openMailpit()
  return server.end
})
beforeEach(async () => void (await server.post.inbox.removeAll()))

describe('what changes messages', () => {
  it('marks those of a list, the matches of a search, or all', async () => {
    const [first, second] = await submitAll(server, 3)
    const unread = async (): Promise<number> => (await list(server)).unread
    await server.call('PUT', '/api/v1/messages', { Read: true, IDs: [first, second] })
    expect(await unread()).toBe(1)
    await server.call('PUT', '/api/v1/messages', { Read: false, Search: 'from:from-0' })
    expect(await unread()).toBe(2)
    await server.call('PUT', '/api/v1/messages', { Read: true })
    expect(await unread()).toBe(0)
    await server.call('PUT', '/api/v1/messages')
    expect(await unread()).toBe(3)
  })

  it('deletes those of a list, the matches of a search, or all', async () => {
    const [first] = await submitAll(server, 4)
    // Names in any case, as Go reads them.
    await server.call('DELETE', '/api/v1/messages', { ids: [first] })
    expect((await list(server)).total).toBe(3)
    await server.call('DELETE', '/api/v1/search?query=from:from-1')
    expect((await list(server)).total).toBe(2)
    await server.call('DELETE', '/api/v1/messages')
    expect((await list(server)).total).toBe(0)
  })

  it('deletes nothing for a request with a mistake in it', async () => {
    await submitAll(server, 1)
    const wrong: readonly [path: string, body?: unknown][] = [
      ['messages', '{"IDs": ['],
      ['messages', { Id: ['em_1'] }],
      ['messages', { IDs: 'em_1' }],
      ['messages', []],
      ['messages?query=from:nobody'],
      ['search'],
      ['search?query='],
      ['search?query=bcc:x'],
      ['search?query=after:2026-01-01&tz=Mars/Base'],
    ]
    for (const [path, body] of wrong) {
      const answer = await server.call('DELETE', `/api/v1/${path}`, body)
      expect(answer.status, `${path} ${JSON.stringify(body)}`).toBe(400)
    }
    expect((await list(server)).total).toBe(1)
  })

  it('renames and removes a tag with a quotation mark, and no other', async () => {
    const [first = '', second = ''] = await submitAll(server, 2)
    await server.call('PUT', '/api/v1/tags', { IDs: [first], Tags: ['a"b'] })
    await server.call('PUT', '/api/v1/tags', { IDs: [second], Tags: ['ab'] })
    expect((await server.call('PUT', '/api/v1/tags/a%22b', { Name: 'x"y' })).text).toBe('ok')
    const tagsOf = async (id: string): Promise<string[]> => (await server.post.inbox.get(id)).tags
    expect([await tagsOf(first), await tagsOf(second)]).toEqual([['x"y'], ['ab']])
    await server.call('DELETE', '/api/v1/tags/x%22y')
    expect([await tagsOf(first), await tagsOf(second)]).toEqual([[], ['ab']])
  })

  it('replaces, renames and removes tags', async () => {
    const [first, second] = await submitAll(server, 2)
    const tags = async (): Promise<unknown> => (await server.call('GET', '/api/v1/tags')).json()
    await server.call('PUT', '/api/v1/tags', { IDs: [first, second], Tags: ['One', 'two', 'TWO'] })
    expect(await tags()).toEqual(['one', 'two'])
    expect((await server.call('PUT', '/api/v1/tags/one', { Name: 'two' })).text).toContain(
      'tag already exists',
    )
    expect((await server.call('PUT', '/api/v1/tags/none', { Name: 'x' })).text).toContain('tag not found')
    expect((await server.call('PUT', '/api/v1/tags/one', { Name: ' two ' })).text).toContain(
      'tag already exists',
    )
    await server.call('PUT', '/api/v1/tags/ONE', { Name: ' Three ' })
    expect(await tags()).toEqual(['three', 'two'])
    await server.call('DELETE', '/api/v1/tags/three')
    expect(await tags()).toEqual(['two'])
    await server.call('PUT', '/api/v1/tags', { IDs: [first] })
    expect((await search(server, 'tag:two')).messages_count).toBe(1)
  })
})
