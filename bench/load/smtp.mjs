/**
 * The SMTP load generator, a process of its own: `node bench/load/smtp.mjs '<JSON of SmtpLoad>'` prints one JSON line.
 *
 * @typedef {object} SmtpLoad  With an `Extent` of `meter.mjs`.
 * @property {number} port
 * @property {number} bytes  Size of each message.
 * @property {number} connections  How many at once.
 * @property {boolean} oneEach  A connection for each message.
 * @property {{ user: string, pass: string }} [auth]  Default: none.
 * @property {boolean} [stepwise]  Waits for every reply, as most mailers do; otherwise MAIL, RCPT and DATA are one write.
 */
import net from 'node:net'
import { makeMessages } from './messages.mjs'
import { createMeter, fail } from './meter.mjs'

/** @type {SmtpLoad} */
const load = JSON.parse(process.argv[2])
const messages = makeMessages(load.bytes, load.different)
const envelope = messages.map((_, i) => [
  `MAIL FROM:<sender${i}@acme.test>\r\n`,
  `RCPT TO:<ada${i}@example.com>\r\n`,
  'DATA\r\n',
])
const pipelined = envelope.map((commands) => Buffer.from(commands.join('')))

let begun = 0
const meter = createMeter(load)
await Promise.all(Array.from({ length: load.connections }, () => work()))
meter.print()

async function work() {
  while (!meter.isOver && begun < load.count) await session()
}

/** One connection: one message, or as many as there are. */
function session() {
  return new Promise((resolve) => {
    const socket = net.connect({ port: load.port, host: '127.0.0.1', noDelay: true })
    let state = 'greeting'
    let number = 0
    let step = 0
    let beganAt = performance.now()
    let rest = ''
    socket.setEncoding('latin1')
    socket.on('error', fail)
    socket.on('close', resolve)
    socket.on('data', (chunk) => {
      rest += chunk
      for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n')) {
        const reply = rest.slice(0, end)
        rest = rest.slice(end + 1)
        if (reply[3] !== '-') take(reply)
      }
    })

    function take(reply) {
      if (reply[0] !== '2' && reply[0] !== '3') return fail(new Error(`${state}: ${reply}`))
      if (state === 'greeting') {
        state = 'hello'
        socket.write('EHLO bench.test\r\n')
      } else if (state === 'hello' && load.auth) {
        state = 'auth'
        const { user, pass } = load.auth
        socket.write(`AUTH PLAIN ${Buffer.from(`\0${user}\0${pass}`).toString('base64')}\r\n`)
      } else if (state === 'hello' || state === 'auth') {
        begin()
      } else if (state === 'envelope') {
        if (reply[0] === '3') {
          state = 'body'
          socket.write(messages[number])
        } else if (load.stepwise) {
          socket.write(envelope[number][++step])
        }
      } else if (state === 'body') {
        meter.note(beganAt)
        if (load.oneEach || meter.isOver || begun >= load.count) {
          state = 'over'
          socket.end('QUIT\r\n')
        } else {
          beganAt = performance.now()
          begin()
        }
      }
    }

    function begin() {
      number = begun++ % messages.length
      state = 'envelope'
      step = 0
      socket.write(load.stepwise ? envelope[number][0] : pipelined[number])
    }
  })
}
