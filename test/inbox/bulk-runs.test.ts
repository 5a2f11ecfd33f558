import { describe, expect, it } from 'vitest'
import { start } from '../support/instance.ts'
import { submitMany } from './_email.ts'

describe('changes of many mails', () => {
  it('report progress, and can be aborted with what is done kept', async () => {
    const post = await start()
    await submitMany(post, 1500)
    const steps: [number, number][] = []
    const count = await post.inbox.updateMatching(
      null,
      { unread: false },
      { onProgress: (done, total) => steps.push([done, total]) },
    )
    expect(count).toBe(1500)
    expect(steps.length).toBeGreaterThan(1)
    expect(steps.at(-1)).toEqual([1500, 1500])
    const abort = new AbortController()
    const marked = await post.inbox.updateMatching(
      null,
      { unread: true },
      { signal: abort.signal, onProgress: () => abort.abort() },
    )
    expect(marked).toBeGreaterThan(0)
    expect(marked).toBeLessThan(1500)
    expect((await post.inbox.list({ query: 'is:unread' })).count).toBe(marked)
    expect(await post.inbox.removeMatching(null, { signal: AbortSignal.abort() })).toBe(0)
    expect((await post.inbox.list()).count).toBe(1500)
    const misspelt: object = { onprogress: () => {} }
    await expect(post.inbox.removeMatching(null, misspelt)).rejects.toThrow('onProgress')
  })

  it('are one live event, and can be seen and cancelled over HTTP', async () => {
    const post = await start()
    await submitMany(post, 1500)
    // Reading mail after its arrival changes it too. A search waits for that, but not longer than some seconds.
    const unread = async (): Promise<number> => (await post.inbox.list({ query: 'text' })).unread_texts ?? 0
    await expect.poll(unread, { timeout: 45_000 }).toBe(0)
    const events: string[] = []
    const { body } = await post.fetch(new Request('http://localpost/dev/events'))
    const reading = (async () => {
      for await (const text of body?.pipeThrough(new TextDecoderStream()) ?? []) {
        events.push(...text.split('\n\n'))
        const all = events.join('\n')
        if (all.includes('emails.changed') && all.includes('"state":"done"')) return
      }
    })()
    const call = async (method: string, path: string, given?: object): Promise<unknown> => {
      const init = given
        ? { body: JSON.stringify(given), headers: { 'content-type': 'application/json' } }
        : {}
      return (await post.fetch(new Request(`http://localpost${path}`, { method, ...init }))).json()
    }
    expect(await call('PATCH', '/dev/inbox?all=true', { unread: false })).toEqual({ updated: 1500 })
    await reading
    expect(events.filter((text) => text.includes('event: email.'))).toEqual([])
    expect(events.filter((text) => text.includes('event: emails.changed'))).toEqual([
      expect.stringContaining('data: {"updated":1500,"deleted":0}'),
    ])
    const progress = events.filter((text) => text.includes('event: bulk.progress'))
    expect(progress.at(-1)).toContain('"change":"update","state":"done","done":1500,"total":1500')

    // A change that waits for others is cancelled before its first mail.
    const tagging = Array.from({ length: 8 }, (_, n) =>
      post.inbox.updateMatching(null, { add_tags: [`tag${n}`] }),
    )
    const waiting = call('DELETE', '/dev/inbox?all=true')
    let found: { id: string; change: string; state: string }[] = []
    while (found[0]?.change !== 'delete')
      found = ((await call('GET', '/dev/inbox/bulk')) as { changes: typeof found }).changes
    await call('DELETE', `/dev/inbox/bulk/${found[0]?.id}`)
    expect(await waiting).toEqual({ deleted: 0, cancelled: true })
    expect(await Promise.all(tagging)).toEqual(tagging.map(() => 1500))
    expect((await post.inbox.list()).count).toBe(1500)
    expect(await call('DELETE', '/dev/inbox/bulk/blk_x')).toMatchObject({ name: 'not_found' })
  })

  it('of few mails are an event for each', async () => {
    const post = await start()
    await submitMany(post, 3)
    const { body } = await post.fetch(new Request('http://localpost/dev/events'))
    await post.inbox.removeAll()
    let text = ''
    for await (const part of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += part
      if (text.split('event: email.deleted').length === 4) break
    }
    expect(text).not.toContain('emails.changed')
  })

  it('end a wait for what they change', async () => {
    const post = await start()
    await submitMany(post, 150)
    const waiting = post.inbox.waitFor('tag:late', { timeoutMs: 5000 })
    await post.inbox.updateMatching(null, { add_tags: ['late'] })
    expect((await waiting).tags).toEqual(['late'])
  })

  it('are refused where too many wait, and end with the instance', async () => {
    const post = await start()
    await submitMany(post, 200)
    const changes = Array.from({ length: 25 }, () => post.inbox.updateMatching(null, { unread: false }))
    const outcomes = await Promise.allSettled(changes)
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
    expect(refused).toHaveLength(5)
    expect(refused[0]).toMatchObject({ code: 'service_unavailable' })
  })
})

describe('a page by its position', () => {
  it('has the rows from there on, for all mail and for each kind of query', async () => {
    const post = await start()
    await submitMany(post, 40)
    await post.inbox.updateMatching('subject:"mail 1"', { unread: false })
    for (const query of [undefined, 'mail', 'is:unread', 'subject:mail', 'is:read mail', 'tag:none']) {
      const all = await post.inbox.list({ ...(query ? { query } : {}), limit: 500 })
      for (const offset of [0, 1, 7, 39, 40, 1000]) {
        const page = await post.inbox.list({ ...(query ? { query } : {}), offset, limit: 5 })
        expect(page.items.map(({ id }) => id)).toEqual(
          all.items.slice(offset, offset + 5).map(({ id }) => id),
        )
        expect(page.count).toBe(all.count)
        expect(page.cursor === null).toBe(offset + 5 >= all.count)
      }
    }
    await expect(post.inbox.list({ offset: -1 })).rejects.toMatchObject({ errors: [{ field: 'offset' }] })
    const { cursor } = await post.inbox.list({ limit: 5 })
    await expect(post.inbox.list({ offset: 1, cursor })).rejects.toThrow('offset')
  })
})
