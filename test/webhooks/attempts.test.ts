import type { lookup as dnsLookup } from 'node:dns'
import { Webhook as Verifier } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { openNoun } from './_noun.ts'
import { eventually, openReceiver } from './_receiver.ts'

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

describe('a request to a webhook', () => {
  it('is signed according to Standard Webhooks, and the reference library verifies it', async () => {
    const receiver = await openReceiver()
    const { email, webhooks } = await openNoun()
    await webhooks.create({ url: receiver.url, secret })
    const id = await email('ada@example.com')
    await eventually(() => expect(receiver.received).toHaveLength(1))
    const [request] = receiver.received
    if (!request) throw new Error('unreachable')
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    )
    expect(new Verifier(secret).verify(request.text, headers)).toEqual(request.payload)
    expect(() => new Verifier(secret).verify(`${request.text} `, headers)).toThrow()
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'localpost',
      'webhook-id': expect.stringMatching(/^evt_/) as string,
      'webhook-timestamp': expect.stringMatching(/^\d{10}$/) as string,
    })
    const { data } = request.payload
    expect(request.payload).toEqual({
      type: 'email.sent',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
      data: {
        email_id: id,
        recipient: 'ada@example.com',
        status: 'sent',
        timestamp: expect.any(Number) as number,
      },
    })
    expect('email_id' in data && Date.parse(request.payload.timestamp)).toBe(
      'email_id' in data && data.timestamp,
    )
  })

  it('is repeated after a 500, with the same id and the same body', async () => {
    const receiver = await openReceiver((response, _, count) => {
      response.writeHead(count === 1 ? 500 : 200).end(count === 1 ? 'x'.repeat(10_000) : 'ok')
    })
    const { email, webhooks, log } = await openNoun()
    await webhooks.create({ url: receiver.url })
    await email('ada@example.com')
    await eventually(async () => expect(await log()).toMatchObject([{ state: 'delivered', due: null }]))
    const [delivery] = await log()
    expect(delivery?.attempts).toMatchObject([
      { status: 500, error: 'the receiver answered 500', response: 'x'.repeat(256) },
      { status: 200, error: null, response: 'ok' },
    ])
    const [first, second] = receiver.received
    expect(second?.text).toBe(first?.text)
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
    expect(delivery?.body).toBe(first?.text)
    expect(delivery?.attempts[1]?.timestamp).toBeGreaterThanOrEqual(
      Number(delivery?.attempts[0]?.timestamp) + 20,
    )
  })

  it('is not repeated after the last retry', async () => {
    const receiver = await openReceiver((response) => void response.writeHead(503).end())
    const { email, webhooks, log } = await openNoun()
    await webhooks.create({ url: receiver.url })
    await email('ada@example.com')
    await eventually(async () => expect(await log()).toMatchObject([{ state: 'failed', due: null }]))
    expect(receiver.received).toHaveLength(3)
  })

  it('is not repeated after a 410', async () => {
    const receiver = await openReceiver((response) => void response.writeHead(410).end('gone'))
    const { email, webhooks, log } = await openNoun()
    await webhooks.create({ url: receiver.url })
    await email('ada@example.com')
    await eventually(async () => expect(await log()).toMatchObject([{ state: 'failed' }]))
    expect((await log())[0]?.attempts).toMatchObject([{ status: 410, response: 'gone' }])
  })

  it('follows no redirect, and reports it', async () => {
    const receiver = await openReceiver((response, { path }) => {
      if (path === '/elsewhere') response.end()
      else response.writeHead(307, { location: '/elsewhere' }).end()
    })
    const { email, webhooks, log } = await openNoun({ retryDelaysMs: [] })
    await webhooks.create({ url: receiver.url })
    await email('ada@example.com')
    await eventually(async () => expect(await log()).toMatchObject([{ state: 'failed' }]))
    expect((await log())[0]?.attempts).toMatchObject([
      { status: 307, error: expect.stringContaining('/elsewhere; redirects are not followed') as string },
    ])
    expect(receiver.received.map(({ path }) => path)).toEqual(['/hooks'])
  })

  it('is aborted at the time limit', async () => {
    const receiver = await openReceiver(() => undefined)
    const { email, webhooks, log } = await openNoun({ timeoutMs: 500, retryDelaysMs: [] })
    await webhooks.create({ url: receiver.url })
    await email('ada@example.com')
    await eventually(async () => expect(await log()).toMatchObject([{ state: 'failed' }]))
    const [attempt] = (await log())[0]?.attempts ?? []
    expect(attempt).toMatchObject({ status: null, error: 'no answer within 500 ms', response: null })
    expect(attempt?.duration_ms).toBeGreaterThan(400)
  })

  it('succeeds when the status arrives, however long the body takes', async () => {
    const receiver = await openReceiver((response) => void response.writeHead(200).write('so far'))
    const { email, webhooks, log } = await openNoun({ timeoutMs: 500 })
    await webhooks.create({ url: receiver.url })
    await email('ada@example.com')
    await eventually(async () => expect(await log()).toMatchObject([{ state: 'delivered' }]))
    expect((await log())[0]?.attempts).toMatchObject([{ status: 200, error: null, response: 'so far' }])
  })

  it('reads 4 KB of an endless answer and no more', async () => {
    const receiver = await openReceiver((response) => {
      response.writeHead(200)
      const more = (): void => {
        if (!response.destroyed) response.write('y'.repeat(1000), () => setImmediate(more))
      }
      more()
    })
    const { email, webhooks, log } = await openNoun()
    await webhooks.create({ url: receiver.url })
    await email('ada@example.com')
    await eventually(async () => expect(await log()).toMatchObject([{ state: 'delivered' }]))
    expect((await log())[0]?.attempts[0]?.response).toBe('y'.repeat(4096))
  })

  it.each([
    ['closes the connection', (response) => void response.destroy(), /hang up|ECONNRESET/],
    [
      'answers something that is not HTTP',
      (response) => void response.socket?.end('nonsense\r\n\r\n'),
      /Parse Error/,
    ],
    [
      'wants another protocol',
      (response) =>
        void response.socket?.end('HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
      /without an answer|hang up/,
    ],
  ] satisfies [string, Parameters<typeof openReceiver>[0], RegExp][])(
    'to a receiver that %s is logged with the reason',
    async (_, answer, reason) => {
      const receiver = await openReceiver(answer)
      const { email, webhooks, log } = await openNoun({ retryDelaysMs: [] })
      await webhooks.create({ url: receiver.url })
      await email('ada@example.com')
      await eventually(async () => expect(await log()).toMatchObject([{ state: 'failed' }]))
      const [attempt] = (await log())[0]?.attempts ?? []
      expect(attempt).toMatchObject({ status: null, error: expect.stringMatching(reason) as string })
    },
  )

  it('never connects to a name of a metadata service', async () => {
    const lookup = ((_name: string, _options: unknown, callback: (error: null, found: object[]) => void) =>
      callback(null, [
        { address: '127.0.0.1', family: 4 },
        { address: '169.254.169.254', family: 4 },
      ])) as unknown as typeof dnsLookup
    const receiver = await openReceiver()
    const { email, webhooks, log } = await openNoun({ lookup, retryDelaysMs: [] })
    await webhooks.create({ url: receiver.url.replace('127.0.0.1', 'metadata.internal') })
    await email('ada@example.com')
    await eventually(async () => expect(await log()).toMatchObject([{ state: 'failed' }]))
    expect((await log())[0]?.attempts[0]?.error).toMatch(
      /metadata\.internal is 169\.254\.169\.254, which is a link-local/,
    )
    expect(receiver.received).toEqual([])
  })
})
