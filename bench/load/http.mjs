/**
 * The HTTP load generator, a process of its own: `node bench/load/http.mjs '<JSON of HttpLoad>'` prints one JSON line.
 *
 * @typedef {object} HttpLoad  With an `Extent` of `meter.mjs`.
 * @property {number} port
 * @property {number} connections  How many at once, each kept open, one request at a time on each.
 * @property {string} path
 * @property {string} key  Bearer key.
 * @property {'GET' | 'POST'} [method]  `POST` sends an email of about 2 KB. Default: `GET`.
 */
import net from 'node:net'
import { createMeter, fail } from './meter.mjs'

/** @type {HttpLoad} */
const load = JSON.parse(process.argv[2])
const requests = load.method === 'POST' ? Array.from({ length: 64 }, (_, i) => post(i)) : [head('GET', '')]
let begun = 0
let bytes = 0
let lastBody = ''
const meter = createMeter(load)
await Promise.all(Array.from({ length: load.connections }, () => work()))
meter.print({ answerBytes: bytes, lastBody: lastBody.slice(0, 200) })

function work() {
  return new Promise((resolve) => {
    const socket = net.connect({ port: load.port, host: '127.0.0.1', noDelay: true })
    let beganAt = 0
    let pieces = []
    let missing = 0
    socket.on('error', fail)
    socket.on('close', resolve)
    socket.once('connect', next)
    socket.on('data', (chunk) => {
      if (missing === 0) {
        pieces.push(chunk)
        const start = pieces.length === 1 ? chunk : Buffer.concat(pieces)
        const end = start.indexOf('\r\n\r\n')
        if (end < 0) return
        const answer = start.toString('latin1', 0, end)
        const length = /^content-length: *(\d+)/im.exec(answer)?.[1]
        if (answer.charCodeAt(9) !== 0x32 || length === undefined)
          return fail(new Error(`${answer}\n${start.subarray(end).toString()}`))
        bytes = Number(length)
        pieces = [start]
        missing = end + 4 + bytes - start.length
      } else {
        pieces.push(chunk)
        missing -= chunk.length
      }
      if (missing > 0) return
      meter.note(beganAt)
      if (meter.isOver || begun >= load.count) {
        lastBody ||= Buffer.concat(pieces).toString('utf8').split('\r\n\r\n')[1] ?? ''
        socket.end()
        return
      }
      next()
    })

    function next() {
      pieces = []
      missing = 0
      beganAt = performance.now()
      socket.write(requests[begun++ % requests.length])
    }
  })
}

function head(method, more) {
  return Buffer.from(
    `${method} ${load.path} HTTP/1.1\r\nHost: 127.0.0.1:${load.port}\r\nAuthorization: Bearer ${load.key}\r\n${more}\r\n`,
  )
}

function post(i) {
  const body = JSON.stringify({
    from: `Sender ${i} <sender${i}@acme.test>`,
    to: `Ada ${i} <ada${i}@example.com>`,
    subject: `Benchmark message ${i} for {{name}}`,
    text: `Hello {{name}}, this is number ${i}.`,
    html: `<p>Hello {{name}}</p>${'<p>The quick brown fox jumps over the lazy dog, quietly.</p>'.repeat(29)}`,
    variables: { name: 'Ada' },
  })
  return Buffer.concat([
    head('POST', `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`),
    Buffer.from(body),
  ])
}
