import { lookup as dnsLookup, type LookupAddress } from 'node:dns'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import type { CheckDestination } from './outgoing.ts'
import { certificateReason, tlsReason } from './tls-words.ts'

/** A request to an address that came from outside. */
export interface GuardedRequest {
  method: 'GET' | 'HEAD' | 'POST'
  headers: Readonly<Record<string, string>>
  /** Default: none. */
  body?: string | Uint8Array
  /** Ends it, at whatever stage; also the reading of the answer. */
  signal: AbortSignal
  problemOf: CheckDestination
  /** Resolves host names; replaced in tests. Default: the machine's. */
  lookup?: typeof dnsLookup
}

/**
 * Makes one HTTP(S) request on a connection of its own. Every address is checked when it is connected to, so that no
 * name can lead to a place that may not be called. Redirects are not followed.
 *
 * @param target  An http or https URL.
 * @returns The answer, its body still to be read or destroyed.
 * @throws Error with the reason: the address is forbidden, there is no connection, it broke, or the signal came.
 */
export function guardedRequest(target: URL, given: GuardedRequest): Promise<IncomingMessage> {
  const { method, headers, body, signal } = given
  const { host, port } = placeOf(target)
  const problem = literalProblem(host, port, given.problemOf)
  if (problem !== null) return Promise.reject(new Error(problem))
  const lookup = guardedLookup(host, port, given)
  const request: typeof httpRequest = target.protocol === 'https:' ? httpsRequest : httpRequest
  return new Promise((resolve, reject) => {
    request(target, { method, headers, lookup, signal, agent: false })
      .on('response', resolve)
      .on('error', reject)
      // After an answer this is too late to matter; an answer that Node does not take (101) has no other sign.
      .on('close', () => reject(new Error('the connection was closed without an answer')))
      .end(body)
  })
}

/** What went wrong, in words. Several addresses that refuse make an error without a message of its own. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const certificate = certificateReason(error)
  if (certificate !== null) return certificate
  const tls = tlsReason(error.message)
  if (tls !== null) return `${tls}; for a server without TLS the address begins with http://`
  return error.message || ('code' in error && typeof error.code === 'string' ? error.code : error.name)
}

/**
 * Why an http or https URL may not be called, as far as it is known without a look-up: by its IP address, or a name of this
 * machine. Null if it may be called, or if it has another name.
 */
export function urlProblem(url: string, problemOf: CheckDestination): string | null {
  const { host, port } = placeOf(new URL(url))
  const problem = problemOf({ host, address: isIP(host) ? host : null, port })
  return problem === null ? null : `${host} ${problem}`
}

/** The host of an http or https URL, without brackets, and its port. */
export function placeOf(url: URL): { host: string; port: number } {
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80)
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port }
}

/** Why a host that is an IP address may not be connected to: of such a host there is no look-up. */
export function literalProblem(host: string, port: number, problemOf: CheckDestination): string | null {
  const problem = isIP(host) ? problemOf({ host, address: host, port }) : null
  return problem === null ? null : `${host} ${problem}`
}

/**
 * A look-up that fails where one of a host's addresses may not be connected to. All of them are checked, not only the
 * one that is used: the client may try the others.
 */
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
