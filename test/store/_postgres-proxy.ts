import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import type { TestServer } from '../support/postgres.ts'

/**
 * Opens a TCP proxy in front of a server until the test ends. It can cut a connection when the client commits, with COMMIT or
 * with a single statement that is a transaction of its own, and can stop passing on anything.
 */
export async function openProxy(server: TestServer): Promise<{
  /** The URL of the server through the proxy. */
  url: string
  /** @param passes  Whether the server gets the commit; `later`: only when `deliver` is called. */
  cutAtCommit(passes: boolean | 'later'): void
  /** Passes on what was cut with `later`, and waits until the server has ended that connection. */
  deliver(): Promise<void>
  /** Passes nothing on until `release`, and closes nothing. */
  hold(): void
  /** The same from the next COMMIT on, which still reaches the server or not; with `forMs`, for this time. */
  holdAtCommit(options?: { forMs?: number; passesCommit?: boolean }): void
  release(): void
  readonly cuts: number
  /** How often clients have sent something. */
  readonly sent: number
}> {
  let cut: { passes: boolean | 'later' } | null = null
  let deliver = (): Promise<unknown> => Promise.resolve()
  let holdNext: { forMs?: number; passesCommit?: boolean } | null = null
  let held: (() => void)[] | null = null
  let cuts = 0
  let sent = 0
  const isCommit = commitDetector()
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
    const upstream = connect(server.port, '127.0.0.1')
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => sockets.delete(socket))
    }
    client.on('data', (bytes) => {
      sent++
      const commits = isCommit(bytes)
      if (commits && holdNext) {
        const { forMs, passesCommit = true } = holdNext
        holdNext = null
        if (passesCommit) upstream.write(bytes)
        held = []
        if (!passesCommit) pass(upstream, bytes)
        if (forMs !== undefined) setTimeout(release, forMs)
        return
      }
      if (cut === null || !commits) return pass(upstream, bytes)
      const { passes } = cut
      cut = null
      deliver = () => {
        upstream.write(bytes, () => upstream.end())
        return once(upstream, 'close')
      }
      client.destroy()
      cuts++
      if (passes === 'later') return
      if (passes) void deliver()
      else upstream.destroy()
    })
    upstream.on('data', (bytes) => pass(client, bytes))
    upstream.on('end', () => pass(client, null))
    client.on('end', () => pass(upstream, null))
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const address = proxy.address()
  if (address === null || typeof address === 'string') throw new Error('A TCP server has a port.')
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    proxy.close()
    await once(proxy, 'close')
  })
  return {
    url: server.url.replace(String(server.port), String(address.port)),
    cutAtCommit: (passes) => void (cut = { passes }),
    hold: () => void (held ??= []),
    holdAtCommit: (options = {}) => void (holdNext = options),
    release,
    async deliver() {
      await deliver()
    },
    get cuts() {
      return cuts
    },
    get sent() {
      return sent
    },
  }
}

/** Finds COMMIT, and each use of a prepared statement that is a transaction of its own. */
function commitDetector(): (bytes: Buffer) => boolean {
  const names = new Set<string>()
  return (bytes) => {
    // When it is prepared, the name comes before the text.
    const at = bytes.indexOf('\0WITH renewed AS')
    if (at >= 0) names.add(bytes.toString('latin1', at - nameLength, at))
    return bytes.includes('COMMIT\0') || [...names].some((name) => bytes.includes(name))
  }
}

const nameLength = 43
