import { type IncomingMessage, type RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { ServerRequest } from 'srvx'
import { NodeRequest, sendNodeResponse, toNodeHandler } from 'srvx/node'
import { endSocket } from './rest-of-request.ts'
import { createLastRequests } from './framing.ts'
import { settleHost } from './guard.ts'
import type { UpgradeListener } from './listener.ts'
import type { AccountHttp } from './pass-to-account.ts'
import { newContext, type RequestState, stateOf } from './request-state.ts'
import { createWebSockets } from './websocket.ts'

/** What a server of `node:http` calls with the requests of its connections. */
export interface SocketHandlers {
  readonly nodeHandler: RequestListener
  /** Answers a request for a websocket, and opens that. */
  readonly upgradeHandler: UpgradeListener
  /** Closes the websockets. */
  close(): void
}

/** @param onError  Called with the error of a request for a websocket that was not answered. */
export function createSocketHandlers(
  answer: AccountHttp['answer'],
  onError: (error: unknown) => void,
): SocketHandlers {
  // The types of srvx are for any runtime and for HTTP/2 too. What it is given here are requests of `node:http`.
  const overSocket = toNodeHandler((request: ServerRequest) =>
    answer(request, newContext((request.runtime?.node ?? null) as RequestState['socket'])),
  ) as RequestListener
  const isHandled = createLastRequests()
  const webSockets = createWebSockets()

  /**
   * In this order: the socket has listeners before anything can fail; `isHandled` and `settleHost` come before the URL is
   * read; and the response has its socket before the request is answered, because an answer may be written to it.
   */
  async function upgrade(req: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    const res = new ServerResponse(req)
    // Node has removed its own listeners, and an error without one would end the process.
    socket
      .on('error', () => socket.destroy())
      .on('timeout', () => socket.destroy())
      .on('drain', () => res.emit('drain'))
    if (!isHandled(req, res)) return void socket.destroy()
    settleHost(req)
    res.assignSocket(socket)
    res.shouldKeepAlive = false
    const context = newContext({ req, res, isUpgrade: true })
    const response = await answer(new NodeRequest({ req, res }), context)
    const { webSocket } = stateOf({ context })
    if (webSocket) return webSockets.open(socket, head, webSocket)
    // An answer of HTTP follows. Without this, a client that ends its side, or still sends, would keep the connection open.
    socket.once('end', () => socket.end()).resume()
    await sendNodeResponse(res, response)
    endSocket(socket)
  }

  return {
    nodeHandler(request, response) {
      if (!isHandled(request, response)) return
      // Before h3 reads the URL.
      settleHost(request)
      overSocket(request, response)
    },
    upgradeHandler(request, socket, head) {
      upgrade(request, socket, head).catch((error: unknown) => {
        onError(error)
        socket.destroy()
      })
    },
    close: () => webSockets.close(),
  }
}
