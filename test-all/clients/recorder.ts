import { connect, createServer, type AddressInfo } from 'node:net'

/** Passes connections on to an SMTP server, and keeps the messages as the clients sent them. */
export interface Recorder {
  port: number
  /** The messages of all connections, without the dots that SMTP adds. */
  messages(): string[]
  close(): void
}

/** Opens a recorder before the SMTP port of this machine. It reads connections without TLS. */
export async function openRecorder(target: number): Promise<Recorder> {
  const streams: Buffer[][] = []
  const server = createServer((client) => {
    const chunks: Buffer[] = []
    streams.push(chunks)
    const upstream = connect(target, '127.0.0.1')
    client.on('data', (chunk) => chunks.push(chunk)).on('error', () => upstream.destroy())
    upstream.on('error', () => client.destroy())
    client.pipe(upstream).pipe(client)
  })
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done))
  return {
    port: (server.address() as AddressInfo).port,
    messages: () => streams.flatMap((chunks) => messagesOf(Buffer.concat(chunks).toString('latin1'))),
    close: () => void server.close(),
  }
}

const end = '\r\n.\r\n'

/** Whatever follows a line `DATA` is a message, up to a line with one dot. */
function messagesOf(stream: string): string[] {
  const messages: string[] = []
  let rest = stream
  for (;;) {
    const begin = /^DATA\r\n/im.exec(rest)
    if (!begin) return messages
    const body = rest.slice(begin.index + begin[0].length)
    const length = body.indexOf(end)
    if (length < 0) return messages
    messages.push(`\r\n${body.slice(0, length)}\r\n`.replaceAll('\r\n.', '\r\n').slice(2))
    rest = body.slice(length + end.length)
  }
}
