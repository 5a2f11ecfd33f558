import { networkOf } from '../net/addresses.ts'

/** A client that takes one connection slot. */
export interface SlotClient {
  /** The client's address. */
  readonly remoteAddress: string
  /** Whether the server waits for the client, and not the other way round. */
  readonly isAwaited: boolean
  /** Whether the client is in a mail transaction. */
  readonly isBusy: boolean
  /** When the client last made progress, on the clock of {@link Slots.admit}. */
  readonly lastProgressAt: number
  /** Answers 421 because the slot is needed, and ends the connection. */
  giveWay(): void
}

/** The maximum number of connected clients; without a number there is no limit. */
export interface SlotLimits {
  total?: number | undefined
  /** From one address; see {@link networkOf}. */
  perAddress?: number | undefined
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
  /** The clients, and the network of each. */
  readonly #clients = new Map<SlotClient, string>()
  readonly #byOrigin = new Map<string, number>()

  constructor(limits: SlotLimits = {}) {
    this.#limits = limits
  }

  get size(): number {
    return this.#clients.size
  }

  /** @returns Whether the client got a slot. */
  admit(client: SlotClient, now: number): boolean {
    const origin = networkOf(client.remoteAddress)
    const { total = Infinity, perAddress = Infinity } = this.#limits
    const isOriginFull = (this.#byOrigin.get(origin) ?? 0) >= perAddress
    if ((isOriginFull || this.#clients.size >= total) && !this.#makeRoom(isOriginFull ? origin : null, now)) {
      return false
    }
    this.#clients.set(client, origin)
    this.#byOrigin.set(origin, (this.#byOrigin.get(origin) ?? 0) + 1)
    return true
  }

  /** Frees the client's slot, if it has one. */
  release(client: SlotClient): void {
    const origin = this.#clients.get(client)
    if (origin === undefined) return
    this.#clients.delete(client)
    const left = (this.#byOrigin.get(origin) ?? 0) - 1
    if (left > 0) this.#byOrigin.set(origin, left)
    else this.#byOrigin.delete(origin)
  }

  #makeRoom(origin: string | null, now: number): boolean {
    let slowest: SlotClient | null = null
    for (const [client, network] of this.#clients) {
      if (!client.isAwaited || now - client.lastProgressAt < idleMs) continue
      if (origin !== null && network !== origin) continue
      if (slowest === null || isSlower(client, slowest)) slowest = client
    }
    if (!slowest) return false
    this.release(slowest)
    slowest.giveWay()
    return true
  }
}

function isSlower(one: SlotClient, other: SlotClient): boolean {
  return one.isBusy === other.isBusy ? one.lastProgressAt < other.lastProgressAt : other.isBusy
}
