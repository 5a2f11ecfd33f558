import type { RequestListener, Server, ServerOptions } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { authorityOf, reachableHost } from '../net/hosts.ts'
import { listenError } from '../net/listen-error.ts'
import { answerClientErrors } from './client-error.ts'
import { clearInterval, clearTimeout, setInterval, setTimeout } from '../core/machine.ts'

/** Opens an HTTP listener for a Node request handler; the command line has one of its own. */
export type OpenListener = (
  handler: RequestListener,
  address: { host: string; port: number; keepAlive?: boolean },
) => Promise<HttpListener>

/** Where an instance listens for HTTP. */
export interface ListenOptions {
  /** 0 takes a free one. Default: 0. */
  port?: number
  /** Default: the instance's `host`. */
  host?: string
  /** How to open the socket; the command line gives one of listhen. Default: `node:http`. */
  listener?: OpenListener
}

/** An open listener. */
export interface HttpListener {
  /** With the port that was taken. */
  url: string
  port: number
  server: Server
  /** Closes the connections on which no request was ever made; made by {@link trackSilent}. */
  closeSilent?: () => void
}

/**
 * Opens a plain HTTP listener.
 *
 * @param address.port  0 takes a free one; the answer has the one that was taken.
 * @param address.keepAlive  Whether port and connections keep the process alive. Default: true.
 * @throws port_in_use, listen_failed
 */
export async function openHttpListener(
  handler: RequestListener,
  address: { host: string; port: number; keepAlive?: boolean },
): Promise<HttpListener> {
  const server = createServer(patience, handler)
  if (address.keepAlive === false) server.unref().on('connection', (socket: Socket) => socket.unref())
  answerClientErrors(server)
  const closeSilent = trackSilent(server)
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(listenError('HTTP', error, address)))
    server.listen(address.port, address.host, () => resolve())
  })
  // Errors of a server that listens (out of file handles) pass by themselves; without a listener they end the process.
  server.removeAllListeners('error').on('error', () => undefined)
  const bound = server.address() as AddressInfo
  const url = `http://${authorityOf(reachableHost(address.host), bound.port)}`
  return { server, closeSilent, port: bound.port, url }
}

/** The address that a listener is bound to; null where its server is no TCP server. */
export function boundHost({ server }: HttpListener): string | null {
  const address: AddressInfo | string | null = server.address()
  return typeof address === 'object' && address !== null ? address.address : null
}

/**
 * Closes a listener: takes no more connections, lets running requests finish, and cuts off what is left after the grace.
 *
 * @param graceMs  How long running requests may still take.
 */
export async function closeHttpListener(listener: HttpListener, graceMs: number): Promise<void> {
  const { server } = listener
  if (!server.listening) return
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeIdleConnections()
  listener.closeSilent?.()
  // A connection that becomes idle now would be kept for the next request.
  const sweep = setInterval(() => server.closeIdleConnections(), 20)
  const cut = setTimeout(() => server.closeAllConnections(), graceMs)
  await closed
  clearInterval(sweep)
  clearTimeout(cut)
}

/**
 * Remembers connections on which no request was made yet. Browsers open some ahead of need, and to Node they count as
 * busy: without this, each would hold up the closing for the whole grace.
 *
 * @param server  Before it takes its first connection.
 * @returns Closes them.
 */
export function trackSilent(server: Server): () => void {
  const silent = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    silent.add(socket)
    socket.once('close', () => silent.delete(socket))
  })
  // Not by the socket's 'data': a listener for it takes the socket away from Node's fast parser.
  server.on('request', ({ socket }) => silent.delete(socket))
  return () => silent.forEach((socket) => socket.destroy())
}

/**
 * How long clients may take: one that sends its header or its body drop by drop must not hold a connection for ever.
 * Idle ones are kept longer than most clients keep them, so that it is the client who closes, and no request meets a
 * closed door.
 */
export const patience: ServerOptions = {
  headersTimeout: 20_000,
  requestTimeout: 120_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: 32 * 1024,
}
