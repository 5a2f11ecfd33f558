import { describe, expect, it } from 'vitest'
import { createLocalpost } from '../../src/index.ts'

const hello = { from: 'Acme <hi@acme.test>', to: 'ada@example.com', subject: 'Hi', text: 'Hello' }
const list = (key: string): Request =>
  new Request('http://localpost/v1/emails', { headers: { authorization: `Bearer ${key}` } })

describe('an instance that is closed', () => {
  it('ends every wait, those that run and those that come', async () => {
    const post = await createLocalpost()
    const running = [post.inbox.waitFor(), post.inbox.waitFor('x', { timeoutMs: Number.POSITIVE_INFINITY })]
    const ended = Promise.all(running.map((wait) => expect(wait).rejects.toMatchObject({ code: 'closed' })))
    await post.close()
    await ended
    await expect(post.inbox.waitFor()).rejects.toMatchObject({ code: 'closed' })
  })

  it('answers HTTP with that, also where nobody had asked before', async () => {
    const post = await createLocalpost()
    await post.close()
    for (let i = 0; i < 2; i++) {
      const answer = await post.fetch(list(post.apiKey))
      expect(answer.status).toBe(503)
      expect(await answer.json()).toMatchObject({ name: 'closed', statusCode: 503 })
    }
  })

  it('closes what was about to open', async () => {
    const post = await createLocalpost()
    const listening = post.listen()
    const closing = post.close()
    expect(post[Symbol.asyncDispose]()).toBe(closing)
    const [opened] = await Promise.allSettled([listening, closing])
    if (opened.status === 'fulfilled') await expect(fetch(opened.value.url)).rejects.toThrow('fetch failed')
    else expect(opened.reason).toMatchObject({ code: 'closed' })
  })

  it('refuses everything else with a code', async () => {
    const post = await createLocalpost()
    await post.close()
    for (const call of [
      () => post.emails.send(hello),
      () => post.emails.list(),
      () => post.inbox.list(),
      () => post.domains.create({ name: 'acme.example' }),
      () => post.audiences.list(),
      () => post.rules.set([]),
      () => post.webhooks.create({ url: 'http://127.0.0.1:9' }),
      () => post.reset(),
      () => post.snapshot(),
      () => post.listen(),
    ])
      await expect(call()).rejects.toMatchObject({ code: 'closed' })
  })
})
