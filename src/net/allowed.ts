import { isWithin, parseAddress, parseRange, type Range } from './addresses.ts'

/** An entry of `allowOutgoing`: a range or a host, of one port or of all. */
export interface Allowed {
  range: Range | null
  /** Lower case. */
  host: string | null
  port: number | null
}

/**
 * Reads an entry of `allowOutgoing`: `10.0.0.0/8`, `10.1.2.3:8080`, `[fd00::1]:25`, `hooks.internal`,
 * `hooks.internal:9000`.
 *
 * @returns null if it is none of these.
 */
export function parseAllowed(text: string): Allowed | null {
  const whole = parseRange(text)
  if (whole) return { range: whole, host: null, port: null }
  const [, bracketed, plain = '', digits] = /^(?:\[([^\]]+)\]|([^:[\]\s]+))(?::(\d{1,5}))?$/.exec(text) ?? []
  const port = digits === undefined ? null : Number(digits)
  if (port !== null && (port < 1 || port > 65_535)) return null
  const range = parseRange(bracketed ?? plain)
  if (range) return { range, host: null, port }
  if (bracketed !== undefined || !hostForm.test(plain)) return null
  return { range: null, host: plain.toLowerCase(), port }
}

/** Whether an entry allows a connection. */
export function covers(
  { range, host, port }: Allowed,
  destination: { host: string; address: string | null; port: number },
): boolean {
  if (port !== null && port !== destination.port) return false
  if (host !== null) return host === destination.host.toLowerCase().replace(/\.$/, '')
  const address = destination.address === null ? null : parseAddress(destination.address)
  return range !== null && address !== null && isWithin(address, range)
}

// Letters in the last label: `10.0.0` is not a name.
const hostForm =
  /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*(?=[^.]*[a-z])[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i
