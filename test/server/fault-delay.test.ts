import { describe, expect, it } from 'vitest'
import { fixedClock, type Localpost } from '../../src/index.ts'
import { start } from '../support/instance.ts'

const struck = { path: '/v1/**', delay_ms: 60_000, count: 2 }

/** Resolves when a fault was met; the request before it is then being delayed. */
async function met(post: Localpost): Promise<void> {
  const used = async (): Promise<boolean> => (await post.faults.get())?.http[0]?.count === 1
  while (!(await used())) await new Promise((resolve) => setImmediate(resolve))
}

describe('a request that a fault delays', () => {
  it.each([{ clock: fixedClock(0) }, {}])('is answered when the instance closes: %o', async (options) => {
    const post = await start(options)
    await post.faults.set({ http: [struck] })
    const request = new Request('http://localpost/v1/emails', {
      headers: { authorization: `Bearer ${post.apiKey}` },
    })
    const pending = post.fetch(request)
    await met(post)
    await post.close()
    const response = await pending
    expect([response.status, await response.json()]).toMatchObject([503, { name: 'closed' }])
  })

  it('ends when its client disconnects', async () => {
    const post = await start({ clock: fixedClock(0) })
    await post.faults.set({ http: [struck] })
    const caller = new AbortController()
    const url = 'http://localpost/v1/emails'
    const pending = post.fetch(new Request(url, { signal: caller.signal }))
    await met(post)
    caller.abort()
    expect((await pending).status).toBe(503)
  })
})
