/**
 * The least that answers SMTP: `node bench/servers/sink.mjs <port>`. It shows what the load generator can do; it checks
 * nothing and stores nothing.
 */
import net from 'node:net'

const greeting = Buffer.from('220 sink\r\n')
const toEnvelope = Buffer.from('250 ok\r\n250 ok\r\n354 go\r\n')
const ok = Buffer.from('250 ok\r\n')
const dot = Buffer.from('\r\n.\r\n')

net
  .createServer({ noDelay: true }, (socket) => {
    let inBody = false
    let tail = Buffer.alloc(0)
    socket.on('error', () => {})
    socket.write(greeting)
    socket.on('data', (chunk) => {
      if (inBody) {
        const end =
          chunk.length >= dot.length
            ? chunk.subarray(-dot.length)
            : Buffer.concat([tail, chunk]).subarray(-dot.length)
        tail = end
        if (!end.equals(dot)) return
        inBody = false
        socket.write(ok)
        return
      }
      const first = chunk[0]
      // "MAIL … DATA" comes in one piece from our generator; E(HLO) and Q(UIT) stand alone.
      if (first === 0x4d) {
        inBody = chunk.includes('DATA')
        tail = Buffer.alloc(0)
        socket.write(inBody ? toEnvelope : ok)
      } else if (first === 0x44) {
        inBody = true
        socket.write('354 go\r\n')
      } else if (first === 0x51) {
        socket.end('221 bye\r\n')
      } else {
        socket.write(ok)
      }
    })
  })
  .listen(Number(process.argv[2]), '127.0.0.1')
