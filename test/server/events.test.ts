import { connect, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { Store, StoreChange } from '../../src/store/store.ts'
import { openHttpListener } from '../../src/server/listener.ts'
import { createLiveEvents } from '../../src/server/live-events.ts'
import { describeBoth } from './_face.ts'
import { start } from '../support/instance.ts'
import { goodMail } from '../support/mail.ts'

/** Reads a stream until its text matches. */
async function readUntil(body: ReadableStream<Uint8Array> | null, form: RegExp): Promise<string> {
  if (!body) return ''
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  for (;;) {
    const { done, value } = await reader.read()
    text += decoder.decode(value, { stream: true })
    if (done || form.test(text)) break
  }
  reader.releaseLock()
  return text
}

describeBoth('live events', (open) => {
  test('begin with a comment, so that a client knows at once that it is connected', async () => {
    const { call } = await open()
    const response = await call('GET', '/dev/events')
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(await readUntil(response.body, /\n\n/)).toMatch(/^: /)
    await response.body?.cancel()
  })

  test('report created, changed and removed emails, domains, colours of tags, and requests', async () => {
    const { call } = await open()
    const { body } = await call('GET', '/dev/events')
    const { id } = (await (await call('POST', '/v1/emails', { body: goodMail })).json()) as { id: string }
    const made = await readUntil(body, /request\.logged[\s\S]*\n\n/)
    expect(made).toMatch(new RegExp(`event: email\\.created\\nid: \\d+\\ndata: {"id":"${id}"}\\n\\n`))
    expect(made).toContain('"path":"/v1/emails","status":200')
    expect(made).not.toContain('response_body')
    await call('PATCH', `/dev/inbox/${id}`, { body: { unread: false } })
    expect(await readUntil(body, /email\.updated/)).toContain(id)
    await call('DELETE', `/dev/inbox/${id}`)
    expect(await readUntil(body, /email\.deleted/)).toContain(id)
    await call('POST', '/v1/domains', { body: { name: 'acme.com' } })
    expect(await readUntil(body, /domain\.updated/)).toContain('dom_')
    for (const color of ['red', 'blue', null]) {
      await call('PATCH', '/dev/inbox/tags', { body: { tag: 'invoice', color } })
      expect(await readUntil(body, /tags\.changed[\s\S]*\n\n/)).toMatch(
        /event: tags\.changed\nid: \d+\ndata: {}\n\n/,
      )
    }
    await body?.cancel()
  })

  test('continue after Last-Event-ID', async () => {
    const { call } = await open()
    const first = await call('GET', '/dev/events')
    await call('POST', '/v1/emails', { body: goodMail })
    const seen =
      /email\.created\nid: (\d+)/.exec(await readUntil(first.body, /email\.created\nid: \d+\n/))?.[1] ?? ''
    await first.body?.cancel()
    const { id } = (await (await call('POST', '/v1/emails', { body: goodMail })).json()) as { id: string }
    const second = await call('GET', '/dev/events', { headers: { 'last-event-id': seen } })
    expect(await readUntil(second.body, /email\.created/)).toContain(id)
    await second.body?.cancel()
    for (const wrong of ['', 'x', '-1', '9'.repeat(30)]) {
      const response = await call('GET', '/dev/events', { headers: { 'last-event-id': wrong } })
      expect(response.status).toBe(200)
      await response.body?.cancel()
    }
  })

  test('end when the instance closes', async () => {
    const { call, post } = await open()
    const { body } = await call('GET', '/dev/events')
    const text = readUntil(body, /never/)
    await post.close()
    expect(await text).toMatch(/^: /)
  })
})

describe('a client of live events', () => {
  function fakeStore(): {
    store: Pick<Store, 'changes'>
    tell: (change: StoreChange) => void
    count: () => number
  } {
    const listeners = new Set<(change: StoreChange) => void>()
    return {
      store: {
        changes(listener) {
          listeners.add(listener)
          return () => listeners.delete(listener)
        },
      },
      tell: (change) => listeners.forEach((listener) => listener(change)),
      count: () => listeners.size,
    }
  }

  test('that does not read is disconnected before it uses much memory', async () => {
    const { store, tell, count } = fakeStore()
    const live = createLiveEvents(store)
    const stream = live.open()
    for (let seq = 0; seq < 10_000; seq++) tell({ seq, op: 'insert', collection: 'emails', id: `em_${seq}` })
    expect(count()).toBe(0)
    await expect(readUntil(stream, /never/)).rejects.toThrow('does not read')
    live.close()
  })

  test('that missed many events gets a notice about it, and is not disconnected', async () => {
    const live = createLiveEvents({
      changes(listener) {
        for (let seq = 1; seq <= 10_000; seq++)
          listener({ seq, op: 'insert', collection: 'emails', id: `em_${seq}` })
        return () => undefined
      },
    })
    const text = await readUntil(live.open(0), /gap/)
    expect(text).toContain('id: 1\n')
    expect(text).toContain('event: gap\nid: 10000\n')
    expect(text.length).toBeLessThan(256 * 1024)
    live.close()
  })

  test('that is reading already gets each change once', async () => {
    const { store, tell } = fakeStore()
    const live = createLiveEvents(store)
    const text = readUntil(live.open(), /"last"/)
    for (const id of ['first', 'second', 'last']) {
      // The next one only when the client reads again.
      await new Promise((done) => setImmediate(() => setImmediate(done)))
      tell({ seq: 1, op: 'insert', collection: 'emails', id })
    }
    expect((await text).match(/"id":"\w+"/g)).toEqual(['"id":"first"', '"id":"second"', '"id":"last"'])
    live.close()
  })

  test('that disconnects is forgotten', async () => {
    const { store, count } = fakeStore()
    const live = createLiveEvents(store)
    const stream = live.open()
    expect(count()).toBe(1)
    await stream.cancel()
    expect(count()).toBe(0)
    live.close()
  })

  test('gets a notice where missed events cannot be sent again', async () => {
    const { store, tell } = fakeStore()
    const live = createLiveEvents(store)
    const stream = live.open(3)
    tell({ seq: 9, op: 'gap' })
    expect(await readUntil(stream, /gap/)).toContain('event: gap\nid: 9\n')
    live.close()
  })

  test('cannot connect after close', () => {
    const live = createLiveEvents(fakeStore().store)
    live.close()
    expect(() => live.open()).toThrow(expect.objectContaining({ code: 'closed' }))
  })

  test('that stalls at a socket is disconnected, and the instance continues', async () => {
    const post = await start()
    const sockets: Socket[] = []
    const { url, port } = await post.listen({
      async listener(handler, address) {
        const listener = await openHttpListener(handler, address)
        listener.server.on('connection', (socket) => sockets.push(socket))
        return listener
      },
    })
    const client = connect(port, '127.0.0.1').on('error', () => undefined)
    client.write('GET /dev/events HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await new Promise((resolve) => client.once('data', resolve))
    client.pause()
    const [stalled] = sockets
    const request = new Request(`http://localhost/v1/emails/${'x'.repeat(8000)}`, {
      headers: { authorization: `Bearer ${post.apiKey}` },
    })
    for (let count = 0; count < 5000; count++) {
      await post.fetch(request)
      // Of a burst within one turn the socket would get nothing before the client is disconnected.
      await nextTurn()
      if (stalled?.destroyed) break
    }
    expect(stalled?.destroyed).toBe(true)
    expect((await fetch(`${url}/dev/health`)).status).toBe(200)
    client.destroy()
  })
})
