import { isLoopbackIpv6, plainAddress } from './addresses.ts'

/** Whether a host, without port and brackets, means this machine: `localhost`, names under it, 127.0.0.0/8, `::1`. */
export function isLoopback(host: string): boolean {
  return loopback.test(host) || (host.includes(':') && isLoopbackIpv6(host))
}

/** Whether an address to bind means every interface. */
export function isWildcard(host: string): boolean {
  return host === '' || allAddresses.has(plainAddress(host))
}

/** The address by which this machine reaches a server bound to `host`: loopback if that means all addresses. */
export function reachableHost(host: string): string {
  if (!isWildcard(host)) return host
  return plainAddress(host) === '::' ? '::1' : '127.0.0.1'
}

/** The host of a URL; an IPv6 address without its brackets. */
export function hostOfUrl({ hostname }: Pick<URL, 'hostname'>): string {
  return hostname.replace(/^\[|\]$/g, '')
}

/** A host and a port as URLs and people write them: IPv6 in brackets, without its zone, which no URL can hold. */
export function authorityOf(host: string, port: number): string {
  return `${host.includes(':') ? `[${host.split('%', 1)[0]}]` : host}:${port}`
}

const loopback = /^(?:(?:.+\.)?localhost|127(?:\.\d{1,3}){3})$/i
const allAddresses = new Set(['0.0.0.0', '::'])
