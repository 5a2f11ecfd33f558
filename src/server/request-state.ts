import type { H3Event } from 'h3'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { SessionOwner } from '../users/sessions.ts'
import type { Face } from './face.ts'
import type { FindFace } from './faces.ts'
import { beginExchange, type Exchange } from './request-log.ts'
import type { AcceptedWebSocket } from './websocket.ts'

/**
 * What the middleware and the handlers of a request tell each other. Facts of the request are `readonly`; each other member
 * is written in one place, which its comment names, and read by those that come later.
 */
export interface RequestState {
  /** The request and the answer of our own listener; null in process. */
  readonly socket: RequestSocket | null
  /** The provider whose path is requested; null for Localpost's own paths. */
  readonly face: Face | null
  /** What the request log shows. Filled in by all that handle the request; see {@link Exchange}. */
  readonly exchange: Exchange
  /**
   * Made by the inbox page: it does not use up faults and rate limits and is not logged. Only a browser sets
   * Sec-Fetch-Site, and a page of another origin cannot set it to `same-origin`.
   */
  readonly isFromPage: boolean
  /** Headers for the answer, also if it is an error. Written by `admitCaller`. */
  headers: Readonly<Record<string, string>>
  /** The pattern of the route that answers it; `other` where there is none. Written by `setRoute`. */
  route: string
  /** Whether it is logged, as requests to `/v1` are. Written by `logRequest`. */
  isLogged: boolean
  /** Whether a fault closed the connection. The answer must then be dropped. Written by the gate of faults. */
  isCut: boolean
  /** Whether the answer is a stream, which continues after it was returned. Written by to-response.ts. */
  isStreamed: boolean
  /** The websocket that the connection becomes after this request; null if it stays one of HTTP. Written by to-response.ts. */
  webSocket: AcceptedWebSocket | null
  /** How the request relates to the account that it is for. Written by `passToAccount`, for the interface of the account. */
  account: RequestedAccount
  /**
   * The user whose name and password the request has in place of a key; null without any. Written by `basicUsers`.
   *
   * @throws invalid_credentials once the user is gone or the password was changed.
   */
  signedIn: (() => SessionOwner) | null
}

interface RequestSocket {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  /** Whether the connection may become a websocket. */
  readonly isUpgrade?: true
}

export interface RequestedAccount {
  /** The name of an account that the caller may not see; null for one that exists. */
  readonly refusedName: string | null
  /** @throws not_found if the account cannot be reached any more. */
  assertReached(): void
  /** Records that the account is in use. */
  used(): void
}

/** A new context of h3 for a request that came through our own listener, or in process without one. */
export function newContext(socket: RequestState['socket']): Record<string, unknown> {
  return { [contextKey]: { socket, account: ownAccount, signedIn: null } }
}

/** Begins the state of a request. One that is passed on to another account begins again there, on the same connection. */
export function beginState({ req, url, context }: H3Event, faceOf: FindFace): RequestState {
  const { socket, account, signedIn } = context[contextKey] as NewState
  const { headers, method } = req
  const state: RequestState = {
    socket,
    face: faceOf(url.pathname),
    exchange: beginExchange('http', method, url.pathname + url.search),
    isFromPage: headers.has('x-localpost-page') && headers.get('sec-fetch-site') === 'same-origin',
    headers: {},
    route: 'other',
    isLogged: false,
    isCut: false,
    isStreamed: false,
    webSocket: null,
    account,
    signedIn,
  }
  context[contextKey] = state
  return state
}

/** The state of a request. */
export function stateOf({ context }: Pick<H3Event, 'context'>): RequestState {
  return context[contextKey] as RequestState
}

/**
 * Whether the path of a request takes the name of an account: those of `/dev`, `/mcp` and `/metrics`, and of faces with
 * their access.
 */
export function isLocalPath(event: Pick<H3Event, 'url' | 'context'>): boolean {
  return (
    /^\/(?:dev\/|(?:mcp|metrics)\/?$)/.test(event.url.pathname) || stateOf(event).face?.access === 'local'
  )
}

/**
 * The socket's request, for a request that came through our own listener.
 *
 * @returns undefined in process, also where a server that we are mounted in has a request of its own: it may have read
 *   the body already, and it decides about hosts itself.
 */
export function socketRequestOf(event: Pick<H3Event, 'context'>): IncomingMessage | undefined {
  return stateOf(event).socket?.req
}

const contextKey = 'localpost'
type NewState = Pick<RequestState, 'socket' | 'account' | 'signedIn'>
const ownAccount: RequestedAccount = { refusedName: null, assertReached: () => {}, used: () => {} }
