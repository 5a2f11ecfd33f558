import { hostname as machineName, networkInterfaces } from 'node:os'
import { kindOfAddress, uncallableProblem, parseAddress } from './addresses.ts'
import { covers, parseAllowed } from './allowed.ts'
import { isLoopback, isWildcard } from './hosts.ts'

/** The destination of a connection. */
export interface Destination {
  /** As requested: a name or an address. */
  host: string
  /** An IP address: the one that the host was resolved to; null for a name that was not looked up. */
  address: string | null
  port: number
}

type Endpoint = Pick<Destination, 'host' | 'port'>

/** Returns why a connection may not be made, as the end of a sentence; null if it may. */
export type CheckDestination = (destination: Destination) => string | null

/**
 * Decides where an instance may connect to: for attachments, webhooks, the relay.
 *
 * | check | own ports | this machine | private networks | public addresses |
 * |---|---|---|---|---|
 * | `problemOf` | never | yes | yes | yes |
 * | `relayProblemOf` | yes | yes | yes | yes |
 * | `strictProblemOf` | never | yes | permission | yes |
 * | `liveProblemOf` | never | yes | permission | permission |
 * | `providerProblemOf` | never | issuer | issuer | yes |
 *
 * A permission is an entry of `allowOutgoing`, which is also enough in place of `issuer`. If other machines reach the instance,
 * `yes` for this machine and for private networks means `permission`.
 */
export interface Outgoing {
  /** Adds a port that the instance listens on. */
  opened(listener: Endpoint): void
  /** For attachments and webhooks, whose addresses come from requests: never the instance's own ports. */
  readonly problemOf: CheckDestination
  /** For the relay, which the operator names: the instance's own ports are allowed too. */
  readonly relayProblemOf: CheckDestination
  /** For checking links of mail: this machine, and allowed destinations. Other names are not even looked up. */
  readonly liveProblemOf: CheckDestination
  /** For attachments without `attachments.allowPrivate`: private networks only if `allowOutgoing` names them. */
  readonly strictProblemOf: CheckDestination
  /** For an OpenID provider: private hosts only if the operator named them as the issuer. Never the instance's ports. */
  providerProblemOf(issuer: Endpoint): CheckDestination
}

/**
 * An instance that listens only on loopback may connect to this machine and its networks. If other machines
 * can reach one of its ports, they must not reach more through it: loopback and private networks then need permission.
 *
 * @param allow  Entries of `allowOutgoing`, which {@link parseAllowed} reads.
 * @param names  Names of this instance, beside that of the machine and loopback names, in any case.
 */
export function createOutgoing(allow: readonly string[], names: readonly string[] = []): Outgoing {
  const ownNames = new Set([machineName(), ...names].map((name) => name.toLowerCase()))
  const allowed = allow.flatMap((text) => parseAllowed(text) ?? [])
  const listeners: Endpoint[] = []

  const isAllowed = (destination: Destination): boolean => allowed.some((entry) => covers(entry, destination))

  /**
   * What the kind of the address forbids, for every check; that of a provider decides on loopback and private ones itself.
   *
   * @param isStrict  Whether `attachments.allowPrivate` or `allowOutgoing` has to allow private networks.
   */
  function kindProblem(destination: Destination, { isStrict = false } = {}): string | null {
    const { address, host: name } = destination
    if (address === null && !isLoopback(bareName(name))) return null
    const kind = address === null ? 'loopback' : kindOfAddress(address)
    if (kind === 'none') return 'is not an IP address'
    if (kind === 'uncallable') return uncallableProblem
    if (kind === 'public' || isAllowed(destination)) return null
    if (kind === 'special') return `is in a range for documentation, tests or tunnels; ${permission}`
    const where = whereOf[kind]
    if (listeners.some(({ host }) => !isLoopback(host)))
      return `${where}, and other machines reach this Localpost; ${permission}`
    if (kind === 'private' && isStrict)
      return `${where}; allow these with \`attachments.allowPrivate\` or \`allowOutgoing\``
    return null
  }

  /** Whether it is one of the instance's own ports. Every check but the relay's begins with this one. */
  function ownProblem(destination: Destination): string | null {
    const isOwn = listeners.some((listener) => isAt(listener, destination, ownNames))
    return isOwn ? `is this Localpost itself at port ${destination.port}` : null
  }

  function liveProblem(destination: Destination): string | null {
    const { host, address } = destination
    const forbidden = ownProblem(destination) ?? kindProblem(destination, { isStrict: true })
    if (forbidden !== null) return forbidden
    const isHere = address === null ? isLoopback(bareName(host)) : kindOfAddress(address) === 'loopback'
    if (isHere || isAllowed(destination)) return null
    // Whether a name is in a range is known only after its look-up.
    if (address === null && allowed.some(({ range }) => range !== null)) return null
    return `is not this machine; ${permission}`
  }

  function providerProblem(destination: Destination, issuer: Endpoint): string | null {
    const { address } = destination
    const kind = address === null ? 'public' : kindOfAddress(address)
    const own = ownProblem(destination)
    if (own !== null) return own
    if (kind !== 'loopback' && kind !== 'private') return kindProblem(destination)
    const isIssuer = destination.host === issuer.host && destination.port === issuer.port
    if (isIssuer || isAllowed(destination)) return null
    return `${whereOf[kind]}, and not the host of the issuer; ${permission}`
  }

  return {
    opened: ({ host, port }) => void listeners.push({ host, port }),
    problemOf: (destination) => ownProblem(destination) ?? kindProblem(destination),
    relayProblemOf: (destination) => kindProblem(destination),
    liveProblemOf: liveProblem,
    strictProblemOf: (destination) => ownProblem(destination) ?? kindProblem(destination, { isStrict: true }),
    providerProblemOf: (issuer) => (destination) => providerProblem(destination, issuer),
  }
}

/** What the problems say of an address that other machines do not have or do not reach. */
const whereOf = { loopback: 'is this machine', private: 'is in a private network' } as const

const permission = 'allow it with `allowOutgoing`'

/** Without the dot at the end of a full name. */
const bareName = (host: string): string => host.toLowerCase().replace(/\.$/, '')

/** Whether a destination is one of our own listeners, by whichever address or name of this machine. */
function isAt(
  listener: Endpoint,
  { host, address, port }: Destination,
  ownNames: ReadonlySet<string>,
): boolean {
  if (listener.port !== port) return false
  // A name of this machine may resolve to any of its addresses.
  if (address === null) return isLoopback(bareName(host)) || ownNames.has(bareName(host))
  const wanted = parseAddress(address)
  if (wanted === null) return false
  const bound = parseAddress(listener.host)
  // A listener bound by name: localhost may be any loopback address, another name any address of this machine.
  if (bound === null && isLoopback(listener.host)) return kindOfAddress(address) === 'loopback'
  if (bound !== null && !isWildcard(listener.host)) return bound.toString() === wanted.toString()
  // Bound to 0.0.0.0, a listener has no IPv6 address: another program may have the same port there. `::` has both.
  if (bound?.kind() === 'ipv4' && wanted.kind() !== 'ipv4') return false
  if (kindOfAddress(address) === 'loopback') return true
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  return own.some((one) => parseAddress(one.address)?.toString() === wanted.toString())
}
