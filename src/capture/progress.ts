/** How long the server waits for a client. */
export interface Patience {
  /** For a whole command, from the reply before it, however many of its octets come. */
  commandMs: number
  /** For {@link Patience.dataBytes} of a message, or for a TLS handshake. */
  dataMs: number
  /** How much of a message has to come in each `dataMs`; its end may come at any time. */
  dataBytes: number
  /** For a whole message, from the one before it or the beginning of the session, whatever else the client does. */
  messageMs: number
}

/**
 * RFC 5321 section 4.5.3.2: five minutes for a command, three for a piece of a message. It sets no limit to a session
 * that never brings a message; an hour is more than a slow client needs.
 */
export const defaultPatience: Patience = {
  commandMs: 5 * 60 * 1000,
  dataMs: 3 * 60 * 1000,
  dataBytes: 1024,
  messageMs: 60 * 60 * 1000,
}

/** What a connection is doing when it is looked at. */
export interface Activity {
  /** Whether the server waits for the client. */
  isAwaited: boolean
  /** Commands that came, and those among them that brought the session forward. */
  commands: number
  useful: number
  /** Messages that were taken. */
  messages: number
  /** `data` also covers a handshake. */
  phase: 'command' | 'data'
  /** Octets of the message that came; 0 outside of one. */
  dataBytes: number
}

/**
 * Follows how a connection gets on, from looking at it now and then: what it costs does not depend on what the client
 * sends, and an octet now and then is no progress.
 */
export class Progress {
  /** When the session was last brought forward. */
  workedAt: number
  #awaitedSince: number
  #seen: Activity = { isAwaited: true, commands: 0, useful: 0, messages: 0, phase: 'command', dataBytes: 0 }
  #messages = 0
  #withoutSince: number

  constructor(now: number) {
    this.workedAt = now
    this.#awaitedSince = now
    this.#withoutSince = now
  }

  /** @returns Why the client took too long, for its reply; null where it did not. */
  look(activity: Activity, now: number, patience: Patience): string | null {
    const { isAwaited, commands, useful, messages, phase, dataBytes } = activity
    if (messages !== this.#messages) {
      this.#messages = messages
      this.#withoutSince = now
    } else if (isAwaited && now - this.#withoutSince >= patience.messageMs) {
      return `No message came within ${inSeconds(patience.messageMs)}`
    }
    const seen = this.#seen
    const hasData = dataBytes < seen.dataBytes || dataBytes - seen.dataBytes >= patience.dataBytes
    const hasWorked = useful !== seen.useful || phase !== seen.phase || hasData
    if (hasWorked || !isAwaited) this.workedAt = now
    if (hasWorked || !isAwaited || commands !== seen.commands) {
      this.#awaitedSince = now
      this.#seen = { ...activity }
      return null
    }
    const waitedMs = now - this.#awaitedSince
    if (phase === 'command') {
      return waitedMs < patience.commandMs ? null : `No command came within ${inSeconds(patience.commandMs)}`
    }
    return waitedMs < patience.dataMs ? null : `Too little came within ${inSeconds(patience.dataMs)}`
  }
}

function inSeconds(ms: number): string {
  return `${ms / 1000} seconds`
}
