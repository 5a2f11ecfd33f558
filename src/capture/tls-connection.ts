import type { SMTPConnection } from 'smtp-server/lib/smtp-connection.js'
import { monotonicNow } from '../core/machine.ts'
import { plainAddress } from '../net/addresses.ts'
import { tlsFaultOf } from '../net/tls-words.ts'
import { httpAtSmtp, plainAtTls, type ClientFault, type RightPorts } from './client-faults.ts'
import { CommandConnection } from './commands.ts'
import { Progress } from './progress.ts'
import { messageOfFault } from './session-problems.ts'
import { SessionNotes } from './session-notes.ts'
import type { Clock } from '../core/clock.ts'
import type { SmtpCounts } from '../core/counts.ts'
import type { FaultAt } from './faults.ts'

/** The beginning and the end of a connection, with or without TLS; clients at the wrong port; and the state of a connection. */
export abstract class TlsConnection extends CommandConnection {
  /** Whether the connection came through the outbox's own port. Faults and limits do not apply to it. */
  isDelivery = false
  /** The transcript of this session. */
  readonly notes: SessionNotes = new SessionNotes()
  protected readonly progress: Progress = new Progress(monotonicNow())
  /** Whether the first bytes of TLS have to come, at the port that begins with it. */
  protected awaitsTls = false
  /** The fault of this client that was reported. */
  protected fault: ClientFault | null = null
  /** Number of commands and bytes received before TLS. */
  #beforeTls = { commands: 0, bytes: 0 }

  /** The base class types the server as `SMTPServer`. */
  protected get host(): ConnectionHost {
    return this._server as typeof this._server & ConnectionHost
  }

  /** Sends the greeting. @param hasSlot  Whether the server has given this client a slot. */
  protected abstract greet(options: { hasSlot: boolean }): void
  /** Writes the replies that wait. */
  abstract flush(): void
  /** Ends the connection in any state. */
  abstract destroy(): void

  /** Sends the greeting at once. The base waits 100 ms for clients that send too early, at each connection. */
  override init(): void {
    this.remoteAddress = plainAddress(this.remoteAddress)
    if (!this.needsUpgrade) return this._setListeners(() => this.greet({ hasSlot: false }))
    // The base would give the socket to TLS at once, where plain text could no longer be read, nor be answered.
    this.needsUpgrade = false
    this.awaitsTls = true
    this._setListeners(() => {})
    // Checked before the handshake, which costs much. A client without a slot gets no reply: it could not read it yet.
    if (!this.host.admit(this)) this.destroy()
  }

  /** Begins TLS at the port that begins with it; at another, the client is wrong. @param hello  Its first bytes. */
  protected takeTls(hello: Buffer): void {
    if (!this.awaitsTls) {
      this.report('implicit_tls')
      return this.destroy()
    }
    this.awaitsTls = false
    // First, because a flowing socket would give the bytes to the parser again.
    this._socket.unpipe()
    this._socket.unshift(hello)
    this.upgrade(
      () => false,
      () => this.greet({ hasSlot: true }),
    )
    this.#beforeTls.bytes = 0
  }

  /** Answers a client that speaks plain text where TLS begins at once, or waits for a greeting in it. */
  protected refusePlainText(line: string): void {
    const isHttp = isHttpRequest(line)
    this.awaitsTls = false
    if (line !== '') this.notes.noteCommand(line, false)
    this.report(isHttp ? 'http' : 'plain_text')
    const { ports } = this.host
    this.send(554, `5.7.1 ${isHttp ? httpAtSmtp(ports) : plainAtTls(ports)}`)
    this.close()
  }

  /** Sends the replies that wait, because TLS takes over the socket in this turn: that to STARTTLS is the last in plain text. */
  override upgrade(...given: Parameters<SMTPConnection['upgrade']>): void {
    this.#beforeTls = { commands: this.progress.commands, bytes: this._socket.bytesRead }
    this.flush()
    super.upgrade(...given)
  }

  /** Every connection ends here. A listener on the socket would not work, because STARTTLS removes all listeners. */
  override _onClose(): void {
    // Many clients that reject the certificate disconnect without an error.
    if (!this._closed && !this._closing && !this.host.isClosing) {
      // One that leaves sooner may be a port check.
      if (this.awaitsTls && monotonicNow() - this.progress.workedAt >= greetingWaitMs)
        this.report('plain_text')
      const { commands, bytes } = this.#beforeTls
      const isUnused = this._upgrading || (this.secure && this.progress.commands === commands)
      const isBegun = !this._upgrading || this._socket.bytesRead > bytes
      if (isUnused) this.report(isBegun ? 'certificate' : 'no_handshake')
    }
    super._onClose()
    this.host.forget(this)
  }

  /** A failed TLS handshake is the client's fault, so it is not reported as an error of the listener. */
  override _onError(error: NodeJS.ErrnoException): void {
    const fault = tlsFaultOf(error)
    if (fault === null) return super._onError(error)
    this.report(fault, error.message)
    this.close()
  }

  /** Reports a fault of this client, at most once per connection. */
  protected report(fault: ClientFault, detail = ''): void {
    if (this.isDelivery || this.fault !== null) return
    this.fault = fault
    this.host.reportClient(fault, this.remoteAddress, detail)
    if (withoutReply.has(fault)) this.host.tellRefusal('', messageOfFault(fault), this)
  }
}

/** Whether a line is the beginning of an HTTP request. */
export function isHttpRequest(line: string): boolean {
  return /^[A-Z]{3,10} \S+ HTTP\/\d(?:\.\d)?$/.test(line)
}

/** The faults of which the client gets no reply. */
const withoutReply = new Set<ClientFault>(['certificate', 'handshake', 'no_handshake', 'implicit_tls'])

/** A client that has waited for this long at the port that begins with TLS, in milliseconds, expects a greeting. */
const greetingWaitMs = 2000

/** The members of a server that its connections use. */
export interface ConnectionHost {
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
  admit(connection: TlsConnection): boolean
  /** Lets a connection that was answered 421 stay until its client has read that; destroys it if too many do. */
  dismiss(connection: TlsConnection): void
  /** Tells of a refusal to an app: the command or `""`, and the reply or what went wrong. */
  tellRefusal(command: string, reply: string, connection: TlsConnection): void
  /** Reports a client's fault, at most once a minute for each address and kind of fault. */
  reportClient(fault: ClientFault, address: string, detail: string): void
  /** Called when the socket of a connection is closed. */
  forget(connection: TlsConnection): void
}
