import type { SMTPConnection } from 'smtp-server/lib/smtp-connection.js'
import type { SMTPStream } from 'smtp-server/lib/smtp-stream.js'
import type { SmtpFault } from '../faults/types.ts'
import { plainAddress } from '../net/addresses.ts'
import { tlsFaultOf } from '../net/tls-words.ts'
import { isHttpRequest, type ClientFault } from './client-faults.ts'
import { refusedCommand } from './commands.ts'
import { CommandCount, maxWithoutMessage } from './command-count.ts'
import { Progress, type Activity, type Patience } from './progress.ts'
import type { ConnectionHost } from './host.ts'
import { type FaultAt, faultRefusal, meetFault, stageOf } from './faults.ts'
import { lostAccess, type Refusal, refusalOf } from './replies.ts'
import { ReplyingConnection } from './replying-connection.ts'
import { hostAndPort, isAdmitted, userOf } from './session.ts'
import type { SessionState } from './session-log.ts'
import { CaptureStream } from './stream.ts'
import { monotonicNow } from '../core/machine.ts'

/**
 * Extends smtp-server's connection where smtp-server has no option. It depends on smtp-server's internals, so the exact
 * version of the package is pinned and every override has a test.
 */
export class CaptureConnection extends ReplyingConnection {
  /** Detects clients that make no progress; see {@link CaptureConnection.checkProgress}. */
  readonly #progress = new Progress(monotonicNow())
  readonly #commands = new CommandCount()
  /** Number of commands received before TLS. */
  #commandsInClear = 0
  /** How many bytes came before the TLS handshake. */
  #bytesInClear = 0
  #fault: ClientFault | null = null

  /** The base class types the server as `SMTPServer`. */
  get #server(): ConnectionHost {
    return this._server as typeof this._server & ConnectionHost
  }

  /** Whether the client is in a mail transaction, which `close` lets it finish. */
  get isBusy(): boolean {
    return Boolean(this._dataStream) || Boolean(this.session.envelope?.mailFrom)
  }

  /** Whether the server waits for this client: for a command, for more of a message, or for it to read. */
  get isAwaited(): boolean {
    if (this._closing || this._closed) return false
    // Before the greeting, where the port begins with TLS.
    if (this._upgrading) return true
    if (!this._ready) return false
    if (this._socket.writableNeedDrain) return true
    const parser = this.parser
    if (this._handlerPending || !parser || parser.isBusy) return false
    // A whole message was received and is not yet answered: the client waits for the server.
    return !this._dataStream || parser._dataMode
  }

  /** When the client last made progress, as `performance.now()`. */
  get workedAt(): number {
    return this.#progress.workedAt
  }

  /** The facts about the client, for the log of sessions. */
  state(): SessionState {
    return {
      remote_address: hostAndPort(this.remoteAddress, this.remotePort),
      client_name: this.hostNameAppearsAs || '',
      user: userOf(this.session)?.name ?? null,
      secure: this.secure,
      message_count: this.taken,
      fault: this.#fault,
    }
  }

  protected override takeBarePath(): boolean {
    if (this.#server.isStrict) return false
    this.notes.server([barePathNote])
    return true
  }

  /** Ends the connection if the client takes too long. Call it at regular intervals. */
  checkProgress(now: number, patience: Patience): void {
    const isInData = this.parser?._dataMode ?? false
    const activity: Activity = {
      isAwaited: this.isAwaited,
      commands: this.#commands.all,
      useful: this.#commands.useful,
      messages: this.taken,
      phase: isInData || this._upgrading ? 'data' : 'command',
      dataBytes: isInData ? (this.parser?.dataBytes ?? 0) : 0,
    }
    const fault = this.#progress.look(activity, now, patience)
    if (fault !== null) this.send(421, `4.4.2 ${fault}, closing the connection`)
  }

  /** Answers 421 because another client needs the slot. */
  giveWay(): void {
    this.send(421, '4.4.2 All connections are in use, and this one was idle; connect again')
    this.#server.dismiss(this)
  }

  /** Disables the base's timeout, which restarts with every octet. {@link CaptureConnection.checkProgress} replaces it. */
  override _armTimeout(): void {}

  /**
   * Sends the greeting at once. The base waits 100 ms to detect clients that send too early, which slows down an app that
   * opens a connection for each mail.
   */
  override init(): void {
    this.remoteAddress = plainAddress(this.remoteAddress)
    // The option cannot be set to `false`: smtp-server treats `false` as not given and uses its default of ten commands.
    this._maxAllowedUnauthenticatedCommands = false
    const beginsWithTls = this.needsUpgrade
    this._setListeners(() => {
      if (!this.isDelivery && !beginsWithTls && !this.#server.admit(this)) {
        this.send(421, '4.7.0 Too many connections, try again in a moment')
        return this.#server.dismiss(this)
      }
      const refuse = (code: number, text: string): void =>
        this._refuse(Object.assign(new Error(text), { responseCode: code }), false)
      const begin = (fault: SmtpFault | null): void => {
        if (!fault) return this.connectionReady()
        meetFault(fault, this.#server.clock, {
          proceed: () => this.connectionReady(),
          // A greeting has no enhanced code. After a refusal the connection ends.
          refuse: (code, text) => {
            this.notes.expectFault()
            refuse(code, text)
          },
          cut: () => this.#cutByFault(),
        })
      }
      const fault = this.isDelivery ? null : this.#server.faultAt('connect')
      if (!(fault instanceof Promise)) return begin(fault)
      this.#afterFault(fault, begin, ({ responseCode, message }) => refuse(responseCode, message))
    })
    // Checked before the handshake, which costs much. A client without a slot gets no reply: it could not read it yet.
    if (beginsWithTls && !this.#server.admit(this)) this.destroy()
  }

  override upgrade(...parameters: Parameters<SMTPConnection['upgrade']>): void {
    this.#commandsInClear = this.#commands.all
    this.#bytesInClear = this._socket.bytesRead
    super.upgrade(...parameters)
  }

  /** Answers 421 because the server is closing, and closes the connection. */
  sayClosing(): void {
    this.send(421, '4.3.2 Localpost is closing')
  }

  /** Answers 421 when the server is closing, and to a client with too many refused commands in a row. */
  override _onCommand(command: Buffer | string, done?: () => void): void {
    if (this.#server.isClosing && !this.isBusy) return this.sayClosing()
    if (this.refusedInRow > maxRefused) return this.send(421, tooManyRefused)
    const line = command.toString()
    if (this.#commands.come(this.taken)) return this.send(421, tooManyWithoutMessage)
    if (!this.isDelivery) this.notes.client(line, Boolean(this._nextHandler))
    const space = line.indexOf(' ')
    const name = (space === -1 ? line : line.slice(0, space)).toUpperCase()
    const proceed = (): void => {
      // Only now: looking for a fault may wait for other instances, and access may be lost in the meantime.
      if (name !== 'QUIT' && !isAdmitted(this.session)) return this.send(421, lostAccess().message)
      // The base and its handlers call `toString()` on the line, so a string works as well as a Buffer.
      if (this.#isOrdinary(name, line)) return this.#run(name, line as unknown as Buffer, done)
      if (this.#commands.all === 1 && isHttpRequest(line)) {
        this.#report('http')
        return this.send(421, '4.7.0 This is the SMTP port; send HTTP requests to the HTTP port')
      }
      const refused = this.#awaitsCommand ? refusedCommand(name, line, !this._isDisabled('STARTTLS')) : null
      if (!refused) return super._onCommand(line as unknown as Buffer, done)
      this.send(...refused)
      done?.()
    }
    const fault = this.#faultOf(name)
    if (!fault) return proceed()
    const meet = (fault: SmtpFault): void =>
      meetFault(fault, this.#server.clock, {
        proceed,
        refuse: (code, text) => {
          this.notes.expectFault()
          this.send(code, fault.stage === 'ehlo' ? text : faultRefusal(code, text).message, name)
          done?.()
        },
        cut: () => this.#cutByFault(),
      })
    if (!(fault instanceof Promise)) return meet(fault)
    this.#afterFault(
      fault,
      (found) => (found ? meet(found) : proceed()),
      ({ responseCode, message }) => {
        this.send(responseCode, message, name)
        done?.()
      },
    )
  }

  /** Continues once it is known whether there is a fault, unless the connection has ended in the meantime. */
  #afterFault(
    fault: Promise<SmtpFault | null>,
    proceed: (fault: SmtpFault | null) => void,
    fail: (refusal: Refusal) => void,
  ): void {
    fault.then(
      (found) => void (this._closed || this._closing || proceed(found)),
      (error: unknown) => void (this._closed || this._closing || fail(refusalOf(error))),
    )
  }

  #cutByFault(): void {
    this.notes.cutBy = 'fault'
    this.destroy()
  }

  /** Whether the command is a common one that is allowed in the current state. */
  #isOrdinary(name: string, line: string): boolean {
    if (!this.#awaitsCommand) return false
    if (!this.session.user && !this._server.options.authOptional) return false
    if (name === 'EHLO') return true
    if (!this.hostNameAppearsAs) return false
    return name === 'DATA' ? line.length === 4 : ordinary.has(name)
  }

  /** Whether the next line is a command: the greeting was sent, and no TLS handshake or AUTH dialogue is running. */
  get #awaitsCommand(): boolean {
    return this._ready && !this._upgrading && !this._nextHandler
  }

  /**
   * Does what the base does for a common command, but without its logging and checks: the place `smtp commands` in
   * bench/places.mjs.
   */
  #run(name: string, line: Buffer, done: () => void = () => {}): void {
    const { refusedInRow } = this
    let isDone = false
    const proceed = (): void => {
      isDone = true
      this._handlerPending = false
      if (this.refusedInRow === refusedInRow) {
        this.refusedInRow = 0
        this.#commands.accept(name)
      }
      this._whenWritable(done)
    }
    if (name === 'EHLO') this.openingCommand = name
    this._handlerPending = true
    try {
      this._getHandler(name)?.call(this, line, proceed)
    } catch (error) {
      this.emit('error', error)
      if (isDone) return
      this.send(451, '4.3.0 The command could not be carried out, try again')
      proceed()
    }
  }

  // Lines of an AUTH dialogue or before the greeting are not commands, and the outbox's commands have no faults.
  #faultOf(command: string): ReturnType<FaultAt> {
    if (this.isDelivery || !this.#awaitsCommand) return null
    if (userOf(this.session)?.is_outbox) return null
    const stage = stageOf(command, this.session)
    return stage && (userOf(this.session)?.side ?? this.#server).faultAt(stage)
  }

  /** Every transaction ends here, after its reply. A closing server then closes the connection. */
  override _resetSession(): void {
    super._resetSession()
    this.notes.end()
    if (this.#server.isClosing && this._ready) this.sayClosing()
  }

  /** Every connection ends here. A listener on the socket would not work, because STARTTLS removes all listeners. */
  override _onClose(): void {
    // Many clients that reject the certificate disconnect without an error.
    if (!this._closed && !this._closing && !this.#server.isClosing) {
      const isUnused = this._upgrading || (this.secure && this.#commands.all === this.#commandsInClear)
      const isBegun = !this._upgrading || this._socket.bytesRead > this.#bytesInClear
      if (isUnused) this.#report(isBegun ? 'certificate' : 'no-handshake')
    }
    super._onClose()
    this.#server.forget(this)
  }

  /** A failed TLS handshake is the client's fault, so it is not reported as an error of the listener. */
  override _onError(error: NodeJS.ErrnoException): void {
    const fault = tlsFaultOf(error)
    if (fault === null) return super._onError(error)
    this.#report(fault, error.message)
    this.close()
  }

  /** Reports a fault of this client, at most once per connection. */
  #report(fault: ClientFault, detail = ''): void {
    if (this.isDelivery || this.#fault !== null) return
    this.#fault = fault
    this.#server.reportClient(fault, this.remoteAddress, detail)
  }

  override _createParser(): SMTPStream {
    const parser = new CaptureStream(
      this._server.options.maxCommandLength,
      (line, done) => this._onCommand(line, done),
      () => {
        this.#report('implicit-tls')
        this.destroy()
      },
    )
    parser.on('error', (error) => this.send(421, `4.5.2 ${error.message}`))
    return parser
  }
}

/** How many commands in a row may be refused: the maximum number of recipients of one message. */
const maxRefused = 1000
const tooManyRefused = `4.7.0 More than ${maxRefused} commands in a row were refused, closing the connection`

const tooManyWithoutMessage = `4.7.0 More than ${maxWithoutMessage} commands came without a message, closing the connection`

const ordinary = new Set(['MAIL', 'RCPT', 'QUIT'])

const barePathNote =
  '<warning: RFC 5321 section 4.1.2 wants angle brackets around the address; with `strict` this is 501>'
