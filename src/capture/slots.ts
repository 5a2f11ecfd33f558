import { isLoopback } from '../net/hosts.ts'

/** A client that takes one connection slot. */
export interface SlotClient {
  /** The client's address; IPv4 is not mapped to IPv6. */
  readonly remoteAddress: string
  /** Whether the server waits for the client, and not the other way round. */
  readonly isAwaited: boolean
  /** Whether the client is in a mail transaction. */
  readonly isBusy: boolean
  /** When the client last made progress, on the clock of {@link Slots.admit}. */
  readonly workedAt: number
  /** Answers 421 because the slot is needed, and ends the connection. */
  giveWay(): void
}

/** The maximum number of connected clients. */
export interface SlotLimits {
  total: number
  /** From one address; see {@link originOf}. */
  perAddress: number
}

/** After this time without progress, in milliseconds, a client's slot may be given to another client. */
export const idleMs = 2000

/**
 * The connection slots. When none is free, a new client replaces the client that has made no progress for the longest
 * time; clients outside of a transaction are replaced first. So the connections of one client cannot lock out the others,
 * even when all come from one address, as on a developer's machine.
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

  /** @returns Whether the client got a slot. */
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

  /** Frees the client's slot, if it has one. */
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

/** One key for all addresses that a single machine may have: all of loopback, or an IPv6 /64 network. */
export function originOf(address: string): string {
  if (isLoopback(address)) return 'loopback'
  if (!address.includes(':')) return address
  const [plain = ''] = address.split('%', 1)
  const [head = '', tail] = plain.split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0')
  return [...before, ...zeros, ...after].slice(0, 4).join(':')
}
