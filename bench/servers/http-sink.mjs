/** The least that answers HTTP: `node bench/servers/http-sink.mjs <port>`. It shows what the load generator can do. */
import net from 'node:net'

const answer = Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}')

net
  .createServer({ noDelay: true }, (socket) => {
    socket.on('error', () => {})
    // Our generator's requests come in one piece, one at a time.
    socket.on('data', () => socket.write(answer))
  })
  .listen(Number(process.argv[2]), '127.0.0.1')
