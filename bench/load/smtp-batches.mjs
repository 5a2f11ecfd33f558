/**
 * Sends mails of 2 KB over connections that stay open, so that only mails count: `fork` it with the port, then send it the
 * number of mails. It sends a message when all of them are answered.
 */
import net from 'node:net'
import { makeMessages } from './messages.mjs'

const [port, connections] = process.argv.slice(2).map(Number)
const messages = makeMessages(2048)
let left = 0
let open = 0

const sessions = await Promise.all(Array.from({ length: connections }, connect))
process.on('message', (count) => {
  left = count
  for (const next of sessions) next()
})
process.on('disconnect', () => process.exit())
process.send('ready')

/** Opens a connection. @returns A function that sends one mail after the other until none is left. */
function connect() {
  return new Promise((resolve, reject) => {
    const socket = net.connect({ port, host: '127.0.0.1', noDelay: true })
    let onReply = () => {}
    let rest = ''
    socket.setEncoding('latin1').on('error', reject)
    socket.on('close', () => reject(new Error('The server closed the connection.')))
    socket.on('data', (chunk) => {
      const lines = (rest + chunk).split('\r\n')
      rest = lines.pop() ?? ''
      for (const line of lines) if (line[3] !== '-') onReply(line)
    })

    const isAccepted = (reply) => {
      if (reply[0] !== '2' && reply[0] !== '3') throw new Error(`The server answered ${reply}`)
    }
    const send = () => {
      if (left === 0) {
        if (open === 0) process.send('sent')
        return
      }
      const number = left-- % messages.length
      open++
      let replies = 0
      onReply = (reply) => {
        isAccepted(reply)
        replies++
        if (replies === 3) socket.write(messages[number])
        if (replies < 4) return
        open--
        send()
      }
      socket.write(`MAIL FROM:<sender${number}@acme.test>\r\nRCPT TO:<ada${number}@example.com>\r\nDATA\r\n`)
    }
    onReply = () => {
      onReply = (reply) => {
        isAccepted(reply)
        resolve(send)
      }
      socket.write('EHLO bench.test\r\n')
    }
  })
}
