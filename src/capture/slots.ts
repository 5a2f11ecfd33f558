import { isLoopback } from '../net/hosts.ts'

/** A client that holds one of the connections there may be at once. */
export interface SlotClient {
  /** The address it came from, IPv4 not mapped. */
  readonly remoteAddress: string
  /** Whether the server waits for it, not it for the server. */
  readonly isAwaited: boolean
  /** Whether it is in a mail transaction. */
  readonly isBusy: boolean
  /** When it last brought its session forward; on the clock of {@link Slots.admit}. */
  readonly workedAt: number
  /** Answers 421, since its slot is needed, and ends it. */
  giveWay(): void
}

/** How many clients there may be at once. */
export interface SlotLimits {
  total: number
  /** Of one address. */
  perAddress: number
}

/** How long a client may bring nothing forward, in milliseconds, before another one may take its place. */
export const idleMs = 2000

/**
 * The connections that clients hold. Where there is no place left, a newcomer takes that of the client that has been
 * idle the longest, or trickles the slowest; clients outside of a transaction go first. So the connections of one
 * client never lock the others out, also where all come from one address, as on a developer's machine.
 */
export class Slots {
  readonly #limits: SlotLimits
  readonly #clients = new Set<SlotClient>()
  readonly #byOrigin = new Map<string, number>()

  constructor(limits: SlotLimits) {
    this.#limits = limits
  }

  get size(): number {
    return this.#clients.size
  }

  /** @returns Whether the client has a place now. */
  admit(client: SlotClient, now: number): boolean {
    const origin = originOf(client.remoteAddress)
    const { total, perAddress } = this.#limits
    const isOriginFull = (this.#byOrigin.get(origin) ?? 0) >= perAddress
    if ((isOriginFull || this.#clients.size >= total) && !this.#makeRoom(isOriginFull ? origin : null, now)) {
      return false
    }
    this.#clients.add(client)
    this.#byOrigin.set(origin, (this.#byOrigin.get(origin) ?? 0) + 1)
    return true
  }

  /** Frees the place of a client, if it has one. */
  release(client: SlotClient): void {
    if (!this.#clients.delete(client)) return
    const origin = originOf(client.remoteAddress)
    const left = (this.#byOrigin.get(origin) ?? 0) - 1
    if (left > 0) this.#byOrigin.set(origin, left)
    else this.#byOrigin.delete(origin)
  }

  #makeRoom(origin: string | null, now: number): boolean {
    let slowest: SlotClient | null = null
    for (const client of this.#clients) {
      if (!client.isAwaited || now - client.workedAt < idleMs) continue
      if (origin !== null && originOf(client.remoteAddress) !== origin) continue
      if (slowest === null || isSlower(client, slowest)) slowest = client
    }
    if (!slowest) return false
    this.release(slowest)
    slowest.giveWay()
    return true
  }
}

function isSlower(one: SlotClient, other: SlotClient): boolean {
  return one.isBusy === other.isBusy ? one.workedAt < other.workedAt : other.isBusy
}

/** One name for all addresses that one machine has: all of loopback, an IPv6 network of 64 bits. */
export function originOf(address: string): string {
  if (isLoopback(address)) return 'loopback'
  if (!address.includes(':')) return address
  const [head = '', tail] = address.replace(/%.*$/, '').split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0')
  return [...before, ...zeros, ...after].slice(0, 4).join(':')
}
