import groups from './forwarding-headers.json' with { type: 'json' }
import type { IncomingMessage } from 'node:http'
import { isWithin, parseAddress, parseRange, plainAddress } from '../net/addresses.ts'
import type { H3Event } from 'h3'
import { hostOf } from './guard.ts'
import { socketRequestOf } from './request-state.ts'

/**
 * Whether a proxy or a tunnel passed a request on: it has at least one of the headers that they add. Such a request
 * may come from anywhere, even if its Host and its socket are those of this machine.
 */
export function isForwarded(headers: IncomingMessage['headers'] | Headers): boolean {
  const names = headers instanceof Headers ? headers.keys() : Object.keys(headers)
  for (const name of names) if (forwardingHeader.test(name)) return true
  return false
}

/** Whether the caller's browser uses HTTPS, by `publicUrl` and the headers of proxies: its cookies are then `Secure`. */
export function isSecure(event: H3Event, publicUrl: URL | null, addresses: ClientAddresses): boolean {
  const { headers } = event.req
  if (event.url.protocol === 'https:') return true
  // Where no proxy is named, any may say so: a false header only keeps its sender's own cookie from plain HTTP.
  const isBelieved = !addresses.hasTrusted || addresses.isFromTrusted(event)
  if (isBelieved && isForwardedHttps(headers)) return true
  if (publicUrl?.protocol !== 'https:') return false
  // A proxy that passes requests on to us serves that URL, also under another Host.
  return hostOf(headers.get('host') ?? '') === hostOf(publicUrl.host) || isForwarded(headers)
}

/** Whether a proxy says that its client came over HTTPS. */
function isForwardedHttps(headers: Pick<Headers, 'get'>): boolean {
  return (
    /^https\s*(?:,|$)/i.test(headers.get('x-forwarded-proto') ?? '') ||
    /(?:^|[;,\s])proto="?https\b/i.test(headers.get('forwarded') ?? '')
  )
}

/**
 * The headers by which proxies, content networks, tunnels and hosting platforms describe the client that they pass on.
 * A name that ends with `*` matches all names with this prefix.
 */
export const forwardingHeaders: readonly string[] = Object.values(groups).flat()

const forwardingHeader = new RegExp(
  `^(?:${forwardingHeaders.map((name) => name.replace(/\*$/, '.*')).join('|')})$`,
  'i',
)

/** Determines where requests come from. The headers of a proxy count only if the proxy is trusted. */
export interface ClientAddresses {
  /** The IP address of the client, as `plainAddress` writes it; `127.0.0.1` in process. */
  ipOf(event: H3Event): string
  /** Whether any proxy is named as trusted. */
  readonly hasTrusted: boolean
  /** Whether the request came over a socket from one of the trusted proxies. */
  isFromTrusted(event: H3Event): boolean
}

/**
 * @param trusted  Ranges of addresses of proxies. Each adds the address of its client at the end of `X-Forwarded-For`, so
 *   the header is read from its end, and only as far as trusted proxies wrote it.
 */
export function createClientAddresses(trusted: readonly string[]): ClientAddresses {
  const ranges = trusted.map(parseRange).filter((range) => range !== null)
  const isTrusted = (ip: string): boolean => {
    const address = parseAddress(ip)
    return address !== null && ranges.some((range) => isWithin(address, range))
  }
  const peerOf = (event: H3Event): string =>
    plainAddress(socketRequestOf(event)?.socket.remoteAddress ?? '127.0.0.1')
  return {
    ipOf(event) {
      let ip = peerOf(event)
      if (ranges.length === 0 || !socketRequestOf(event)) return ip
      const passedOn = (event.req.headers.get('x-forwarded-for') ?? '').split(',')
      while (isTrusted(ip)) {
        const before = entryAddress(passedOn.pop() ?? '')
        if (before === null) break
        ip = before
      }
      return ip
    },
    hasTrusted: ranges.length > 0,
    isFromTrusted: (event) => socketRequestOf(event) !== undefined && isTrusted(peerOf(event)),
  }
}

/** The address of an entry of `X-Forwarded-For`, which may have a port and IPv6 in brackets; null if it has none. */
function entryAddress(entry: string): string | null {
  const [, bracketed, dotted, plain = ''] = entryForm.exec(entry.trim()) ?? []
  return parseAddress(bracketed ?? dotted ?? plain)?.toString() ?? null
}

const entryForm = /^(?:\[([^[\]]*)\](?::\d{1,5})?|([\d.]+):\d{1,5}|([^[\]]*))$/
