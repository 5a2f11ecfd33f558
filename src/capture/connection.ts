import type { SMTPStream } from 'smtp-server/lib/smtp-stream.js'
import { count } from '../core/counts.ts'
import { monotonicNow, nextTick } from '../core/machine.ts'
import type { SmtpStage } from '../faults/types.ts'
import type { SmtpProblemKind } from '../inbox/smtp-session-types.ts'
import { isAdmitted, smtpUserOf } from './auth.ts'
import { httpAtSmtp } from './client-faults.ts'
import { applyFault, type FaultAt } from './faults.ts'
import { maxWithoutMessage, Progress, type SmtpTimeouts } from './progress.ts'
import { SessionNotes } from './session-notes.ts'
import {
  hasEnhancedCode,
  isHttpRequest,
  linesOfReply,
  lostAccess,
  Refusal,
  refusalOf,
  refusedCommand,
} from './replies.ts'
import { CaptureStream } from './stream.ts'
import { TlsConnection } from './tls-connection.ts'
import { stageOf } from './commands.ts'
import type { ClientFacts } from './logged-session.ts'

/**
 * A session: its commands and replies, its faults, and its end. `host`, `awaitsTls` and `fault` are members of
 * {@link TlsConnection}. The README of this folder has the rules for overrides.
 */
export class CaptureConnection extends TlsConnection {
  isDelivery = false
  readonly notes: SessionNotes = new SessionNotes()
  protected readonly progress: Progress = new Progress(monotonicNow())
  /** Number of replies of 400 or more since the last accepted command. */
  #refusedInRow = 0
  /** Replies that are sent at the end of the event loop's turn. */
  #waiting = ''

  /** Null once the client has disconnected. */
  get #parser(): CaptureStream | null {
    return (this._parser as CaptureStream | false) || null
  }

  /** Whether the client is in a mail transaction, which `close` lets it finish. */
  get isBusy(): boolean {
    return Boolean(this._dataStream) || Boolean(this.session.envelope?.mailFrom)
  }

  /** Whether the server waits for this client: for a command, for more of a message, or for it to read. */
  get isAwaited(): boolean {
    if (this._closing || this._closed) return false
    // Before the greeting, where the port begins with TLS.
    if (this._upgrading || this.awaitsTls) return true
    if (!this._ready) return false
    if (this._socket.writableNeedDrain) return true
    const parser = this.#parser
    if (this._handlerPending || !parser || parser.isBusy) return false
    // A whole message was received and is not yet answered: the client waits for the server.
    return !this._dataStream || parser._dataMode
  }

  /** When the client last made progress, as `performance.now()`. */
  get lastProgressAt(): number {
    return this.progress.lastProgressAt
  }

  /** The facts about the client, for the log of sessions. */
  state(): ClientFacts {
    const host = this.remoteAddress
    return {
      remote_address: `${host.includes(':') ? `[${host}]` : host}:${this.remotePort}`,
      client_name: this.hostNameAppearsAs || '',
      user: smtpUserOf(this.session)?.name ?? null,
      secure: this.secure,
      message_count: this.progress.messages,
      fault: this.fault,
    }
  }

  /** Ends the connection if the client takes too long. Call it at regular intervals. */
  checkProgress(now: number, patience: SmtpTimeouts): void {
    if (this.awaitsTls && now - this.lastProgressAt >= patience.helloMs) return this.refusePlainText('')
    const isInData = this.#parser?._dataMode ?? false
    const activity = {
      isAwaited: this.isAwaited,
      phase: isInData || this._upgrading ? ('data' as const) : ('command' as const),
      dataBytes: isInData ? (this.#parser?.dataBytes ?? 0) : 0,
    }
    const fault = this.progress.check(activity, now, patience)
    if (fault !== null) this.#refuse(new Refusal(421, `4.4.2 ${fault}, closing the connection`, 'too_slow'))
  }

  /** Answers 421 because another client needs the slot. */
  giveWay(): void {
    const text = '4.4.2 All connections are in use, and this one was idle; connect again'
    this.#refuse(new Refusal(421, text, 'too_many_connections'))
    this.host.dismiss(this)
  }

  /** Answers 421 because the server is closing, and closes the connection. */
  sayClosing(): void {
    this.#refuse(new Refusal(421, '4.3.2 Localpost is closing', 'closing'))
  }

  /** Ends the connection without a reply, because of a fault or a rule. */
  cut(by: 'fault' | 'rule'): void {
    this.notes.cutBy = by
    this.destroy()
  }

  /** Ends the connection in any state. Replies that wait are sent first. */
  destroy(): void {
    this.flush()
    this._socket.destroy()
  }

  override close(): void {
    this.flush()
    super.close()
  }

  /** Disables the base's timeout, which restarts with every octet. {@link CaptureConnection.checkProgress} replaces it. */
  override _armTimeout(): void {}

  protected greet({ hasSlot }: { hasSlot: boolean }): void {
    const ready = (): void => this.connectionReady()
    if (this.isDelivery) return ready()
    if (!hasSlot && !this.host.admit(this)) {
      const text = '4.7.0 Too many connections, try again in a moment'
      this.#refuse(new Refusal(421, text, 'too_many_connections'))
      return this.host.dismiss(this)
    }
    const fault = this.#faultAt('connect')
    if (fault) void this.#applyFault(fault, { context: false, proceed: ready, done: () => this.close() })
    else ready()
  }

  /**
   * Sends a reply. The enhanced code that its text begins with takes the place of the base's. The replies to pipelined
   * commands are sent together at the end of the turn, because a system call costs more than building a reply: the place
   * `smtp replies` in bench/places.mjs.
   */
  override send(code: number, data?: string | string[] | null, context?: string | false): void {
    const enhancedCode = hasEnhancedCode(code, data) ? '' : this._getEnhancedStatusCode(code, context)
    const lines = linesOfReply(code, enhancedCode, Array.isArray(data) ? data : [data ?? ''])
    if (context === 'DATA_OK') {
      this.progress.acceptMessage()
      if (!this.isDelivery) this.host.counts.messages++
    }
    if (code >= 400) this.#noteRefusal(code, lines[0] ?? '')
    // Nothing may be sent in plain text during a TLS handshake.
    if (!this._upgrading && !this.awaitsTls) {
      if (!this.isDelivery) this.notes.noteReply(lines)
      const isFirst = this.#waiting === ''
      for (const line of lines) this.#waiting += `${line}\r\n`
      if (!this.#parser?.hasMore) this.flush()
      else if (isFirst) nextTick(flush, this)
    }
    if (code === 421) this.close()
  }

  #noteRefusal(code: number, line: string): void {
    this.#refusedInRow++
    if (code === 421 && this._unrecognizedCommands >= 10) this.notes.expect('too_many_commands')
    const { problem, command, reply } = this.notes.noteRefusal(code, line)
    if (this.isDelivery) return
    count(this.host.counts.refusals, code)
    this.host.tellRefusal(problem !== null && withoutCommand.has(problem) ? '' : command, reply, this)
  }

  /** Writes the replies that wait. */
  flush(): void {
    const text = this.#waiting
    this.#waiting = ''
    if (text !== '' && this._socket.writable) this._socket.write(text)
  }

  #refuse({ responseCode, message, problem }: Refusal, context?: string | false): void {
    if (problem) this.notes.expect(problem)
    this.send(responseCode, message, context)
  }

  /** @param done  Missing for a last line without a line end, after which the client has closed its side. */
  override _onCommand(command: Buffer | string, done?: () => void): void {
    if (this.host.isClosing && !this.isBusy) return this.sayClosing()
    if (this.awaitsTls) return this.refusePlainText(command.toString())
    if (this.#refusedInRow > maxRecipients)
      return this.#refuse(tooManyCommands('commands in a row were refused', maxRecipients))
    if (this.progress.countCommand())
      return this.#refuse(tooManyCommands('commands came without a message', maxWithoutMessage))
    const line = command.toString()
    if (!this.isDelivery) this.notes.noteCommand(line, Boolean(this._nextHandler))
    const name = line.split(' ', 1)[0]?.toUpperCase() ?? ''
    // Not a line of an AUTH dialogue, or one that came before the greeting or the TLS handshake.
    const isCommand = this._ready && !this._upgrading && !this._nextHandler
    // The socket of a client that has closed its side ends in this turn, too early for a fault.
    const stage = done && isCommand && !this.isDelivery ? stageOf(name, this.session) : null
    const fault = stage && this.#faultAt(stage)
    const run = (): void => this.#run({ name, line, isCommand }, done)
    if (fault) void this.#applyFault(fault, { context: name, proceed: run, done })
    else run()
  }

  #run(sent: { name: string; line: string; isCommand: boolean }, done?: () => void): void {
    const { name, line, isCommand } = sent
    // Only now: looking for a fault may wait for other instances, and access may be lost in the meantime.
    if (name !== 'QUIT' && !isAdmitted(this.session)) return this.#refuse(lostAccess())
    if (this.progress.commands === 1 && isHttpRequest(line)) {
      this.report('http')
      return this.send(421, `4.7.0 ${httpAtSmtp(this.host.ports)}`)
    }
    const state = { hasStartTls: !this._isDisabled('STARTTLS'), isInTransaction: this.isBusy }
    const refused = isCommand ? refusedCommand(name, line, state) : null
    if (refused) {
      this.#refuse(refused)
      return done?.()
    }
    const before = this.#refusedInRow
    // The base and its handlers call `toString()` on the line.
    super._onCommand(line as unknown as Buffer, () => {
      if (this.#refusedInRow === before) {
        this.#refusedInRow = 0
        this.progress.acceptCommand(name)
      }
      done?.()
    })
  }

  #faultAt(stage: SmtpStage): ReturnType<FaultAt> {
    const user = smtpUserOf(this.session)
    return user?.isOutbox ? null : (user?.side ?? this.host).faultAt(stage)
  }

  /** Applies a fault, then calls `proceed` if the session goes on as without it, or `done` after a refusal. */
  async #applyFault(
    given: NonNullable<ReturnType<FaultAt>>,
    then: { context: string | false; proceed: () => void; done: (() => void) | undefined },
  ): Promise<void> {
    let outcome: Awaited<ReturnType<typeof applyFault>>
    try {
      const fault = await given
      outcome = fault && (await applyFault(fault, this.host.clock))
    } catch (error) {
      outcome = refusalOf(error)
    }
    if (this._closed || this._closing) return
    if (outcome === null) return then.proceed()
    if (outcome === 'cut') return this.cut('fault')
    this.#refuse(outcome, then.context)
    then.done?.()
  }

  protected takeBarePath(): boolean {
    if (this.host.isStrict) return false
    const place = 'RFC 5321 section 4.1.2 wants angle brackets around the address'
    this.notes.noteReply([`<warning: ${place}; with \`strict\` this is 501>`])
    return true
  }

  /** Every transaction ends here, after its reply. A closing server then closes the connection. */
  override _resetSession(): void {
    super._resetSession()
    this.notes.endTransaction()
    if (this.host.isClosing && this._ready) this.sayClosing()
  }

  override _createParser(): SMTPStream {
    const parser = new CaptureStream(
      this._server.options.maxCommandLength,
      (line, done) => this._onCommand(line, done),
      (hello) => this.takeTls(hello),
    )
    parser.on('error', (error) => this.send(421, `4.5.2 ${error.message}`))
    return parser
  }
}

function flush(connection: CaptureConnection): void {
  connection.flush()
}

/** The problems of replies that answer no command. */
const withoutCommand: ReadonlySet<SmtpProblemKind> = new Set(['too_slow', 'too_many_connections', 'closing'])

/** How many recipients a message may have, and so how many commands in a row may be refused. */
export const maxRecipients = 1000

function tooManyCommands(what: string, limit: number): Refusal {
  return new Refusal(421, `4.7.0 More than ${limit} ${what}, closing the connection`, 'too_many_commands')
}
