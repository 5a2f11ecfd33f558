import { IncomingMessage } from 'node:http'

/**
 * A request of which Node believes that it upgrades its connection only if it asks for a websocket. Java's client asks with
 * each first request for HTTP/2, also with those that have a body, and wants them to be answered as they are.
 */
export class ListenerRequest extends IncomingMessage {
  // Not a private member, because the constructor of Node's class sets `upgrade`.
  declare protected asksForUpgrade: boolean | null

  get upgrade(): boolean {
    if (this.asksForUpgrade !== true) return false
    return this.method === 'CONNECT' || (this.method === 'GET' && isWebSocket(this.headers.upgrade))
  }

  set upgrade(asks: boolean | null) {
    this.asksForUpgrade = asks
  }
}

const isWebSocket = (upgrade: string | undefined): boolean => upgrade?.toLowerCase() === 'websocket'
