import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createCall } from '../../src/client/call.ts'
import { createClient } from '../../src/client/index.ts'
import { start } from '../support/instance.ts'

// Never answers, and ignores the signal of its request, as an in-process fetch may.
const silent = (): Promise<Response> => new Promise(() => {})
const options = { url: 'http://localpost', apiKey: 'k' }

describe('a fetch that ignores its signal', () => {
  it('is abandoned at the time limit', async () => {
    const client = createClient({ ...options, fetch: silent, timeoutMs: 20 })
    await expect(client.emails.list()).rejects.toMatchObject({ code: 'request_timeout' })
  }, 2_000)

  it('is not abandoned at once when a wait is added to the longest limit', async () => {
    const calls = createCall({
      ...options,
      fetch: () => delay(20, Response.json({})),
      timeoutMs: 2 ** 31 - 1,
    })
    await expect(calls.ask('GET', ['inbox', 'wait'], { waitMs: 1000 })).resolves.toEqual({})
  })

  it('is abandoned when its body does not end', async () => {
    const fetch = async (): Promise<Response> => new Response(new ReadableStream())
    const client = createClient({ ...options, fetch, timeoutMs: 20 })
    await expect(client.emails.list()).rejects.toMatchObject({ code: 'request_timeout' })
  }, 2_000)

  it('is abandoned when the caller aborts, before the call or during it', async () => {
    const client = createClient({ ...options, fetch: silent })
    const controller = new AbortController()
    const reason = new Error('not wanted')
    const listing = client.emails.list({ signal: controller.signal })
    controller.abort(reason)
    await expect(listing).rejects.toBe(reason)
    await expect(client.emails.list({ signal: controller.signal })).rejects.toBe(reason)
  }, 2_000)

  it('has the body of an answer cancelled that comes later', async () => {
    let answer = (_response: Response): void => undefined
    const late = new Promise<Response>((resolve) => (answer = resolve))
    const client = createClient({ ...options, fetch: () => late, timeoutMs: 20 })
    await expect(client.emails.list()).rejects.toMatchObject({ code: 'request_timeout' })
    await new Promise<void>((cancel) => answer(new Response(new ReadableStream({ cancel: () => cancel() }))))
  }, 2_000)
})

describe('an identifier that is not a path segment', () => {
  it.each(['', '.', '..', '\ud800', undefined, 7])('%j is refused before a request is made', async (id) => {
    const post = await start()
    let requests = 0
    const inProcess = post.fetch
    const fetch = (request: Request): Promise<Response> => {
      requests++
      return inProcess(request)
    }
    const client = createClient({ ...options, apiKey: post.apiKey, fetch })
    const refused = { code: 'validation_error', message: expect.stringMatching(/identifier/) }
    await expect(client.emails.get(id as string)).rejects.toMatchObject(refused)
    await expect(client.domains.get(id as string)).rejects.toMatchObject(refused)
    await expect(client.audiences.contacts.list(id as string)).rejects.toMatchObject(refused)
    await expect(client.accounts.get(id as string)).rejects.toMatchObject(refused)
    await expect(client.accounts.update(id as string, {})).rejects.toMatchObject(refused)
    await expect(client.accounts.remove(id as string)).rejects.toMatchObject(refused)
    expect(requests).toBe(0)
  })
})
