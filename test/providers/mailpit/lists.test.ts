import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { list, search, submitAll } from './_mails.ts'
import { openMailpit, type MailpitServer } from './_server.ts'

let server: MailpitServer
beforeAll(async () => {
  server = await openMailpit()
  return server.end
})
beforeEach(async () => void (await server.post.inbox.removeAll()))

describe('a list', () => {
  it('has the newest first, a part of it by start and limit, and the numbers of all', async () => {
    const ids = (await submitAll(server, 5)).toReversed()
    const page = await list(server, '?start=1&limit=2')
    expect(page.messages.map(({ ID }) => ID)).toEqual(ids.slice(1, 3))
    const { messages: _, tags: __, ...numbers } = page
    expect(numbers).toEqual({
      total: 5,
      unread: 5,
      count: 2,
      messages_count: 5,
      messages_unread: 5,
      start: 1,
    })
    expect((await list(server, '?limit=0')).messages.map(({ ID }) => ID)).toEqual(ids)
    expect((await search(server, 'subject:line', '&limit=0')).messages).toEqual([])
    expect((await search(server, 'after:2001-01-01', '&tz=')).messages.map(({ ID }) => ID)).toEqual(ids)
    expect((await list(server, '?start=9')).messages).toEqual([])
    expect((await list(server, '?before=2001-01-01')).messages).toEqual([])
    expect((await list(server, '?start=&limit=&before=')).messages.map(({ ID }) => ID)).toEqual(ids)
    await server.call('PUT', '/api/v1/messages', { IDs: [ids[0]], Read: true })
    expect((await list(server)).messages.map(({ Read }) => Read)).toEqual([true, false, false, false, false])
    expect(await search(server, 'subject:line')).toMatchObject({ total: 5, unread: 4, messages_unread: 4 })
    expect(await search(server, 'is:read')).toMatchObject({
      messages_count: 1,
      messages_unread: 0,
      unread: 4,
    })
  })

  it('has more than a page of the inbox', async () => {
    const { post } = server
    for (let i = 0; i < 520; i++)
      await post.emails.send({ from: 'a@acme.test', to: 'b@acme.test', subject: `${i}`, text: 'x' })
    const { messages } = await list(server, '?limit=510&start=5')
    expect(messages.length).toBe(510)
    expect(new Set(messages.map(({ ID }) => ID)).size).toBe(510)
    expect(messages.map(({ Subject }) => Subject).slice(0, 2)).toEqual(['514', '513'])
  })

  it.each<[query: string, count: number]>([
    ['from-1@example.com', 1],
    ['from:from-1@example.com', 1],
    ['-FROM:FROM-1@EXAMPLE.COM', 4],
    ['to:from-1@example.com', 0],
    ['from:@example.com', 5],
    ['subject:"SUBJECT LINE 3 END"', 1],
    ['!thisdoesnotexist', 5],
    ['thisdoesnotexist', 0],
    ['tag:"TEST TAG"', 1],
    ['!tag:"Test tag"', 4],
    ['after:2001-01-01 before:2100-01-01', 5],
  ])('of the search %s has %i messages', async (query, count) => {
    const [id] = await submitAll(server, 5)
    await server.call('PUT', '/api/v1/tags', { IDs: [id], Tags: ['Test tag'] })
    expect((await search(server, query)).messages_count).toBe(count)
  })
})
