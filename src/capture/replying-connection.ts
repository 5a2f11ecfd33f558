import type { SMTPConnection } from 'smtp-server/lib/smtp-connection.js'
import { nextTick } from '../core/machine.ts'
import { CommandConnection } from './command-connection.ts'
import { linesOf } from './replies.ts'
import type { CaptureStream } from './stream.ts'
import { SessionNotes } from './transcript.ts'

/** A connection that sends the replies to pipelined commands together, and notes what is said. */
export class ReplyingConnection extends CommandConnection {
  /** Whether it came in by the outbox's own way: no fault meets it. */
  isDelivery = false

  /** What is said in this session. */
  readonly notes: SessionNotes = new SessionNotes()

  /** How many replies of 400 or more there were since the last command that was accepted. */
  protected refusedInRow = 0
  /** How many messages were taken. */
  protected taken = 0

  /** The replies that wait for the end of the turn. */
  #waiting = ''

  /** Null once the client is gone. */
  protected get parser(): CaptureStream | null {
    return (this._parser as CaptureStream | false) || null
  }

  /**
   * Sends a reply, with the enhanced code that its text brings, or else the one that the base has for the reply code.
   */
  override send(code: number, data?: string | string[] | null, context?: string | false): void {
    if (code >= 400) this.refusedInRow++
    else if (context === 'DATA_OK') this.taken++
    this.reply(linesOf(this, code, data, context))
    if (code === 421) this.close()
  }

  /**
   * Sends a reply; where the client pipelines, at the end of the turn and together with the others: a system call costs
   * more than the reply it carries.
   *
   * @param lines  Each whole but for its end.
   */
  protected reply(lines: readonly string[]): void {
    // Into a handshake nothing may be said in the clear.
    if (this._upgrading) return
    if (!this.isDelivery) this.notes.server(lines)
    const isFirst = this.#waiting === ''
    for (const line of lines) this.#waiting += `${line}\r\n`
    if (!this.parser?.hasMore) this.flush()
    else if (isFirst) nextTick(flush, this)
  }

  /** Writes the replies that wait. */
  flush(): void {
    const text = this.#waiting
    this.#waiting = ''
    if (text !== '' && this._socket.writable) this._socket.write(text)
  }

  override close(): void {
    this.flush()
    super.close()
  }

  /** The reply to STARTTLS is the last that goes in the clear: TLS takes the socket over within this turn. */
  override upgrade(...parameters: Parameters<SMTPConnection['upgrade']>): void {
    this.flush()
    super.upgrade(...parameters)
  }

  /** Ends the connection, whatever state it is in; what was answered before is said. */
  destroy(): void {
    this.flush()
    this._socket.destroy()
  }
}

function flush(connection: ReplyingConnection): void {
  connection.flush()
}
