import { LocalpostError } from '../core/errors.ts'
import { longJson, type LongJson } from '../core/long-json.ts'

/** An answer before it becomes a Response: the request log and HEAD need to see it. */
export interface Answer {
  readonly kind: typeof answerKind
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Values of `Set-Cookie`, where there may be several. */
  readonly cookies?: readonly string[]
  readonly body: string | Uint8Array | ReadableStream<Uint8Array> | LongJson | null
}

/**
 * Headers of every answer. It may contain mail and keys: browsers must not guess another type, store it, or give it to
 * a page of another site.
 */
export const privateHeaders = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
} as const

/** The media type of answers in JSON. */
export const jsonType = 'application/json; charset=utf-8'

/** An answer in JSON. The text is made once, for the socket and the log; a long one while it is read. */
export function jsonAnswer(
  value: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return {
    kind: answerKind,
    status,
    headers: { ...privateHeaders, 'content-type': jsonType, ...headers },
    body: longJson(value) ?? JSON.stringify(value),
  }
}

/** An answer of bytes or text, with a media type of its own; its headers may overrule {@link privateHeaders}. */
export function bytesAnswer(
  body: Answer['body'],
  headers: Readonly<Record<string, string>>,
  status = 200,
): Answer {
  return { kind: answerKind, status, headers: { ...privateHeaders, ...headers }, body }
}

/** The status of an answer after which the connection is a websocket. */
export const webSocketStatus = 101

/**
 * The answer that makes a websocket of the connection.
 *
 * @param frames  What is sent; see `websocket-frames.ts`.
 * @param accept  The value of `Sec-WebSocket-Accept`.
 */
export function webSocketAnswer(frames: ReadableStream<Uint8Array>, accept: string): Answer {
  const headers = { upgrade: 'websocket', connection: 'Upgrade', 'sec-websocket-accept': accept }
  return { kind: answerKind, status: webSocketStatus, headers, body: frames }
}

/**
 * The only place where errors become answers. Unexpected errors answer 500 without details.
 *
 * @param face  The provider that the request is for; null for Localpost's own paths.
 */
export function errorAnswer(
  error: unknown,
  face: { errorAnswer(error: LocalpostError, pathname: string): Answer } | null = null,
  pathname = '',
): Answer {
  const known =
    error instanceof LocalpostError ? error : new LocalpostError('internal_error', internalMessage)
  return face ? face.errorAnswer(known, pathname) : jsonAnswer(known, known.status, known.headers)
}

/** Whether a handler returned an answer, not only its value. */
export function isAnswer(value: unknown): value is Answer {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === answerKind
}

const answerKind: unique symbol = Symbol('answer')
const internalMessage =
  'Something went wrong inside Localpost. The log has the details; nothing of them is sent.'
