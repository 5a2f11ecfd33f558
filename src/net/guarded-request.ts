import { lookup as dnsLookup, type LookupAddress } from 'node:dns'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { hostOfUrl } from './hosts.ts'
import type { CheckDestination } from './outgoing.ts'
import { certificateReason, tlsReason } from './tls-words.ts'

/** A request to a URL that came from outside. */
export interface GuardedRequest {
  method: 'GET' | 'HEAD' | 'POST'
  headers: Readonly<Record<string, string>>
  /** Default: none. */
  body?: string | Uint8Array
  /** Cancels the request at any stage, including the reading of the answer. */
  signal: AbortSignal
  problemOf: CheckDestination
  /** Resolves host names; replaced in tests. Default: the machine's. */
  lookup?: typeof dnsLookup
}

/**
 * Makes one HTTP(S) request on a connection of its own. Every address is checked when the connection is made, so that
 * no host name can resolve to a forbidden address. Redirects are not followed.
 *
 * @returns The answer. The caller must read or destroy its body.
 * @throws Error with the reason: a forbidden address, a failed connection, or the signal.
 */
export function guardedRequest(target: URL, given: GuardedRequest): Promise<IncomingMessage> {
  const { method, headers, body, signal } = given
  const { host, port } = hostAndPort(target)
  const problem = addressProblem(host, port, given.problemOf)
  if (problem !== null) return Promise.reject(new Error(problem))
  const lookup = guardedLookup(host, port, given)
  const request: typeof httpRequest = target.protocol === 'https:' ? httpsRequest : httpRequest
  return new Promise((resolve, reject) => {
    request(target, { method, headers, lookup, signal, agent: false })
      .on('response', resolve)
      .on('error', reject)
      // No effect after an answer. Node reports an answer that it does not accept, such as 101, only by this event.
      .on('close', () => reject(new Error('the connection was closed without an answer')))
      .end(body)
  })
}

/** The reason of a failed request. If several addresses refuse, Node's error has a code but no message. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const certificate = certificateReason(error)
  if (certificate !== null) return certificate
  const tls = tlsReason(error.message)
  if (tls !== null) return `${tls}; for a server without TLS the address begins with http://`
  return error.message || ('code' in error && typeof error.code === 'string' ? error.code : error.name)
}

/**
 * Why an http or https URL may not be called, as far as this is known without a look-up: its host is an IP address, or
 * a name of this machine. Null if it may be called, or if only a look-up can tell. {@link addressProblem} ignores names.
 */
export function urlProblem(url: string, problemOf: CheckDestination): string | null {
  const { host, port } = hostAndPort(new URL(url))
  const problem = problemOf({ host, address: isIP(host) ? host : null, port })
  return problem === null ? null : `${host} ${problem}`
}

/** The host of an http or https URL, without brackets, and its port. */
export function hostAndPort(url: URL): { host: string; port: number } {
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80)
  return { host: hostOfUrl(url), port }
}

/** Why a host that is an IP address, for which Node makes no look-up, may not be connected to; null for every name. */
export function addressProblem(host: string, port: number, problemOf: CheckDestination): string | null {
  const problem = isIP(host) ? problemOf({ host, address: host, port }) : null
  return problem === null ? null : `${host} ${problem}`
}

/** A look-up that fails if any of a host's addresses is forbidden, because the client may try all of them. */
export function guardedLookup(
  host: string,
  port: number,
  { lookup = dnsLookup, problemOf }: Pick<GuardedRequest, 'lookup' | 'problemOf'>,
): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      if (error) return callback(error, [])
      for (const { address } of addresses) {
        const problem = problemOf({ host, address, port })
        if (problem !== null) return callback(new Error(`${hostname} is ${address}, which ${problem}`), [])
      }
      const [first] = addresses
      if (!first) return callback(new Error(`${hostname} has no address`), [])
      return options.all ? callback(null, addresses) : callback(null, first.address, first.family)
    })
  }
}
