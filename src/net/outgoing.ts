import { networkInterfaces } from 'node:os'
import { isWithin, kindOfAddress, neverProblem, parseAddress, parseRange, type Range } from './addresses.ts'
import { isLoopback, isWildcard } from './hosts.ts'

/** Where a connection is about to go. */
export interface Destination {
  /** As it was asked for: a name or an address. */
  host: string
  /** An IP address: the one that the host was resolved to. */
  address: string
  port: number
}

/** Says why a connection may not be made, as the end of a sentence; null where it may. */
export type CheckDestination = (destination: Destination) => string | null

/** Decides where an instance connects to for others: attachments, webhooks, the relay. */
export interface Outgoing {
  /** Tells of an open port of the instance. */
  opened(listener: { host: string; port: number }): void
  /** For attachments and webhooks, whose addresses come from requests: never the instance's own ports. */
  readonly problemOf: CheckDestination
  /** For the relay, which the operator names: its own ports too. */
  readonly relayProblemOf: CheckDestination
  /** For attachments: of private networks only those that are allowed. */
  readonly strictProblemOf: CheckDestination
}

/**
 * Makes the decision. On loopback, an instance is its user's own tool and may call this machine and its networks. Once
 * other machines reach one of its ports, it must not be their way in: loopback and private networks need permission.
 *
 * @param allow  Entries of `allowOutgoing`, which {@link parseAllowed} reads.
 */
export function createOutgoing(allow: readonly string[]): Outgoing {
  const allowed = allow.flatMap((text) => parseAllowed(text) ?? [])
  const listeners: { host: string; port: number }[] = []

  function kindProblem(destination: Destination, isStrict: boolean): string | null {
    const kind = kindOfAddress(destination.address)
    if (kind === 'none') return 'is not an IP address'
    if (kind === 'never') return neverProblem
    if (kind === 'public' || allowed.some((entry) => covers(entry, destination))) return null
    if (kind === 'special') return `is in a range for documentation, tests or tunnels; ${permission}`
    const where = kind === 'loopback' ? 'is this machine' : 'is in a private network'
    if (listeners.some(({ host }) => !isLoopback(host)))
      return `${where}, and other machines reach this Localpost; ${permission}`
    if (kind === 'private' && isStrict)
      return `${where}; allow these with \`attachments.allowPrivate\` or \`allowOutgoing\``
    return null
  }

  function problem(destination: Destination, isStrict: boolean): string | null {
    if (listeners.some((listener) => isAt(listener, destination)))
      return `is this Localpost itself at port ${destination.port}`
    return kindProblem(destination, isStrict)
  }

  return {
    opened: ({ host, port }) => void listeners.push({ host, port }),
    problemOf: (destination) => problem(destination, false),
    relayProblemOf: (destination) => kindProblem(destination, false),
    strictProblemOf: (destination) => problem(destination, true),
  }
}

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
 * @returns null for what is none of these.
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

const permission = 'allow it with `allowOutgoing`'
// Letters in the last label: `10.0.0` is no name.
const hostForm =
  /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*(?=[^.]*[a-z])[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i

function covers({ range, host, port }: Allowed, destination: Destination): boolean {
  if (port !== null && port !== destination.port) return false
  if (host !== null) return host === destination.host.toLowerCase().replace(/\.$/, '')
  const address = parseAddress(destination.address)
  return range !== null && address !== null && isWithin(address, range)
}

/** Whether a destination is one of our own listeners, by whichever address of this machine. */
function isAt(listener: { host: string; port: number }, { address, port }: Destination): boolean {
  if (listener.port !== port) return false
  const wanted = parseAddress(address)?.toString()
  if (wanted === undefined) return false
  if (wanted === parseAddress(listener.host)?.toString()) return true
  const isOnLoopback = kindOfAddress(address) === 'loopback'
  // A name, such as localhost, may have been bound at any of its addresses.
  if (isLoopback(listener.host)) return isOnLoopback && parseAddress(listener.host) === null
  if (!isWildcard(listener.host) && parseAddress(listener.host) !== null) return false
  if (isOnLoopback) return true
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  return own.some((one) => parseAddress(one.address)?.toString() === wanted)
}
