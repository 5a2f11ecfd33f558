import { readBeginning } from '../core/read-beginning.ts'
import { guardedRequest, reasonOf, type GuardedRequest } from '../net/guarded-request.ts'
import type { CheckDestination } from '../net/outgoing.ts'
import { isUntrustedCertificate } from '../net/tls-words.ts'

/** Why a provider could not be asked, or why its answer cannot be used. */
export class ProviderFailure extends Error {
  override readonly name = 'ProviderFailure'
}

/** The `fetch` that `openid-client` expects. */
export interface ProviderRequest {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly signal?: AbortSignal
}

/** Makes a request to a provider; replaces the global `fetch`. */
export interface ProviderFetch {
  /** @throws ProviderFailure */
  fetch(url: string, request: ProviderRequest): Promise<Response>
  /** Ends the running requests, and refuses later ones. */
  close(): void
}

/**
 * Makes the requests to one provider. Redirects are not followed, and an answer is complete within 10 seconds and 256 KiB
 * or is not used. A URL of another host than the issuer's, which the discovery document may name, must be https.
 */
export function createProviderFetch(options: {
  issuer: URL
  problemOf: CheckDestination
  timeoutMs?: number
  lookup?: GuardedRequest['lookup']
}): ProviderFetch {
  const { issuer, problemOf, lookup, timeoutMs = 10_000 } = options
  const closing = new AbortController()

  async function ask(url: string, request: ProviderRequest, signal: AbortSignal): Promise<Response> {
    const target = new URL(url)
    if (target.protocol !== 'https:' && target.host !== issuer.host)
      throw new ProviderFailure(`${url} is not an https URL`)
    const body = request.body instanceof URLSearchParams ? request.body.toString() : undefined
    const response = await guardedRequest(target, {
      method: request.method === 'POST' ? 'POST' : 'GET',
      headers: {
        ...request.headers,
        'accept-encoding': 'identity',
        ...(body !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      ...(body !== undefined && { body }),
      signal,
      problemOf,
      ...(lookup && { lookup }),
    })
    const bytes = await readBeginning(response, maxAnswerBytes + 1)
    if (bytes.length > maxAnswerBytes)
      throw new ProviderFailure(`${url} answered more than ${maxAnswerBytes} bytes`)
    const status = response.statusCode ?? 0
    // `Response` accepts only 200 to 599, and no body with 204, 205 and 304.
    if (status < 200 || status > 599 || [204, 205, 304].includes(status))
      throw new ProviderFailure(`${url} answered ${status}`)
    return new Response(bytes.toString(), {
      status,
      headers: { 'content-type': response.headers['content-type'] ?? '' },
    })
  }

  return {
    async fetch(url, request) {
      if (closing.signal.aborted) throw new ProviderFailure('this instance is closing')
      const deadline = AbortSignal.timeout(timeoutMs)
      const signals = [closing.signal, deadline, ...(request.signal ? [request.signal] : [])]
      try {
        return await ask(url, request, AbortSignal.any(signals))
      } catch (error) {
        if (error instanceof ProviderFailure) throw error
        let reason = reasonOf(error)
        if (closing.signal.aborted) reason = 'this instance is closing'
        if (deadline.aborted) reason = `no complete answer within ${timeoutMs / 1000} s`
        const advice = isUntrustedCertificate(error) ? trustAdvice : ''
        throw new ProviderFailure(`${url}: ${reason}${advice}`, { cause: error })
      }
    },
    close: () => closing.abort(),
  }
}

const trustAdvice =
  '. If that is the right server, name the certificate of its authority when Localpost is started: NODE_EXTRA_CA_CERTS=<file>'

const maxAnswerBytes = 256 * 1024
