import type { IncomingMessage } from 'node:http'
import type { H3Event } from 'h3'
import { LocalpostError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import { plainAddress } from '../net/addresses.ts'
import { authorityOf, isLoopback } from '../net/hosts.ts'
import { bearerOf } from './auth.ts'
import type { ServerDeps } from './deps.ts'
import { socketRequestOf } from './request-state.ts'

/**
 * The host of a Host header or an authority: lower case, without port, brackets and trailing dot.
 *
 * @returns null if the text is not a host.
 */
export function hostOf(authority: string): string | null {
  const match = /^(?:\[([\da-f:.]+)\]|([^\s:/?#@[\]\\]+?)\.?)(?::\d{0,5})?$/i.exec(authority.trim())
  return (match?.[1] ?? match?.[2] ?? null)?.toLowerCase() ?? null
}

/**
 * Determines the host of a request before anything reads its Host: a target in absolute form replaces the Host, and
 * becomes a path. If the target names this machine and the Host does not, the Host stays: a tunnel may forward the
 * target unchanged, and such a request must not count as local. HTTP/1.0 needs no Host: the host is then the address
 * that the connection came to, but see {@link namesHost}.
 *
 * @see RFC 9112 section 3.2.2
 */
export function settleHost(request: IncomingMessage): void {
  const { url = '', headers } = request
  // The usual case: a path.
  if (!url.startsWith('/')) {
    const [target, authority] = absoluteForm.exec(url) ?? []
    if (target !== undefined) {
      const given = headers.host
      // Without a Host, HTTP/1.1 is refused in this form too.
      const isRefused = given === undefined && request.httpVersion !== '1.0'
      const staysForTunnel = given !== undefined && !isOfMachine(given) && isOfMachine(authority)
      if (!isRefused && !staysForTunnel) headers.host = authority
      const path = url.slice(target.length)
      request.url = path.startsWith('/') ? path : `/${path}`
    }
  }
  if (headers.host === undefined && request.httpVersion === '1.0')
    headers.host = authorityOf(ownAddress(request) ?? '', request.socket.localPort ?? 0)
}

/**
 * Whether the client sent a Host header of its own. A request without one is not local: a proxy that speaks HTTP/1.0
 * may have dropped the Host, so the name that its client used is unknown.
 */
export function namesHost(request: IncomingMessage): boolean {
  return request.httpVersion !== '1.0' || countHosts(request.rawHeaders) > 0
}

function isOfMachine(authority: string | undefined): boolean {
  return isLoopback(hostOf(authority ?? '') ?? '')
}

const absoluteForm = /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/i

/**
 * Refuses requests with a foreign Host. A web page can point its own name at 127.0.0.1 to bypass the browser's
 * same-origin policy, but it cannot change the Host header.
 *
 * @param allowed  Names beside loopback and the address that the connection came to, lower case, without port.
 * @throws invalid_request if there is no Host, or more than one.
 * @throws forbidden_host
 * @see https://en.wikipedia.org/wiki/DNS_rebinding
 */
export function assertHost(request: IncomingMessage, allowed: ReadonlySet<string>): void {
  const given = request.headers.host
  if (given === undefined)
    throw new LocalpostError('invalid_request', 'The request has no Host header. HTTP/1.1 requires one.')
  if (countHosts(request.rawHeaders) > 1) {
    // RFC 9112 section 3.2. Node takes the first one, and a proxy in front may have taken the other.
    throw new LocalpostError('invalid_request', 'The request has more than one Host header. Send one.')
  }
  const host = hostOf(given)
  if (host !== null && (allowed.has(host) || isLoopback(host) || host === ownAddress(request))) return
  const message = `This listener does not serve the host ${quote(given)}. Use 127.0.0.1 or localhost, or allow it with \`allowHosts\`.`
  throw new LocalpostError('forbidden_host', message)
}

/**
 * Refuses requests of pages of other origins. Browsers prevent such pages from reading answers, but not from sending.
 *
 * @param hosts  Where the request went, with port: its Host header, and the host of `publicUrl`, which a tunnel that
 *   sets the Host to a loopback name leaves in Origin.
 * @throws forbidden_origin
 */
export function assertOrigin(headers: Pick<Headers, 'get'>, ...hosts: readonly string[]): void {
  const origin = headers.get('origin')
  const from = origin !== null && URL.canParse(origin) ? new URL(origin).host : ''
  if (origin !== null && !hosts.some((host) => host !== '' && host.toLowerCase() === from)) {
    const message = `A page of ${quote(origin)} may not call the control API. Call it from the server behind that page.`
    throw new LocalpostError('forbidden_origin', message)
  }
  const message = 'A page of another site may not call the control API or show its pages.'
  if (headers.get('sec-fetch-site') === 'cross-site') throw new LocalpostError('forbidden_origin', message)
}

/**
 * Refuses requests for content that a mail in the page's frame embeds: the frame has the page's origin, and images of a
 * mail could use up the browser's connections, or start an export. Attachments and parts may be embedded.
 *
 * @throws forbidden_origin
 */
export function assertNotEmbedded(headers: Pick<Headers, 'get'>, pathname: string): void {
  if (!/^(?:image|style|font|audio|video|track)$/.test(headers.get('sec-fetch-dest') ?? '')) return
  if (/^\/dev\/inbox\/[^/]+\/(?:attachments|parts)\//.test(pathname)) return
  throw new LocalpostError('forbidden_origin', `${quote(pathname)} may not be embedded in a page or a mail.`)
}

/**
 * Whether the address of a request may be one that a mail contains: a click in the frame of a mail, or an image in it,
 * makes the browser request any URL of this server, with the cookies of the page.
 *
 * A browser sends neither an API key nor a header of its own for these. In process, a request without `User-Agent` is not
 * one that a server passed on from a browser. `Sec-Fetch-*` is not looked at: browsers leave it out over plain HTTP.
 */
export function mayComeFromMail(event: H3Event): boolean {
  const { headers } = event.req
  if (bearerOf(headers) !== null || headers.has('x-localpost-page')) return false
  return socketRequestOf(event) !== undefined || headers.has('user-agent')
}

function ownAddress(request: IncomingMessage): string | undefined {
  const { localAddress } = request.socket
  return localAddress === undefined ? undefined : plainAddress(localAddress)
}

/** @param rawHeaders  Alternating names and values. */
function countHosts(rawHeaders: readonly string[]): number {
  return rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === 'host').length
}

/** The names of hosts that are served: what was given, and the name that the listener was opened with, once it is open. */
export function createAllowedHosts({
  config,
  listener,
}: Pick<ServerDeps, 'config' | 'listener'>): () => Set<string> {
  const given = config.publicUrl ? [...config.allowHosts, new URL(config.publicUrl).host] : config.allowHosts
  const hosts = new Set(given.flatMap((host) => hostOf(host) ?? []))
  let ownUrl: string | undefined
  return () => {
    const url = listener()?.url
    if (url !== undefined && url !== ownUrl) {
      ownUrl = url
      hosts.add(hostOf(new URL(url).host) ?? '')
    }
    return hosts
  }
}
