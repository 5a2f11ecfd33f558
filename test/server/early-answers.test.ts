import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { beforeAll, describe, expect, it } from 'vitest'
import { LocalpostError } from '../../src/core/errors.ts'
import type { Localpost } from '../../src/index.ts'
import { errorAnswer } from '../../src/server/answer.ts'
import { maxRest } from '../../src/server/rest-of-request.ts'
import { maxBytesOf } from '../../src/server/body.ts'
import { keyHeaders } from '../providers/_authorization.ts'
import { startShared } from '../support/instance.ts'
import { hasPrograms } from '../support/programs.ts'
import { hollowApp } from './validate-response.ts'

let post: Localpost
let url: string
beforeAll(async () => {
  const shared = await startShared()
  post = shared.post
  url = (await post.listen()).url
  return shared.end
})

interface Asked {
  name: string
  method: string
  path: string
  headers: Record<string, string>
  bytes: number
}

const mebibytes = 1024 * 1024
const tooLarge = new LocalpostError('payload_too_large', '')
const taking = hollowApp().routes.flatMap(({ method, path, body, face }) => {
  if (!body) return []
  const { status } = errorAnswer(tooLarge, face, path)
  return [{ method, path: path.replace(/\{\w+\}/g, 'x'), body, status }]
})
const ask = (at: Pick<Asked, 'method' | 'path'>, bytes: number, headers = {}): Asked => ({
  name: `${at.method} ${at.path} ${JSON.stringify(headers)} ${bytes}`,
  method: at.method,
  path: at.path,
  headers: {
    ...keyHeaders(at.path, post.apiKey),
    'content-type': 'application/json',
    ...headers,
  },
  bytes,
})

// Both write the whole body before they read. urllib asks the server to close the connection, http.client does not.
const python = `
import http.client, json, sys, urllib.request, urllib.error
given = json.load(sys.stdin)
body = memoryview(bytes(b' ' * max(one['bytes'] for one in given['all'])))
def closing(one):
    try:
        request = urllib.request.Request(given['url'] + one['path'], bytes(body[:one['bytes']]), one['headers'], method=one['method'])
        return urllib.request.urlopen(request, timeout=60).status
    except urllib.error.HTTPError as error:
        return error.code if error.read() else 'no answer'
def keeping(one):
    connection = http.client.HTTPConnection(given['url'][7:], timeout=60)
    for again in range(2):
        connection.request(one['method'], one['path'], body[:one['bytes']], one['headers'])
        answer = connection.getresponse()
        answer.read()
    return answer.status
answers = {}
for one in given['all']:
    for ask in (closing, keeping):
        try:
            answers[ask.__name__ + ' ' + one['name']] = ask(one)
        except Exception as error:
            answers[ask.__name__ + ' ' + one['name']] = repr(error)
json.dump(answers, sys.stdout)
`
const hasPython = hasPrograms('Python’s HTTP clients', ['python3'])

async function statuses(all: Asked[]): Promise<Record<string, unknown>> {
  const child = spawn('python3', ['-c', python], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  child.stdin.end(JSON.stringify({ url, all }))
  return JSON.parse(await text(child.stdout)) as Record<string, unknown>
}

const each = (all: Asked[], status: unknown): Record<string, unknown> =>
  Object.fromEntries(
    all.flatMap(({ name }) => [
      [`closing ${name}`, status],
      [`keeping ${name}`, status],
    ]),
  )

describe.runIf(hasPython)('Python’s urllib and http.client, which write the whole body first', () => {
  it('get the answer to a body that is too large, at every route', { timeout: 120_000 }, async () => {
    const expected: Record<string, unknown> = {}
    const all = taking.flatMap(({ body, status, ...at }) => {
      const ofForms = body.forms === 'only' ? 'application/x-www-form-urlencoded' : undefined
      const type = { 'content-type': body.bytesType ?? ofForms ?? 'application/json' }
      const limit = maxBytesOf(body)
      const asked = [...new Set([limit + 1, Math.max(limit + 1, 20 * mebibytes)])].map((bytes) =>
        ask(at, bytes, type),
      )
      Object.assign(expected, each(asked, status))
      return asked
    })
    expect(all.length).toBeGreaterThan(30)
    expect(await statuses(all)).toEqual(expected)
  })

  it('get every other early answer too', { timeout: 60_000 }, async () => {
    const at = { method: 'POST', path: '/v1/emails' }
    const refused: [number, Asked][] = [
      [401, ask(at, 20 * mebibytes, { authorization: 'Bearer wrong' })],
      [415, ask(at, 20 * mebibytes, { 'content-type': 'text/plain' })],
      [403, ask(at, 20 * mebibytes, { host: 'other.test' })],
      [417, ask(at, 20 * mebibytes, { expect: 'tea' })],
      [404, ask({ ...at, path: '/v1/nothing' }, 20 * mebibytes)],
      [405, ask({ method: 'PUT', path: '/v1/emails' }, 20 * mebibytes)],
    ]
    const expected = refused.map(([status, one]) => each([one], status))
    expect(await statuses(refused.map(([, one]) => one))).toEqual(Object.assign({}, ...expected))
  })
})

describe('a client that continues sending after its answer', () => {
  it.each(['close', 'keep-alive'])(
    'is disconnected after 64 MiB, with Connection: %s',
    { timeout: 60_000 },
    async (connection) => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1')
      // The cut is a reset here, because more is on its way.
      socket.on('error', () => undefined)
      const closed = new Promise((resolve) => socket.once('close', resolve))
      let answer = ''
      socket.setEncoding('latin1').on('data', (piece: string) => (answer += piece))
      const head = `POST /v1/emails HTTP/1.1\r\nHost: localhost\r\nConnection: ${connection}\r\n`
      socket.write(`${head}Content-Length: ${10 ** 12}\r\n\r\n`)
      const piece = Buffer.alloc(mebibytes, ' ')
      let sent = 0
      while (!socket.destroyed) {
        sent += piece.length
        if (!socket.write(piece))
          await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), closed])
      }
      expect(answer).toMatch(/^HTTP\/1\.1 401 /)
      expect(sent).toBeGreaterThan(maxRest.bytes)
      // What the machine holds for a socket comes on top.
      expect(sent).toBeLessThan(maxRest.bytes + 32 * mebibytes)
    },
  )

  it('is disconnected after 10 seconds', { timeout: 60_000 }, async () => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    const started = performance.now()
    const answered = once(socket, 'data')
    const closed = once(socket, 'close')
    socket.write('POST /v1/emails HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n1')
    expect(String(await answered)).toMatch(/^HTTP\/1\.1 401 [^]*"missing_api_key"/)
    expect(performance.now() - started).toBeLessThan(maxRest.ms)
    await closed
    expect(performance.now() - started).toBeGreaterThanOrEqual(maxRest.ms - 100)
  })
})
