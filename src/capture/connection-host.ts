import type { Clock } from '../core/clock.ts'
import type { SmtpCounts } from '../core/counts.ts'
import type { ClientFault, RightPorts } from './client-faults.ts'
import type { FaultAt } from './faults.ts'

/** The members of a server that its connections use. */
export interface ConnectionHost<Connection> {
  /** Whether the server is closing. It then answers 421 to the next command of every client. */
  readonly isClosing: boolean
  /** Whether addresses need angle brackets. */
  readonly isStrict: boolean
  readonly clock: Clock
  readonly faultAt: FaultAt
  /** What is counted of the sessions of apps. */
  readonly counts: SmtpCounts
  /** Where a client at the wrong port should go. */
  readonly ports: RightPorts
  /** Gives the client a slot. @returns False when all slots are taken and no client is idle. */
  admit(connection: Connection): boolean
  /** Lets a connection that was answered 421 stay until its client has read that; destroys it if too many do. */
  dismiss(connection: Connection): void
  /** Tells of a refusal to an app: the command or `""`, and the reply or what went wrong. */
  tellRefusal(command: string, reply: string, connection: Connection): void
  /** Reports a client's fault, at most once a minute for each address and kind of fault. */
  reportClient(fault: ClientFault, address: string, detail: string): void
  /** Called when the socket of a connection is closed. */
  forget(connection: Connection): void
}
