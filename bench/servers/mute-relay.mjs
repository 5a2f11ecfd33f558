/**
 * A mail server that takes connections and says nothing: `node bench/servers/mute-relay.mjs <port>`. Localpost's outbox,
 * told to relay everything there, waits with its first sixteen emails, which is as good as paused.
 */
import net from 'node:net'

net.createServer((socket) => socket.on('error', () => {})).listen(Number(process.argv[2]), '127.0.0.1')
