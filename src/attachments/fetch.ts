import type { IncomingMessage } from 'node:http'
import { readBeginning } from '../core/read-beginning.ts'
import { LocalpostError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import { guardedRequest, reasonOf, type GuardedRequest } from '../net/guarded-request.ts'
import type { CheckDestination } from '../net/outgoing.ts'

/** How an attachment is fetched. */
export interface FetchLimits {
  problemOf: CheckDestination
  /** For the whole fetch, including redirects. */
  timeoutMs: number
  maxBytes: number
  /** Resolves host names; replaced in tests. Default: the machine's. */
  lookup?: GuardedRequest['lookup']
}

/** A fetched body, and the type that its server gives. */
export interface Fetched {
  content: Buffer
  content_type: string | null
}

/**
 * Fetches the bytes behind an http(s) URL. Every address is checked when it is connected to, also after each of at most
 * three redirects, so that no name can resolve to a forbidden address.
 *
 * @throws attachment_failed with the URL and the reason.
 */
export async function fetchAttachment(url: string, limits: FetchLimits): Promise<Fetched> {
  const signal = AbortSignal.timeout(limits.timeoutMs)
  let target = new URL(url)
  for (let redirects = 0; ; redirects++) {
    const response = await open(target, limits, signal)
    const location = response.headers.location
    if (location !== undefined && redirectStatuses.has(response.statusCode ?? 0)) {
      response.destroy()
      if (redirects === maxRedirects) throw failed(url, `it redirects more than ${maxRedirects} times`)
      target = redirectTarget(url, location, target)
      continue
    }
    if (response.statusCode !== 200) {
      response.destroy()
      throw failed(url, `the server answered ${response.statusCode}`)
    }
    const content = await readAll(url, response, limits, signal)
    return { content, content_type: response.headers['content-type'] ?? null }
  }
}

const maxRedirects = 3
const redirectStatuses = new Set([301, 302, 303, 307, 308])

function redirectTarget(url: string, location: string, base: URL): URL {
  const target = URL.canParse(location, base.href) ? new URL(location, base.href) : null
  if (!target || !/^https?:$/.test(target.protocol) || target.username !== '' || target.password !== '')
    throw failed(url, `it redirects to ${quote(location)}, which is no plain http(s) URL`)
  return target
}

async function open(target: URL, limits: FetchLimits, signal: AbortSignal): Promise<IncomingMessage> {
  try {
    return await guardedRequest(target, {
      method: 'GET',
      headers: { 'user-agent': 'localpost', accept: '*/*', 'accept-encoding': 'identity' },
      signal,
      problemOf: limits.problemOf,
      lookup: limits.lookup,
    })
  } catch (error) {
    throw failed(target.href, reasonWithin(error, signal, limits), error)
  }
}

async function readAll(
  url: string,
  response: IncomingMessage,
  limits: FetchLimits,
  signal: AbortSignal,
): Promise<Buffer> {
  const tooLarge = (): LocalpostError =>
    failed(url, `it is larger than the ${limits.maxBytes} bytes that are left`)
  if (Number(response.headers['content-length'] ?? 0) > limits.maxBytes) {
    response.destroy()
    throw tooLarge()
  }
  let bytes: Buffer
  try {
    bytes = await readBeginning(response, limits.maxBytes + 1)
  } catch (error) {
    throw failed(url, reasonWithin(error, signal, limits), error)
  }
  if (bytes.length > limits.maxBytes) throw tooLarge()
  return bytes
}

function reasonWithin(error: unknown, signal: AbortSignal, limits: FetchLimits): string {
  return signal.aborted ? `no complete answer within ${limits.timeoutMs} ms` : reasonOf(error)
}

function failed(url: string, reason: string, cause?: unknown): LocalpostError {
  const message = `Attachment ${quote(url)} cannot be fetched: ${reason}.`
  return new LocalpostError('attachment_failed', message, { cause })
}
