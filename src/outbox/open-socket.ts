import { connect, type Socket } from 'node:net'
import { guardedLookup, addressProblem } from '../net/guarded-request.ts'
import type { CheckDestination } from '../net/outgoing.ts'

/** The callback of nodemailer's `getSocket`. */
export type SocketDone = (error: Error | null, socket?: { connection: Socket }) => void

export interface SocketOptions {
  /** Host and port are read again for each connection: getters may give those of a server that opens later. */
  host: string
  port: number
  /** Decides which addresses may be connected to. Default: all. */
  problemOf?: CheckDestination
  /** Whether the connections keep the process alive. Default: true. */
  keepAlive?: boolean
}

/** Opens a connection if the address is allowed; the signature is that of nodemailer's `getSocket`. */
export function openSocket(
  { host, port, problemOf, keepAlive = true }: SocketOptions,
  done: SocketDone,
): void {
  const problem = problemOf ? addressProblem(host, port, problemOf) : null
  if (problem !== null) return done(new Error(problem))
  const socket = connect({
    host,
    port,
    ...(problemOf ? { lookup: guardedLookup(host, port, { problemOf }) } : {}),
  })
  const fail = (error: Error): void => done(error)
  // While connecting, the socket keeps the process alive, at most until the timeout.
  const giveUp = (): void => void socket.destroy(new Error('Connection timeout'))
  socket
    .setTimeout(connectTimeoutMs, giveUp)
    .once('error', fail)
    .once('connect', () => {
      socket.off('error', fail).setTimeout(0, giveUp)
      done(null, { connection: keepAlive ? socket : socket.unref() })
    })
}

/** How long a connection may take to open. */
export const connectTimeoutMs = 10_000
