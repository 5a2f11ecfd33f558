import {
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  createServer,
} from 'node:http'
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { LocalpostError } from '../core/errors.ts'
import { clearInterval, clearTimeout, setInterval, setTimeout } from '../core/machine.ts'
import { backlog } from '../net/backlog.ts'
import { authorityOf, reachableHost } from '../net/hosts.ts'
import { listenError } from '../net/listen-error.ts'
import { unsafePorts } from '../net/unsafe-ports.ts'
import { answerClientErrors } from './client-error.ts'
import { trackSilent, trackUpgraded } from './connections.ts'
import { ListenerRequest } from './framing.ts'

/** Opens an HTTP listener for a Node request handler. */
export type OpenListener = (handler: RequestListener, address: ListenAddress) => Promise<HttpListener>

/** Where a listener is to be opened, and how. */
export interface ListenAddress {
  host: string
  /** 0 takes a free port. */
  port: number
  /** Whether the port and its connections keep the process alive. Default: true. */
  keepAlive?: boolean
  /** HTTPS with this private key and certificate in PEM. Default: plain HTTP. */
  tls?: { key: string; cert: string }
  /** Where the SMTP port is, as `127.0.0.1:1025`, to tell clients that confuse the two. Default: they are not told. */
  smtp?: string
  /** Called with each request for a websocket. Default: such a request is answered as any other. */
  upgrade?: UpgradeListener
}

/** Takes over a connection whose client asks for a websocket. `head` is what came after the request. */
export type UpgradeListener = (request: IncomingMessage, socket: Socket, head: Buffer) => void

/** Where an instance listens for HTTP. */
export interface ListenOptions {
  /** 0 takes a free port. Default: 0. */
  port?: number
  /** Default: the instance's `host`. */
  host?: string
  /** Opens the socket. Default: `node:http`. */
  listener?: OpenListener
}

/** An open listener. */
export interface HttpListener {
  /** The URL with the actual port. */
  url: string
  port: number
  server: Server | SecureServer
  /** Closes the connections without any request; see {@link trackSilent}. */
  closeSilent?: () => void
  /**
   * When the last connections began that sent nothing for three seconds or longer, at most 100, in Unix time in
   * milliseconds, newest last. SMTP clients wait like this for a greeting, but browsers open such connections too.
   */
  silentSince?: () => readonly number[]
  /** Closes the connections that Node gave away, of which its server knows nothing any more. */
  closeUpgraded?: () => void
}

/** Opens an HTTP listener. @throws port_in_use, listen_failed. */
export async function openHttpListener(
  handler: RequestListener,
  address: ListenAddress,
): Promise<HttpListener> {
  const { tls } = address
  if (unsafePorts.has(address.port)) {
    const message = `Port ${address.port} on ${address.host} is one that browsers refuse to open. Choose another port.`
    throw new LocalpostError('listen_failed', message)
  }
  const server = tls
    ? createSecureServer({ ...nodeOptions, ...tls, handshakeTimeout: nodeOptions.headersTimeout }, handler)
    : createServer(nodeOptions, handler)
  const { upgrade } = address
  if (upgrade) server.on('upgrade', upgrade)
  if (address.keepAlive === false) server.unref().on('connection', (socket: Socket) => socket.unref())
  answerClientErrors(server, address.smtp ?? null)
  const silent = trackSilent(server)
  const closeUpgraded = trackUpgraded(server)
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(listenError('HTTP', error, address)))
    server.listen({ port: address.port, host: address.host, backlog }, () => resolve())
  })
  // Errors of a listening server (such as too few file handles) are temporary. Without this handler they end the process.
  server.removeAllListeners('error').on('error', () => undefined)
  const bound = server.address() as AddressInfo
  const url = `${tls ? 'https' : 'http'}://${authorityOf(reachableHost(address.host), bound.port)}`
  const { close: closeSilent, since: silentSince } = silent
  return { server, closeSilent, silentSince, closeUpgraded, port: bound.port, url }
}

/** The address that a listener is bound to; null if its server is not a TCP server. */
export function boundHost({ server }: HttpListener): string | null {
  const address: AddressInfo | string | null = server.address()
  return typeof address === 'object' && address !== null ? address.address : null
}

/**
 * Closes a listener: accepts no more connections, lets running requests finish, and closes the remaining connections
 * after a time limit.
 */
export async function closeHttpListener(listener: HttpListener, graceMs: number): Promise<void> {
  const { server } = listener
  if (!server.listening) return
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeIdleConnections()
  listener.closeSilent?.()
  // A connection that becomes idle later would stay open for a next request.
  const sweep = setInterval(() => server.closeIdleConnections(), 20)
  const cut = setTimeout(() => {
    server.closeAllConnections()
    listener.closeUpgraded?.()
  }, graceMs)
  await closed
  clearInterval(sweep)
  clearTimeout(cut)
}

/**
 * The class of requests, the largest header, and time limits for clients. A client that sends its header or body very slowly
 * must not keep a connection forever. Idle connections stay open longer than most clients keep them, so that the client
 * closes first and no request is sent on a connection that the server is closing.
 */
const nodeOptions: ServerOptions<typeof ListenerRequest> = {
  IncomingMessage: ListenerRequest,
  headersTimeout: 20_000,
  requestTimeout: 120_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: 32 * 1024,
}
