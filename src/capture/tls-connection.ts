import type { SMTPConnection } from 'smtp-server/lib/smtp-connection.js'
import { monotonicNow } from '../core/machine.ts'
import { plainAddress } from '../net/addresses.ts'
import { tlsFaultOf } from '../net/tls-words.ts'
import { httpAtSmtp, plainAtTls, type ClientFault } from './client-faults.ts'
import { CommandConnection } from './commands.ts'
import type { ConnectionHost } from './connection-host.ts'
import type { Progress } from './progress.ts'
import { isHttpRequest } from './replies.ts'
import { messageOfFault } from './session-problems.ts'
import type { SessionNotes } from './session-notes.ts'

/**
 * Where TLS begins, and what is wrong with a client that does not get that far: it is at the wrong port, or ends the
 * connection at the handshake. The abstract members are the state and the replies of `CaptureConnection`.
 */
export abstract class TlsConnection extends CommandConnection {
  /** Whether the connection came through the outbox's own port. Faults and limits do not apply to it. */
  abstract isDelivery: boolean
  /** The transcript of this session. */
  abstract readonly notes: SessionNotes
  protected abstract readonly progress: Progress
  /** Whether the first bytes of TLS have to come, at the port that begins with it. */
  protected awaitsTls = false
  /** The fault of this client that was reported. */
  protected fault: ClientFault | null = null
  /** Number of commands and bytes received before TLS, which tell at the end whether TLS was used. */
  #beforeTls = { commands: 0, bytes: 0 }

  /** The base class types the server as `SMTPServer`. */
  protected get host(): ConnectionHost<TlsConnection> {
    return this._server as typeof this._server & ConnectionHost<TlsConnection>
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
    // The first bytes of TLS were read already, and count as a part of the handshake.
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
      const fault = faultAtClose({
        awaitedTlsMs: this.awaitsTls ? monotonicNow() - this.progress.lastProgressAt : null,
        isInHandshake: this._upgrading,
        handshakeBytes: this._socket.bytesRead - this.#beforeTls.bytes,
        isSecure: this.secure,
        secureCommands: this.progress.commands - this.#beforeTls.commands,
      })
      if (fault !== null) this.report(fault)
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

/** What a client has done that ends the connection without an error. */
interface StateAtClose {
  /** For how long the first bytes of TLS were awaited; null if TLS begins later, or has begun. */
  readonly awaitedTlsMs: number | null
  readonly isInHandshake: boolean
  /** The bytes received in the handshake, while it lasts. */
  readonly handshakeBytes: number
  readonly isSecure: boolean
  /** Number of commands received since TLS began. */
  readonly secureCommands: number
}

/** Most likely why a client ended its connection; null if there is nothing to report. */
function faultAtClose(client: StateAtClose): ClientFault | null {
  // One that leaves sooner may be a port check.
  if (client.awaitedTlsMs !== null && client.awaitedTlsMs >= greetingWaitMs) return 'plain_text'
  if (client.isInHandshake) return client.handshakeBytes > 0 ? 'certificate' : 'no_handshake'
  return client.isSecure && client.secureCommands === 0 ? 'certificate' : null
}

/** The faults of which the client gets no reply. */
const withoutReply = new Set<ClientFault>(['certificate', 'handshake', 'no_handshake', 'implicit_tls'])

/** A client that has waited for this long at the port that begins with TLS, in milliseconds, expects a greeting. */
const greetingWaitMs = 2000
