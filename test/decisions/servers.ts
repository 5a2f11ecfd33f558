import { createServer, type RequestListener } from 'node:http'
import { createServer as createTcpServer, type AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'

/** A real HTTP server on loopback until the end of the test. */
export async function serve(handler: RequestListener, host = '127.0.0.1'): Promise<string> {
  const server = createServer(handler)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, host, resolve)
  })
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://${host.includes(':') ? `[${host}]` : host}:${(server.address() as AddressInfo).port}`
}

/** A mail server with the replies of a test; null breaks the connection. */
export interface MailServer {
  url: string
  /** Every RCPT, with its time. */
  asked: { recipient: string; at: number }[]
}

/** Opens one on loopback: `reply` answers each RCPT, and `end` the message. */
export async function openMailServer(
  reply: (recipient: string, attempt: number) => string | null,
  end = '250 2.0.0 Taken as 42',
): Promise<MailServer> {
  const asked: MailServer['asked'] = []
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined).write('220 relay.test ready\r\n')
    let isData = false
    createInterface({ input: socket }).on('line', (line) => {
      if (isData && line !== '.') return
      const [verb = ''] = line.toUpperCase().split(' ', 1)
      const recipient = /^RCPT TO:<([^>]*)>/i.exec(line)?.[1]
      if (recipient !== undefined) asked.push({ recipient, at: Date.now() })
      const attempt = asked.filter((entry) => entry.recipient === recipient).length
      const say =
        recipient !== undefined
          ? reply(recipient, attempt)
          : isData
            ? end
            : verb === 'DATA'
              ? '354 Go on'
              : verb === 'QUIT'
                ? '221 Bye'
                : '250 OK'
      isData = verb === 'DATA'
      if (say === null) socket.destroy()
      else socket.write(`${say}\r\n`)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}
