import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { fetchAttachment, type FetchLimits } from '../../src/attachments/fetch.ts'
import { createOutgoing } from '../../src/net/outgoing.ts'

const limits: FetchLimits = {
  problemOf: createOutgoing([]).strictProblemOf,
  timeoutMs: 1500,
  maxBytes: 1000,
}
const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

async function serve(handler: RequestListener): Promise<string> {
  const server = createServer(handler)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe('a fetch', () => {
  it('gives the bytes and the content type', async () => {
    const url = await serve((_, response) => response.setHeader('content-type', 'text/csv').end('a,b'))
    const fetched = await fetchAttachment(`${url}/x.csv`, limits)
    expect(fetched.content.toString()).toBe('a,b')
    expect(fetched.content_type).toBe('text/csv')
  })

  it('follows three redirects and refuses a fourth', async () => {
    const url = await serve((request, response) => {
      const left = Number(request.url?.slice(1))
      if (left === 0) response.end('here')
      else response.writeHead(302, { location: `/${left - 1}` }).end()
    })
    expect((await fetchAttachment(`${url}/3`, limits)).content.toString()).toBe('here')
    await expect(fetchAttachment(`${url}/4`, limits)).rejects.toThrow(/more than 3 times/)
  })

  it('refuses a redirect to a forbidden address, another protocol or credentials', async () => {
    const url = await serve((request, response) => {
      const location = decodeURIComponent(request.url?.slice(1) ?? '')
      response.writeHead(302, { location }).end()
    })
    for (const target of ['http://169.254.169.254/latest', 'file:///etc/passwd', 'http://u:p@127.0.0.1/']) {
      await expect(fetchAttachment(`${url}/${encodeURIComponent(target)}`, limits)).rejects.toMatchObject({
        code: 'attachment_failed',
      })
    }
  })

  it('refuses a name that resolves to a forbidden address, even next to an allowed one', async () => {
    const lookup = ((_host: string, _options: object, callback: (...args: unknown[]) => void) =>
      callback(null, [
        { address: '127.0.0.1', family: 4 },
        { address: '169.254.169.254', family: 4 },
      ])) as unknown as FetchLimits['lookup']
    await expect(fetchAttachment('http://rebind.test/', { ...limits, lookup })).rejects.toThrow(
      /169\.254\.169\.254/,
    )
  })

  it('refuses decimal and hexadecimal spellings of a forbidden address', async () => {
    for (const host of ['2852039166', '0xa9fea9fe', '0251.0376.0251.0376']) {
      await expect(fetchAttachment(`http://${host}/`, limits)).rejects.toThrow(/169\.254\.169\.254/)
    }
  })

  it('stops at the limit, announced or not', async () => {
    const announced = await serve((_, response) =>
      response.setHeader('content-length', 5000).end(Buffer.alloc(5000)),
    )
    await expect(fetchAttachment(announced, limits)).rejects.toThrow(/larger than the 1000 bytes/)
    let sent = 0
    const endless = await serve((_, response) => {
      const timer = setInterval(() => {
        sent += 400
        response.write(Buffer.alloc(400))
      }, 5)
      response.on('close', () => clearInterval(timer))
    })
    await expect(fetchAttachment(endless, limits)).rejects.toThrow(/larger than the 1000 bytes/)
    expect(sent).toBeLessThan(100_000)
  })

  it('times out where the server never answers or never finishes', async () => {
    const silent = await serve(() => {})
    await expect(fetchAttachment(silent, { ...limits, timeoutMs: 100 })).rejects.toThrow(/within 100 ms/)
    const dripping = await serve((_, response) => void response.write('x'))
    await expect(fetchAttachment(dripping, { ...limits, timeoutMs: 100 })).rejects.toThrow(/within 100 ms/)
  })

  it('reports the status of the server, or that it could not be reached', async () => {
    const missing = await serve((_, response) => response.writeHead(404).end())
    await expect(fetchAttachment(missing, limits)).rejects.toThrow(/answered 404/)
    await expect(fetchAttachment('http://127.0.0.1:1/', limits)).rejects.toThrow(/ECONNREFUSED/)
  })
})
