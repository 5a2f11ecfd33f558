import type { Clock } from '../core/clock.ts'
import type { ClientFault } from './client-faults.ts'
import type { FaultAt } from './faults.ts'
import type { HelloSession } from './hello.ts'
import type { SlotClient } from './slots.ts'

/** What a server sees of a connection that it admits and ends. */
export interface HostedConnection extends SlotClient {
  readonly id: string
  /** Ends it, whatever state it is in. */
  destroy(): void
}

/** What a connection needs of its server. */
export interface ConnectionHost {
  /** Set once; a closing server answers 421 to the next command of every client. */
  readonly isClosing: boolean
  readonly clock: Clock
  readonly faultAt: FaultAt
  /** The lines that answer EHLO in such a session. */
  helloReply(session: HelloSession): readonly string[]
  /** Takes a client, unless there are as many as there may be and none of them is idle. */
  admit(connection: HostedConnection): boolean
  /**
   * Releases a connection that was answered 421 and has no slot. Clients get a few seconds to read the reply, but only
   * a limited number of them: a flood must not hold more sockets than there are slots.
   */
  dismiss(connection: HostedConnection): void
  /** Reports what a client does wrong, once a minute for each address and kind. */
  reportClient(fault: ClientFault, address: string, detail: string): void
  /** The socket of a connection is gone. */
  forget(connection: HostedConnection): void
}
