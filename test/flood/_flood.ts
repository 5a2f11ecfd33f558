import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** An SMTP client that sends the given lines and records the replies. */
export interface Client {
  readonly socket: Socket
  /** The next reply; `""` if the connection ended before one. */
  reply(): Promise<string>
  say(line: string): Promise<string>
}

export function smtpClient(server: { host: string; port: number }): Client {
  const socket = connect(server.port, server.host)
  onTestFinished(() => void socket.destroy())
  let heard = ''
  let isOver = false
  let wake = (): void => {}
  socket.on('data', (piece: Buffer) => {
    heard += piece.toString()
    wake()
  })
  socket.on('close', () => {
    isOver = true
    wake()
  })
  socket.on('error', () => {})
  const reply = async (): Promise<string> => {
    for (;;) {
      const end = /^(?:\d{3}-.*\r\n)*\d{3} .*\r\n/.exec(heard)
      if (end) {
        heard = heard.slice(end[0].length)
        return end[0].trimEnd()
      }
      if (isOver) return ''
      await new Promise<void>((resolve) => (wake = resolve))
    }
  }
  return {
    socket,
    reply,
    say(line) {
      socket.write(`${line}\r\n`)
      return reply()
    },
  }
}

/** A client that got the greeting and is ready to send data. */
export async function clientInData(server: { host: string; port: number }): Promise<Client> {
  const client = smtpClient(server)
  await client.reply()
  for (const line of ['EHLO client.test', 'MAIL FROM:<app@acme.test>', 'RCPT TO:<ada@example.com>', 'DATA'])
    await client.say(line)
  return client
}

/** Memory of this process in MiB, after a collection where that is possible. */
export function residentMiB(): number {
  globalThis.gc?.()
  return process.memoryUsage().rss / 1024 / 1024
}

/** The highest memory in MiB until it is stopped. */
export function watchMemory(): () => number {
  let highest = residentMiB()
  const timer = setInterval(() => (highest = Math.max(highest, process.memoryUsage().rss / 1024 / 1024)), 5)
  return () => {
    clearInterval(timer)
    return highest
  }
}
