import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { list, type Part } from './_mails.ts'
import { openMailpit, type MailpitServer, type Read } from './_server.ts'

let server: MailpitServer
beforeAll(async () => {
  server = await openMailpit()
  return server.end
})
beforeEach(async () => void (await server.post.inbox.removeAll()))

describe('a send', () => {
  it('stores a message with all of its members, which can be read at once', async () => {
    const sent = await server.call('POST', '/api/v1/send', {
      From: { Email: 'john@example.com', Name: 'John "J" Doe' },
      To: [{ Email: 'jane@example.com', Name: 'Jane Doe' }],
      Cc: [{ Email: 'm@example.com', Name: 'Manager, 1' }],
      Bcc: ['jack@example.com'],
      ReplyTo: [{ Email: 'help@example.com', Name: 'Help' }],
      Headers: { 'X-IP': '1.2.3.4' },
      Subject: 'Sent',
      Text: 'the text {{x}}',
      HTML: '<p>the HTML</p>',
      Tags: ['Tag 1', 'Tag 2'],
      Attachments: [{ Content: 'data:text/plain;base64,VGhpcyBpcyBh', Filename: 'Attached File.txt' }],
    })
    const { ID } = sent.json() as { ID: string }
    const message = (await server.call('GET', `/api/v1/message/${ID}`)).json() as { Attachments: Part[] }
    expect(message).toMatchObject({
      From: { Name: 'John "J" Doe', Address: 'john@example.com' },
      To: [{ Name: 'Jane Doe', Address: 'jane@example.com' }],
      Cc: [{ Name: 'Manager, 1', Address: 'm@example.com' }],
      Bcc: [{ Name: '', Address: 'jack@example.com' }],
      ReplyTo: [{ Name: 'Help', Address: 'help@example.com' }],
      Subject: 'Sent',
      Text: 'the text {{x}}',
      HTML: '<p>the HTML</p>',
      Tags: ['Tag 1', 'Tag 2'],
    })
    expect(message.Attachments).toMatchObject([{ FileName: 'Attached File.txt', Size: 9 }])
  })

  it('takes a subject alone', async () => {
    const answer = await server.call('POST', '/api/v1/send', {
      From: { Email: 'a@example.com' },
      To: [{ Email: 'b@example.com' }],
      Subject: 'Welcome',
      Cc: [],
      Tags: null,
    })
    expect(answer.status).toBe(200)
    expect((await list(server)).messages).toMatchObject([{ Subject: 'Welcome' }])
  })

  it.each<[what: string, body: unknown, reason: string]>([
    ['no sender', { To: [{ Email: 'b@example.com' }] }, 'From'],
    [
      'a wrong address',
      { From: { Email: 'a@example.com' }, To: [{ Email: 'b, c@example.com' }] },
      'b, c@example.com',
    ],
    [
      'two addresses in one',
      { From: { Email: 'a@example.com, b@example.com' }, To: [] },
      'a@example.com, b@example.com',
    ],
    [
      'a line end in a name',
      { From: { Email: 'a@example.com', Name: 'a\r\nBcc: x' }, To: [{ Email: 'b@example.com' }] },
      'From',
    ],
    [
      'a field that is written here',
      { From: { Email: 'a@example.com' }, To: [{ Email: 'b@example.com' }], Headers: { Bcc: 'x' } },
      'Bcc',
    ],
    [
      'an unknown member',
      { From: { Email: 'a@example.com' }, To: [{ Email: 'b@example.com' }], Cec: [] },
      'Cec',
    ],
    [
      'bytes that are no base64',
      {
        From: { Email: 'a@example.com' },
        To: [{ Email: 'b@example.com' }],
        Attachments: [{ Content: '%%%', Filename: 'x' }],
      },
      'base64',
    ],
    ['no JSON', '{', 'JSON'],
  ])('with %s is refused with the reason', async (_, body, reason) => {
    const answer: Read = await server.call('POST', '/api/v1/send', body)
    expect([answer.status, Object.keys(answer.json() as object)]).toEqual([400, ['Error']])
    expect(answer.text).toContain(reason)
    expect((await list(server)).total).toBe(0)
  })
})
