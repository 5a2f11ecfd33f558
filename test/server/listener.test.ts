import { createServer, get } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { unsafePorts } from '../../src/net/unsafe-ports.ts'
import { closeHttpListener, openHttpListener } from '../../src/server/listener.ts'
import { openOverSocket } from './_face.ts'
import { goodMail } from '../support/mail.ts'
import { countWait } from '../support/own-time.ts'

const hasIpv6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === '::1'),
)
const hosts = [
  ['127.0.0.1', '127.0.0.1'],
  ['0.0.0.0', '127.0.0.1'],
  ['localhost', 'localhost'],
  ...(hasIpv6
    ? [
        ['::1', '[::1]'],
        ['::', '[::1]'],
      ]
    : []),
] as [string, string][]
const local = { host: '127.0.0.1', port: 0 }

describe('a listener', () => {
  test('reports the port that it got', async () => {
    const listener = await openHttpListener((_, response) => response.end('hi'), local)
    expect(listener.port).toBeGreaterThan(0)
    expect(listener.url).toBe(`http://127.0.0.1:${listener.port}`)
    expect(await (await fetch(listener.url)).text()).toBe('hi')
    await closeHttpListener(listener, 100)
    await closeHttpListener(listener, 100)
  })

  test.each(hosts)('on %s reports a URL that a client can use: %s', async (host, shown) => {
    const listener = await openHttpListener((_, response) => response.end('hi'), { host, port: 0 })
    expect(listener.url).toBe(`http://${shown}:${listener.port}`)
    expect(await (await fetch(listener.url)).text()).toBe('hi')
    await closeHttpListener(listener, 100)
  })

  test('on a port in use is port_in_use, on an impossible address listen_failed', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    const { port } = other.address() as AddressInfo
    await expect(openHttpListener(() => undefined, { host: '127.0.0.1', port })).rejects.toMatchObject({
      code: 'port_in_use',
      message: expect.stringContaining(String(port)) as string,
    })
    await expect(openHttpListener(() => undefined, { host: '203.0.113.1', port: 0 })).rejects.toMatchObject({
      code: 'listen_failed',
    })
    other.close()
  })

  test('refuses the ports that clients refuse to open', async () => {
    for (const port of unsafePorts) {
      const opening = openHttpListener(() => undefined, { host: '127.0.0.1', port })
      await expect(opening, String(port)).rejects.toMatchObject({
        code: 'listen_failed',
        message: `Port ${port} on 127.0.0.1 is one that browsers refuse to open. Choose another port.`,
      })
      // Refused before it connects.
      await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toMatchObject({
        cause: { message: 'bad port' },
      })
    }
  })

  test('that closes lets a running request finish, and aborts it after the grace period', async () => {
    let bothRun: () => void
    const running = new Promise<void>((resolve) => (bothRun = resolve))
    let count = 0
    const listener = await openHttpListener((request, response) => {
      if (++count === 2) bothRun()
      if (request.url === '/slow') setTimeout(() => response.end('done'), 150)
    }, local)
    const slow = fetch(`${listener.url}/slow`).then((response) => response.text())
    const endless = fetch(`${listener.url}/endless`).then(
      () => 'answered',
      () => 'cut off',
    )
    await running
    const waited = countWait()
    await closeHttpListener(listener, 400)
    expect(await slow).toBe('done')
    expect(await endless).toBe('cut off')
    expect(waited()).toBeLessThan(2000)
  })

  test('that closes does not wait for idle connections', async () => {
    const listener = await openHttpListener((_, response) => response.end('hi'), local)
    const socket = connect(listener.port, '127.0.0.1')
    await new Promise((resolve) => socket.once('connect', resolve))
    await (await fetch(listener.url)).text()
    const waited = countWait()
    await closeHttpListener(listener, 5000)
    expect(waited()).toBeLessThan(1000)
    socket.destroy()
  })
})

describe('rude clients', () => {
  const portOf = (base: string): number => Number(new URL(base).port)
  const opened = async (port: number): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined)
    await new Promise((resolve) => socket.once('connect', resolve))
    return socket
  }

  test('that disconnect in the middle of a body leave nothing behind and cause no error', async () => {
    const { base, post, call } = await openOverSocket({ onNotice: (notice) => notices.push(notice) })
    const notices: unknown[] = []
    for (const head of ['Content-Length: 1000', 'Transfer-Encoding: chunked']) {
      const socket = await opened(portOf(base))
      const body = JSON.stringify(goodMail).slice(0, 40)
      const start = head.startsWith('T') ? `${body.length.toString(16)}\r\n${body}\r\n` : body
      socket.write(
        `POST /v1/emails HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${post.apiKey}\r\nContent-Type: application/json\r\n${head}\r\n\r\n${start}`,
      )
      await delay(30)
      socket.resetAndDestroy()
    }
    await delay(50)
    expect(await (await call('GET', '/v1/emails')).json()).toMatchObject({ count: 0 })
    expect(notices).toEqual([])
    const log = (await (await call('GET', '/dev/requests')).json()) as {
      requests: { status: number; response_body: string }[]
    }
    expect(log.requests.filter(({ response_body }) => response_body.includes('is incomplete'))).toHaveLength(
      2,
    )
  })

  test('that send an invalid URL are answered, and the instance continues', async () => {
    const { base, call } = await openOverSocket()
    for (const [target, host] of [
      ['http://[::1', 'localhost'],
      ['http://a b/', 'localhost'],
      ['*', 'localhost'],
      ['/%', 'localhost'],
      ['x', 'localhost'],
      ['http://evil.test/dev/health', 'localhost'],
      ['?', 'localhost'],
      ['//', 'localhost'],
    ] as const) {
      const socket = await opened(portOf(base))
      socket.write(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
      let answer = ''
      for await (const piece of socket) answer += String(piece)
      expect([target, answer.slice(0, 12)]).toEqual([
        target,
        expect.stringMatching(/^HTTP\/1\.1 (?:4|200)/) as string,
      ])
    }
    expect((await call('GET', '/dev/health')).status).toBe(200)
  })

  test('that disconnect during a long answer cause no error', async () => {
    const { base, call, post } = await openOverSocket()
    const wait = get(`${base}/dev/inbox/wait?timeout_ms=3000`).on('error', () => undefined)
    await delay(50)
    wait.destroy()
    await call('POST', '/v1/emails', { body: goodMail })
    await post.inbox.waitFor({ to: 'ada@example.com' })
    expect((await call('GET', '/dev/health')).status).toBe(200)
  })
})

describe('an invalid HTTP request', () => {
  test.each([
    ['an unknown method', 'FOO /v1/emails HTTP/1.1\r\nHost: localhost\r\n\r\n', 400, 'invalid_request'],
    ['garbage', 'garbage\r\n\r\n', 400, 'invalid_request'],
    [
      'a header of 40 KB',
      `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`,
      431,
      'header_too_large',
    ],
  ])('is refused in the shape of every error: %s', async (_, sent, status, name) => {
    const listener = await openHttpListener((_request, response) => response.end('hi'), local)
    const answer = await new Promise<string>((resolve) => {
      const socket = connect(listener.port, '127.0.0.1', () => socket.write(sent))
      let text = ''
      socket.on('data', (piece) => void (text += piece.toString()))
      socket.on('close', () => resolve(text))
    })
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toMatchObject({ statusCode: status, name })
    await closeHttpListener(listener, 100)
  })
})
