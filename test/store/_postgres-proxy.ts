import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A TCP proxy that can cut a connection when the client commits, and can stop passing on anything. */
export async function openProxy(target: number): Promise<{
  port: number
  cutAtCommit(passes: boolean): void
  /** Passes nothing on until `release`, and closes nothing. */
  hold(): void
  /** The same from the next COMMIT on, which still reaches the server or not; with `forMs`, for this time. */
  holdAtCommit(options?: { forMs?: number; passesCommit?: boolean }): void
  release(): void
  readonly cuts: number
  close(): Promise<void>
}> {
  let cut: { passes: boolean } | null = null
  let holdNext: { forMs?: number; passesCommit?: boolean } | null = null
  let held: (() => void)[] | null = null
  let cuts = 0
  const sockets = new Set<Socket>()
  /** What is held comes later, in its order. */
  const pass = (socket: Socket, bytes: Buffer | null): void => {
    if (held) held.push(() => pass(socket, bytes))
    else if (bytes) socket.write(bytes)
    else socket.end()
  }
  const release = (): void => {
    const waiting = held ?? []
    held = null
    for (const one of waiting) one()
  }
  const proxy = createServer((client) => {
    const upstream = connect(target, '127.0.0.1')
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => sockets.delete(socket))
    }
    client.on('data', (bytes) => {
      const isCommit = bytes.includes('COMMIT\0')
      if (isCommit && holdNext) {
        const { forMs, passesCommit = true } = holdNext
        holdNext = null
        if (passesCommit) upstream.write(bytes)
        held = []
        if (!passesCommit) pass(upstream, bytes)
        if (forMs !== undefined) setTimeout(release, forMs)
        return
      }
      if (cut === null || !isCommit) return pass(upstream, bytes)
      const { passes } = cut
      cut = null
      client.destroy()
      cuts++
      if (passes) upstream.write(bytes, () => upstream.end())
      else upstream.destroy()
    })
    upstream.on('data', (bytes) => pass(client, bytes))
    upstream.on('end', () => pass(client, null))
    client.on('end', () => pass(upstream, null))
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const address = proxy.address()
  if (address === null || typeof address === 'string') throw new Error('A TCP server has a port.')
  return {
    port: address.port,
    cutAtCommit: (passes) => void (cut = { passes }),
    hold: () => void (held ??= []),
    holdAtCommit: (options = {}) => void (holdNext = options),
    release,
    get cuts() {
      return cuts
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      proxy.close()
      await once(proxy, 'close')
    },
  }
}
