import { LocalpostError, validationError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import { assertKnownOptions } from '../core/known-options.ts'
import { isRecord } from '../core/members.ts'
import { ownSignal } from '../core/own-signal.ts'
import type { ListPage } from '../core/lists.ts'
import { untilAborted } from '../core/until-aborted.ts'
import { parseJson, toAnswerError, unexpectedAnswer } from './answer-error.ts'
import { type CallSettings, checkClientOptions, longestMs, requestClass } from './settings.ts'

/** Options of every operation. */
export interface CallOptions {
  /** Ends the call; it then throws the signal's reason. */
  signal?: AbortSignal
}

/** A list's own options. */
export interface ClientListOptions extends CallOptions {
  /** From the previous page. Default: the first page. */
  cursor?: string | null
}

/**
 * Makes requests to one service. Successful answers are not checked member by member; that is what the tests of the
 * server do.
 */
export interface Calls {
  /**
   * @param path  By segment; the first is `v1`, or `dev` for the control API.
   * @param body  Needed for POST and PATCH.
   */
  call<T>(method: Method, path: readonly string[], options?: CallOptions, body?: unknown): Promise<T>
  /** A POST that takes an idempotency key. */
  postOnce<T>(path: readonly string[], body: unknown, options?: PostOnceOptions): Promise<T>
  /** A list of `/v1`. @param name  The member of the answer that holds the items. */
  list<T>(name: string, path: readonly string[], options?: ClientListOptions): Promise<ListPage<T>>
  /** A request to the control API with options of the package's own. @param path  Below `/dev`. */
  ask<T>(method: Method, path: readonly string[], options?: AskOptions): Promise<T>
}

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

interface PostOnceOptions extends CallOptions {
  idempotencyKey?: string
}

interface AskOptions {
  signal?: AbortSignal | undefined
  body?: object | undefined
  query?: Readonly<Record<string, string>>
  /** Added to the time that an answer may take, in milliseconds. */
  waitMs?: number
}

interface RequestOptions extends AskOptions {
  headers?: Record<string, string>
}

interface CallAnswer {
  response: Response
  text: string
  value: Readonly<Record<string, unknown>>
  /** The request, for messages. */
  request: string
}

/** @param given.needsKey  Whether a key must be given. A caller on the server's own machine needs none. Default: true. */
export function createCall(options: CallSettings, { needsKey = true }: { needsKey?: boolean } = {}): Calls {
  const { url: base, apiKey, fetch, timeoutMs } = checkClientOptions(options, { needsKey })

  async function answerOf(
    method: Method,
    path: readonly string[],
    { body, headers, query = {}, signal, waitMs = 0 }: RequestOptions,
  ): Promise<CallAnswer> {
    const url = new URL(`${base}/${path.map(segmentOf).join('/')}`)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    const shown = `${method} ${url.origin}${url.pathname}`
    const content = body === undefined ? undefined : toJson(body)
    let fetching: Promise<Response> | null = null
    const limitMs = Math.min(timeoutMs + waitMs, longestMs)
    const limit = timeoutMs === Infinity ? undefined : AbortSignal.timeout(limitMs)
    try {
      const stop = AbortSignal.any([signal && ownSignal(signal), limit].filter((one) => one !== undefined))
      const request = new (requestClass())(url, {
        method,
        headers: {
          accept: 'application/json',
          ...(apiKey !== null && { authorization: `Bearer ${apiKey}` }),
          ...(content !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        signal: stop,
        ...(content !== undefined && { body: content }),
      })
      stop.throwIfAborted()
      // The signal is also watched here, because a `fetch` that calls a service in process may ignore it.
      fetching = fetch(request)
      const response = await untilAborted(fetching, stop)
      const text = await untilAborted(response.text(), stop)
      const value = response.ok && parseJson(text)
      if (isRecord(value)) return { response, text, value, request: shown }
      throw toAnswerError(response, text, shown)
    } catch (error) {
      void dropBody(fetching)
      if (error instanceof LocalpostError) throw error
      if (signal?.aborted) signal.throwIfAborted()
      throw callError(error, shown, limit?.aborted ? limitMs : null)
    }
  }

  return {
    async call<T>(method: Method, path: readonly string[], options: CallOptions = {}, body?: unknown) {
      assertKnownOptions(options, ['signal'], 'a call')
      if (method !== 'POST' && method !== 'PATCH') return (await answerOf(method, path, options)).value as T
      assertBody(body)
      return (await answerOf(method, path, { ...options, body })).value as T
    },
    async postOnce<T>(path: readonly string[], body: unknown, options: PostOnceOptions = {}) {
      assertKnownOptions(options, ['signal', 'idempotencyKey'], 'a call')
      assertBody(body)
      const { idempotencyKey, ...others } = options
      const headers = idempotencyKey !== undefined && { 'idempotency-key': headerOf(idempotencyKey) }
      return (await answerOf('POST', path, { ...others, body, ...(headers && { headers }) })).value as T
    },
    async list<T>(name: string, path: readonly string[], options: ClientListOptions = {}) {
      assertKnownOptions(options, ['cursor', 'signal'], 'a list')
      const { cursor: from, ...others } = options
      const query = from !== undefined && from !== null && { query: { cursor: from } }
      const { response, text, value, request } = await answerOf('GET', path, { ...others, ...query })
      const { [name]: items, count, cursor = null } = value
      if (
        Array.isArray(items) &&
        typeof count === 'number' &&
        (cursor === null || typeof cursor === 'string')
      )
        return { items, count, cursor } satisfies ListPage<T>
      throw unexpectedAnswer(response, text, request, ` without a list of ${name}, a count and a cursor`)
    },
    async ask<T>(method: Method, path: readonly string[], options: AskOptions = {}) {
      return (await answerOf(method, ['dev', ...path], options)).value as T
    },
  }
}

function assertBody(body: unknown): asserts body is object {
  if (typeof body !== 'object' || body === null)
    throw validationError([{ field: 'body', message: `must be an object, not ${quote(body)}` }])
}

/** The error of a request without an answer. @param limitMs  Null if it did not reach its limit. */
function callError(cause: unknown, request: string, limitMs: number | null): LocalpostError {
  if (limitMs !== null)
    return new LocalpostError('request_timeout', `${request} had no answer within ${limitMs} ms.`, { cause })
  const message = `${request} failed: ${reasonOf(cause)}. Check the url, and that the service runs there.`
  return new LocalpostError('request_failed', message, { cause })
}

/** Drops the body of an answer that comes too late: until then, a service in process keeps its account open. */
async function dropBody(fetching: Promise<Response> | null): Promise<void> {
  try {
    await (await fetching)?.body?.cancel()
  } catch {
    // There is no answer, or its body was being read.
  }
}

// A URL drops empty and dotted segments, so the request would be another one.
function segmentOf(segment: unknown): string {
  if (typeof segment === 'string' && !['', '.', '..'].includes(segment)) {
    try {
      return encodeURIComponent(segment)
    } catch {
      // A URL cannot contain half of a surrogate pair.
    }
  }
  throw validationError([
    { field: 'id', message: `must be an identifier from an answer, not ${quote(segment)}.` },
  ])
}

// The key is not quoted: it may reveal what is sent.
function headerOf(key: unknown): string {
  if (typeof key === 'string' && /^[\x20-\x7e\xa0-\xff]*$/.test(key)) return key
  throw validationError([
    { field: 'Idempotency-Key', message: 'must be a text of Latin characters without line breaks.' },
  ])
}

function toJson(body: object): string {
  try {
    return JSON.stringify(body)
  } catch (error) {
    throw validationError([{ field: 'body', message: `is not possible as JSON: ${reasonOf(error)}` }])
  }
}

// The error of Node's fetch only says "fetch failed"; its cause has the reason.
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  return cause instanceof Error && cause.message !== ''
    ? `${error.message} (${cause.message})`
    : error.message
}
