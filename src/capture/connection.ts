import type { SMTPConnection } from 'smtp-server/lib/smtp-connection.js'
import type { SMTPStream } from 'smtp-server/lib/smtp-stream.js'
import type { SmtpFault } from '../faults/types.ts'
import { isHttpRequest, tlsFaultOf, type ClientFault } from './client-faults.ts'
import { refusedCommand } from './commands.ts'
import { CommandCount, maxWithoutMessage } from './command-count.ts'
import { Progress, type Activity, type Patience } from './progress.ts'
import type { ConnectionHost } from './host.ts'
import { faultRefusal, meetFault, stageOf } from './faults.ts'
import { ReplyingConnection } from './replying-connection.ts'
import { userOf } from './session.ts'
import { CaptureStream } from './stream.ts'
import { monotonicNow } from '../core/machine.ts'

/**
 * smtp-server's connection with what it has no option for. It reaches into internals, hence the exact version of the
 * package and a test for every change.
 */
export class CaptureConnection extends ReplyingConnection {
  /** How it gets on; see {@link CaptureConnection.checkProgress}. */
  readonly #progress = new Progress(monotonicNow())
  readonly #commands = new CommandCount()
  /** How many of them came before TLS. */
  #commandsInClear = 0
  #isReported = false

  /** The base knows the server by its own type only. */
  get #server(): ConnectionHost {
    return this._server as typeof this._server & ConnectionHost
  }

  /** Whether the client is in a mail transaction, which `close` lets it finish. */
  get isBusy(): boolean {
    return Boolean(this._dataStream) || Boolean(this.session.envelope?.mailFrom)
  }

  /** Whether the server waits for this client: for a command, for more of a message, or for it to read. */
  get isAwaited(): boolean {
    if (this._closing || this._closed || !this._ready) return false
    if (this._upgrading || this._socket.writableNeedDrain) return true
    const parser = this.parser
    if (this._handlerPending || !parser || parser.isBusy) return false
    // The message is there, and not yet answered.
    return !this._dataStream || parser._dataMode
  }

  /** When the client last brought its session forward; from `performance.now()`. */
  get workedAt(): number {
    return this.#progress.workedAt
  }

  /** Ends the connection of a client that takes too long. To be called now and then. */
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

  /** Answers 421, since another client needs the slot. */
  giveWay(): void {
    this.send(421, '4.4.2 All connections are in use, and this one was idle; connect again')
    this.#server.dismiss(this)
  }

  /** The base's own timeout restarts with every octet: see {@link CaptureConnection.checkProgress}. */
  override _armTimeout(): void {}

  /** Greets at once: the base waits 100 ms for clients who talk too soon, and an app with a connection per mail feels that. */
  override init(): void {
    // `false` in the options is taken for "not given", which is ten commands.
    this._maxAllowedUnauthenticatedCommands = false
    this._setListeners(() => {
      if (!this.isDelivery && !this.#server.admit(this)) {
        this.send(421, '4.7.0 Too many connections, try again in a moment')
        return this.#server.dismiss(this)
      }
      const fault = this.isDelivery ? null : this.#server.faultAt('connect')
      if (!fault) return this.connectionReady()
      meetFault(fault, this.#server.clock, {
        proceed: () => this.connectionReady(),
        // A greeting has no enhanced code of ours, and nothing follows one that refuses.
        refuse: (code, text) => this._refuse(Object.assign(new Error(text), { responseCode: code }), false),
        cut: () => this.destroy(),
      })
    })
  }

  /** The base builds the same list for each client. */
  override handler_EHLO(command: Buffer, callback: () => void): void {
    const [, name, ...more] = command.toString().trim().split(/\s+/)
    if (name === undefined || more.length > 0 || !plainHelloName.test(name)) {
      return super.handler_EHLO(command, callback)
    }
    this.hostNameAppearsAs = name.toLowerCase()
    this._resetSession()
    this.reply(this.#server.helloReply({ secure: this.secure, isKnown: Boolean(this.session.user) }))
    callback()
  }

  override upgrade(...parameters: Parameters<SMTPConnection['upgrade']>): void {
    this.#commandsInClear = this.#commands.all
    super.upgrade(...parameters)
  }

  /** Answers 421 since the server closes, and closes. */
  sayClosing(): void {
    this.send(421, '4.3.2 Localpost is closing')
  }

  /** A closing server begins no transaction, and a client that is refused again and again has to connect again. */
  override _onCommand(command: Buffer | string, done?: () => void): void {
    if (this.#server.isClosing && !this.isBusy) return this.sayClosing()
    if (this.refusedInRow > maxRefused) return this.send(421, tooManyRefused)
    const line = command.toString()
    if (this.#commands.come(this.taken)) return this.send(421, tooManyWithoutMessage)
    if (!this.isDelivery) this.notes.client(line, Boolean(this._nextHandler))
    const space = line.indexOf(' ')
    const name = (space === -1 ? line : line.slice(0, space)).toUpperCase()
    const proceed = (): void => {
      // The base and its handlers make a text of it, whatever it is.
      if (this.#isOrdinary(name, line)) return this.#run(name, line as unknown as Buffer, done)
      if (this.#commands.all === 1 && isHttpRequest(line)) {
        this.#report('http')
        return this.send(421, '4.7.0 This is the SMTP port, HTTP requests go to another one')
      }
      const refused = this.#awaitsCommand ? refusedCommand(name, line, !this._isDisabled('STARTTLS')) : null
      if (!refused) return super._onCommand(line as unknown as Buffer, done)
      this.send(...refused)
      done?.()
    }
    const fault = this.#faultOf(name)
    if (!fault) return proceed()
    meetFault(fault, this.#server.clock, {
      proceed,
      refuse: (code, text) => {
        this.send(code, fault.stage === 'ehlo' ? text : faultRefusal(code, text).message, name)
        done?.()
      },
      cut: () => this.destroy(),
    })
  }

  /** Whether a command is one of those that nearly every session has, and comes when it may. */
  #isOrdinary(name: string, line: string): boolean {
    if (!this.#awaitsCommand) return false
    if (!this.session.user && !this._server.options.authOptional) return false
    if (name === 'EHLO') return true
    if (!this.hostNameAppearsAs) return false
    return name === 'DATA' ? line.length === 4 : ordinary.has(name)
  }

  /** Whether what comes next is a command: greeted, in no handshake, and in no dialogue of AUTH. */
  get #awaitsCommand(): boolean {
    return this._ready && !this._upgrading && !this._nextHandler
  }

  /** What the base does for such a command, without its log. */
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

  // What follows AUTH or comes before the greeting is no command, and the outbox's have none.
  #faultOf(command: string): SmtpFault | null {
    if (this.isDelivery || !this.#awaitsCommand) return null
    if (userOf(this.session)?.is_outbox) return null
    const stage = stageOf(command, this.session)
    return stage && this.#server.faultAt(stage)
  }

  /** Every transaction ends here, after its reply: a closing server waits for that. */
  override _resetSession(): void {
    super._resetSession()
    this.notes.end()
    if (this.#server.isClosing && this._ready) this.sayClosing()
  }

  /** STARTTLS takes every listener off the socket, so this is the one place that every connection comes by at its end. */
  override _onClose(): void {
    // Many clients look at the certificate and go without a word.
    if (!this._closed && !this._closing && !this.#server.isClosing) {
      const isUnused = this._upgrading || (this.secure && this.#commands.all === this.#commandsInClear)
      if (isUnused) this.#report('certificate')
    }
    super._onClose()
    this.#server.forget(this)
  }

  /** What fails in a handshake is no fault of the listener. */
  override _onError(error: NodeJS.ErrnoException): void {
    const fault = tlsFaultOf(error)
    if (fault === null) return super._onError(error)
    this.#report(fault, error.message)
    this.close()
  }

  /** Reports once what this client does wrong. */
  #report(fault: ClientFault, detail = ''): void {
    if (this.isDelivery || this.#isReported) return
    this.#isReported = true
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

/** Others may be refused, with a reason. */
const plainHelloName = /^[a-zA-Z0-9.[\]:_-]{1,255}$/

/** How many commands in a row may be refused: as many as one message may have recipients. */
const maxRefused = 1000
const tooManyRefused = `4.7.0 More than ${maxRefused} commands in a row were refused, closing the connection`

const tooManyWithoutMessage = `4.7.0 More than ${maxWithoutMessage} commands came without a message, closing the connection`

const ordinary = new Set(['MAIL', 'RCPT', 'QUIT'])
