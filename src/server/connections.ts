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
  /** Those without a request; of a connection with TLS the TLS socket, once its handshake is done. */
  const silent = new Set<Socket>()
  /** When the connections began that have sent no request and are open; always those of the port, not TLS sockets. */
  const waiting = new Map<Socket, number>()
  /** When those began that closed without a byte, not even of TLS, after a long time. */
  const ended: number[] = []
  const isLong = (socket: Socket, began: number): boolean =>
    socket.bytesRead === 0 && dateNow() - began >= silentMs
  server.on('connection', (socket: Socket) => {
    const began = dateNow()
    silent.add(socket)
    waiting.set(socket, began)
    socket.once('close', () => {
      silent.delete(socket)
      if (waiting.delete(socket) && isLong(socket, began)) ended.push(began)
      if (ended.length > maxSilent) ended.shift()
    })
  })
  // A TLS socket replaces the connection that it came over, once its handshake is done.
  server.on('secureConnection', (secured: TLSSocket) => {
    for (const socket of silent) if (socket.remotePort === secured.remotePort) silent.delete(socket)
    silent.add(secured)
    secured.once('close', () => silent.delete(secured))
  })
  // Does not use the socket's 'data' event, because a listener for it disables Node's fast HTTP parser.
  const onRequest = ({ socket }: IncomingMessage): void => {
    silent.delete(socket)
    waiting.delete(socket)
  }
  server.on('request', onRequest)
  // A server with any listener for upgrades leaves all of them to that.
  if (server.listenerCount('upgrade') > 0) server.on('upgrade', onRequest)
  return {
    close: () => silent.forEach((socket) => socket.destroy()),
    since() {
      const open = [...waiting].filter(([socket, began]) => isLong(socket, began)).map(([, began]) => began)
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

/** After this time, in milliseconds, a connection without a byte counts as silent. */
const silentMs = 3000
const maxSilent = 100
