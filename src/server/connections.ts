import type { IncomingMessage, Server } from 'node:http'
import type { Server as SecureServer } from 'node:https'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { dateNow } from '../core/machine.ts'

/**
 * Tracks connections without a request. Browsers open some in advance, and Node treats them as busy. Without this, each
 * would delay closing until the time limit.
 *
 * @param server  A server that has not accepted a connection yet.
 * @returns `close` closes these connections; `since` as in `HttpListener`.
 */
export function trackSilent(server: Server | SecureServer): { close(): void; since(): readonly number[] } {
  /** Those without a request, to be closed at the end; of a connection with TLS the TLS socket, once its handshake is done. */
  const unused = new Set<Socket>()
  /** When the connections began that have sent no request and are open; always those of the port, not TLS sockets. */
  const sinceOf = new Map<Socket, number>()
  /** When those began that closed without a byte, not even of TLS, after a long time. */
  const ended: number[] = []
  const isLong = (socket: Socket, began: number): boolean =>
    socket.bytesRead === 0 && dateNow() - began >= silentMs
  server.on('connection', (socket: Socket) => {
    const began = dateNow()
    unused.add(socket)
    sinceOf.set(socket, began)
    socket.once('close', () => {
      unused.delete(socket)
      if (sinceOf.delete(socket) && isLong(socket, began)) ended.push(began)
      if (ended.length > maxSilent) ended.shift()
    })
  })
  // A TLS socket replaces the connection that it came over, once its handshake is done.
  server.on('secureConnection', (secured: TLSSocket) => {
    for (const socket of unused) if (isSameClient(socket, secured)) unused.delete(socket)
    unused.add(secured)
    secured.once('close', () => unused.delete(secured))
  })
  // Does not use the socket's 'data' event, because a listener for it disables Node's fast HTTP parser.
  const onRequest = ({ socket }: IncomingMessage): void => {
    unused.delete(socket)
    sinceOf.delete(socket)
  }
  server.on('request', onRequest)
  // A server with any listener for upgrades leaves all of them to that.
  if (server.listenerCount('upgrade') > 0) server.on('upgrade', onRequest)
  return {
    close: () => unused.forEach((socket) => socket.destroy()),
    since() {
      const open = [...sinceOf].filter(([socket, began]) => isLong(socket, began)).map(([, began]) => began)
      return [...ended, ...open].sort((one, other) => one - other).slice(-maxSilent)
    },
  }
}

/** Tracks the connections of requests for a websocket and of CONNECT. @returns A function that closes them. */
export function trackUpgraded(server: Server | SecureServer): () => void {
  const upgraded = new Set<Duplex>()
  const track = (_request: IncomingMessage, socket: Duplex): void => {
    upgraded.add(socket)
    socket.once('close', () => upgraded.delete(socket))
  }
  server.on('connect', track)
  // A server with any listener for upgrades leaves all of them to that.
  if (server.listenerCount('upgrade') > 0) server.on('upgrade', track)
  return () => upgraded.forEach((socket) => socket.destroy())
}

function isSameClient(one: Socket, other: Socket): boolean {
  return one.remotePort === other.remotePort && one.remoteAddress === other.remoteAddress
}

/** After this time, in milliseconds, a connection without a byte counts as silent. */
const silentMs = 3000
const maxSilent = 100
