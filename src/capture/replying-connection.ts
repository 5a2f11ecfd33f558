import type { SMTPConnection } from 'smtp-server/lib/smtp-connection.js'
import { nextTick } from '../core/machine.ts'
import { CommandConnection } from './command-connection.ts'
import { linesOf } from './replies.ts'
import type { CaptureStream } from './stream.ts'
import { SessionNotes } from './transcript.ts'

/** A connection that sends the replies to pipelined commands together, and records the transcript. */
export class ReplyingConnection extends CommandConnection {
  /** Whether the connection came through the outbox's own port. Faults do not apply to it. */
  isDelivery = false

  /** The transcript of this session. */
  readonly notes: SessionNotes = new SessionNotes()

  /** Number of replies of 400 or more since the last accepted command. */
  protected refusedInRow = 0
  /** Number of accepted messages. */
  protected taken = 0

  /** Replies that are sent at the end of the event loop's turn. */
  #waiting = ''

  /** Null once the client has disconnected. */
  protected get parser(): CaptureStream | null {
    return (this._parser as CaptureStream | false) || null
  }

  /**
   * Sends a reply. If its text does not begin with an enhanced code, the base's code for the reply is used.
   */
  override send(code: number, data?: string | string[] | null, context?: string | false): void {
    if (code >= 400) this.refusedInRow++
    else if (context === 'DATA_OK') this.taken++
    const lines = linesOf(this, code, data, context)
    if (code >= 400) this.notes.refused(lines)
    this.reply(lines)
    if (code === 421) this.close()
  }

  /**
   * Sends a reply. If the client pipelines, replies are sent together at the end of the turn, because a system call costs
   * more than building a reply: the place `smtp replies` in bench/places.mjs.
   *
   * @param lines  Complete lines without line ends.
   */
  protected reply(lines: readonly string[]): void {
    // Nothing may be sent in plain text during a TLS handshake.
    if (this._upgrading) return
    if (!this.isDelivery) this.notes.server(lines)
    const isFirst = this.#waiting === ''
    for (const line of lines) this.#waiting += `${line}\r\n`
    if (!this.parser?.hasMore) this.flush()
    else if (isFirst) nextTick(flush, this)
  }

  /** Writes the queued replies. */
  flush(): void {
    const text = this.#waiting
    this.#waiting = ''
    if (text !== '' && this._socket.writable) this._socket.write(text)
  }

  override close(): void {
    this.flush()
    super.close()
  }

  /** The reply to STARTTLS is the last one in plain text. It is flushed now, because TLS takes over the socket in this turn. */
  override upgrade(...parameters: Parameters<SMTPConnection['upgrade']>): void {
    this.flush()
    super.upgrade(...parameters)
  }

  /** Ends the connection in any state. Queued replies are sent first. */
  destroy(): void {
    this.flush()
    this._socket.destroy()
  }
}

function flush(connection: ReplyingConnection): void {
  connection.flush()
}
