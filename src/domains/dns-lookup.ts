import { Resolver } from 'node:dns/promises'
import { invalidOption } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import { clearTimeout, setTimeout } from '../core/machine.ts'

/** The DNS look-ups of verification. Failures reject with the `code` of node:dns: `ENOTFOUND`, `ENODATA`, … */
export interface DnsLookup {
  /** TXT records, the strings of each joined. */
  txt(name: string): Promise<string[]>
  mx(name: string): Promise<{ exchange: string; priority: number }[]>
  soa(name: string): Promise<{ nsname: string; hostmaster: string; serial: number }>
  /**
   * Ends all look-ups, now and later: they reject with `ECANCELLED`, which says nothing about the records. Only a look-up of
   * {@link createDnsLookup} can be closed.
   */
  close?(): void
  readonly isClosed?: boolean
}

/**
 * Looks up real DNS, without a cache.
 *
 * @param options.servers  Addresses such as `127.0.0.1:5353`. Default: those of the machine.
 * @param options.timeoutMs  The limit for one look-up with all its tries and servers. Default: 4,000.
 * @throws invalid_option when a server is not an IP address with or without port.
 */
export function createDnsLookup(
  options: { servers?: readonly string[]; timeoutMs?: number } = {},
): DnsLookup {
  const { servers, timeoutMs = 4000 } = options
  // Reports wrong servers now, not at the first look-up.
  if (servers) openResolver(servers, timeoutMs)
  const asking = new Set<Resolver>()
  let isClosed = false

  async function ask<T>(question: (resolver: Resolver) => Promise<T>): Promise<T> {
    // A new resolver for each look-up, because cancelling a resolver ends all its look-ups.
    const resolver = openResolver(servers, timeoutMs)
    if (isClosed) throw Object.assign(new Error('The look-up was given up.'), { code: 'ECANCELLED' })
    asking.add(resolver)
    const timer = setTimeout(() => resolver.cancel(), timeoutMs)
    try {
      return await question(resolver)
    } finally {
      clearTimeout(timer)
      asking.delete(resolver)
    }
  }

  return {
    txt: (name) =>
      ask(async (resolver) => (await resolver.resolveTxt(name)).map((strings) => strings.join(''))),
    mx: (name) => ask((resolver) => resolver.resolveMx(name)),
    soa: (name) => ask((resolver) => resolver.resolveSoa(name)),
    close() {
      isClosed = true
      for (const resolver of asking) resolver.cancel()
    },
    get isClosed() {
      return isClosed
    },
  }
}

function openResolver(servers: readonly string[] | undefined, timeoutMs: number): Resolver {
  // The second try waits twice as long as the first.
  const resolver = new Resolver({ timeout: Math.ceil(timeoutMs / 3), tries: 2 })
  if (!servers) return resolver
  try {
    resolver.setServers(servers)
    return resolver
  } catch (cause) {
    const message = `DNS servers are ${quote(servers)}; give IP addresses such as "127.0.0.1:5353".`
    throw invalidOption(message, cause)
  }
}
