import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openMailpit, type MailpitServer } from './_server.ts'

let server: MailpitServer
beforeAll(async () => {
  server = await openMailpit()
  return server.end
})
beforeEach(async () => void (await server.post.inbox.removeAll()))

describe('chaos', () => {
  it('sets faults of SMTP beside others, and shows and resets them', async () => {
    const { post } = server
    await post.faults.set({
      http: [{ path: '/v1/emails', status: 500 }],
      smtp: [{ stage: 'data', code: 451 }],
    })
    const off = { ErrorCode: 451, Probability: 0 }
    const set = await server.call('PUT', '/api/v1/chaos', { Sender: { ErrorCode: 550, Probability: 100 } })
    expect(set.json()).toEqual({
      Sender: { ErrorCode: 550, Probability: 100 },
      Recipient: off,
      Authentication: { ErrorCode: 535, Probability: 0 },
    })
    await expect(server.submit({ from: 'a@example.com', to: 'b@example.com' })).rejects.toThrow('550')
    expect((await server.call('PUT', '/api/v1/chaos', {})).json()).toMatchObject({ Sender: off })
    expect(await post.faults.get()).toMatchObject({
      http: [{ path: '/v1/emails' }],
      smtp: [{ stage: 'data' }],
    })
    await post.faults.clear()
    for (const wrong of [
      { ErrorCode: 200, Probability: 1 },
      { ErrorCode: 451, Probability: 101 },
    ])
      expect((await server.call('PUT', '/api/v1/chaos', { Sender: wrong })).status).toBe(400)
  })
})
