import type { Clock } from '../core/clock.ts'
import type { ClientFault } from './client-faults.ts'
import type { FaultAt } from './faults.ts'
import type { SlotClient } from './slots.ts'

/** The members of a connection that its server uses. */
export interface HostedConnection extends SlotClient {
  readonly id: string
  /** Ends the connection in any state. */
  destroy(): void
}

/** The members of a server that its connections use. */
export interface ConnectionHost {
  /** Whether the server is closing. It then answers 421 to the next command of every client. */
  readonly isClosing: boolean
  /** Whether addresses need angle brackets. */
  readonly isStrict: boolean
  readonly clock: Clock
  readonly faultAt: FaultAt
  /** Gives the client a slot. @returns False when all slots are taken and no client is idle. */
  admit(connection: HostedConnection): boolean
  /**
   * Called for a connection that was answered 421 and has no slot. A limited number of such connections may stay open
   * until the client has read the reply; beyond that they are destroyed, so that a flood cannot hold many sockets.
   */
  dismiss(connection: HostedConnection): void
  /** Reports a client's fault, at most once a minute for each address and kind of fault. */
  reportClient(fault: ClientFault, address: string, detail: string): void
  /** Called when the socket of a connection is closed. */
  forget(connection: HostedConnection): void
}
